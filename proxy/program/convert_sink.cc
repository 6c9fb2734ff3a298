#include "proxy/program/convert_sink.h"

namespace entente {

std::string stream_name(const std::string& connection) {
  constexpr std::string_view kDatagrams = "/udp";
  return connection.ends_with(kDatagrams) ? connection.substr(0, connection.size() - kDatagrams.size()) : connection;
}

void ConvertSink::opened(ConnectionId id, const ImportedConnection& connection, WallTime time) {
  const auto speech = file_.speech_of(connection);
  if (!speech) return remark(connection.name + ": left out, nothing shows which game it is");
  links_[id] = std::make_unique<Link>(*this, id, *speech);
  begin(id, connection, *speech, time);
}

void ConvertSink::bytes(const Imported& piece) {
  const auto at = links_.find(piece.connection);
  if (at == links_.end()) return;
  Link& link = *at->second;
  link.now = piece.time;
  carriage_ = piece.enet;
  if (piece.lane == wire::Lane::kDatagram)
    link.dissector.datagram(piece.way, piece.bytes, link);
  else
    link.dissector.stream(piece.way, piece.bytes, link);
}

void ConvertSink::lost(ConnectionId id, wire::Way way, std::uint64_t, WallTime) {
  const auto at = links_.find(id);
  if (at != links_.end()) at->second->dissector.end(way, *at->second, true);
}

void ConvertSink::Link::frame(const wire::Frame& frame) { owner_.frame(id_, frame, now); }

void ConvertSink::Link::raw(wire::Way way, wire::Lane lane, Bytes bytes, const Fault*) {
  owner_.raw(id_, way, lane, bytes, now);
}

}  // namespace entente
