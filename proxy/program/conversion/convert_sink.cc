#include "proxy/program/conversion/convert_sink.h"

namespace entente {

std::string stream_name(const std::string& connection) {
  constexpr std::string_view kDatagrams = "/udp";
  return connection.ends_with(kDatagrams) ? connection.substr(0, connection.size() - kDatagrams.size()) : connection;
}

ConvertSink::Link* ConvertSink::find(ConnectionId id) {
  const auto at = links_.find(id);
  return at == links_.end() ? nullptr : at->second.get();
}

void ConvertSink::opened(ConnectionId id, const ImportedConnection& connection, WallTime time) {
  const auto game_dialect = file_.game_dialect_of(connection);
  if (!game_dialect) return remark(connection.name + ": left out: its game is unknown");
  Link& link = *(links_[id] = std::make_unique<Link>(*this, id, connection, *game_dialect, time));
  for (const auto way : {wire::Way::kToServer, wire::Way::kToClient})
    if (connection.sent(way)) link.dissector.skip(way, link);
  if (!connection.game.empty() || game_dialect->game->transport() != wire::Transport::kEnet) start(id, time);
}

ConvertSink::Link* ConvertSink::start(ConnectionId id, WallTime time) {
  Link* link = find(id);
  if (link == nullptr) return nullptr;
  if (!std::exchange(link->begun, true)) begin(id, link->about, link->game_dialect, link->now);
  link->now = time;
  return link;
}

void ConvertSink::connected(ConnectionId id, std::uint32_t data, WallTime time) {
  const Link* link = find(id);
  if (link == nullptr) return;
  const GameDialect game_dialect = file_.as_connected(link->game_dialect, data);
  if (game_dialect.dialect != link->game_dialect.dialect) {
    if (link->begun) connection_finished(id);
    links_[id] = std::make_unique<Link>(*this, id, link->about, game_dialect, time);
  }
  start(id, time);
}

void ConvertSink::bytes(const Imported& piece) {
  Link* link = start(piece.connection, piece.time);
  if (link == nullptr) return;
  set_current(piece);
  if (piece.lane == wire::Lane::kDatagram)
    link->dissector.datagram(piece.way, piece.bytes, *link);
  else
    link->dissector.stream(piece.way, piece.bytes, *link);
}

void ConvertSink::kept(const Imported& piece) {
  if (start(piece.connection, piece.time) == nullptr) return;
  set_current(piece);
  frame_kept(piece.connection, {piece.way, piece.lane, wire::Stage::kPlay, piece.bytes}, piece.time);
}

void ConvertSink::stream_gap(ConnectionId id, wire::Way way, std::uint64_t, WallTime time) {
  if (Link* link = start(id, time)) link->dissector.end(way, *link, true);
}

void ConvertSink::message_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes,
                              WallTime time) {
  Link* link = start(id, time);
  if (link == nullptr) return;
  link->dissector.skip(way, *link);
  frame_gap(id, way, messages, bytes, time);
}

void ConvertSink::half_closed(ConnectionId id, const ImportedClose& how) {
  if (start(id, how.time) != nullptr) side_closed(id, how);
}

void ConvertSink::connection_over(ConnectionId id) {
  Link* link = find(id);
  if (link == nullptr) return;
  start(id, link->now);
  set_current({});
  ends_ = true;
  for (const auto way : {wire::Way::kToServer, wire::Way::kToClient}) link->dissector.end(way, *link, false);
  ends_ = false;
  connection_finished(id);
  links_.erase(id);
}

std::string ConvertSink::uncut() const {
  return first_uncut_.empty()
             ? ""
             : std::to_string(uncut_bytes_) + " bytes could not be cut into messages; the first: " + first_uncut_;
}

void ConvertSink::Link::frame(const wire::Frame& frame) {
  ++owner_.frames_;
  owner_.frame(id_, frame, now);
}

void ConvertSink::Link::raw(wire::Way way, wire::Lane lane, Bytes bytes, const Fault* why) {
  if (why != nullptr || (!owner_.ends_ && !owner_.first_uncut_.empty())) owner_.uncut_bytes_ += bytes.size();
  if (why != nullptr && owner_.first_uncut_.empty())
    owner_.first_uncut_ = about.name + " " + wire::text(way) + ": " + why->what +
                          (*why->field != 0 ? " in " + std::string(why->field) : "") + ", byte " +
                          std::to_string(why->offset) + " of a message";
  owner_.raw(id_, way, lane, bytes, now);
}

}  // namespace entente
