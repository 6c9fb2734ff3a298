#include "proxy/program/conversion/foreign_format_exporter.h"

#include "adapters/aos/aos.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/wire/print.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/import/demo.h"

namespace entente {

using wire::Lane, wire::Way;

void ForeignFormatExporter::finish(const std::string& name, Buffer file) {
  file_ = std::move(file);
  whose_ = name;
}

void ForeignFormatExporter::remark(std::string_view text) {
  std::string line;
  wire::escape(text, line);
  err_ << line << '\n';
}

void RecExporter::begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
                        WallTime) {
  if (game_dialect.game != &bzflag::game() || !bzflag::has_recordings(game_dialect.dialect))
    return remark(connection.name + ": left out: only BZFlag from 2.0 on has .rec recordings");
  links_[id] = stream_name(connection.name);
  if (links_[id] == connection.name)
    sessions_.insert_or_assign(connection.name, Session{connection.name, bzflag::RecExport(game_dialect.dialect)});
}

void RecExporter::frame(ConnectionId id, const wire::Frame& frame, WallTime time) {
  const auto at = sessions_.find(links_[id]);
  if (at != sessions_.end()) at->second.made.hear(frame, static_cast<std::int64_t>(time / 1000));
}

void RecExporter::connection_finished(ConnectionId id) {
  const auto at = sessions_.find(links_[id]);
  links_.erase(id);
  if (at == sessions_.end()) return;
  Buffer file;
  if (const auto why = at->second.made.write(file))
    remark(at->second.name + ": left out: " + why->what);
  else
    finish(at->second.name, std::move(file));
  sessions_.erase(at);
}

void DemoExporter::begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
                         WallTime time) {
  if (game_dialect.game != &aos::game() || !has_demos(game_dialect.dialect))
    return remark(connection.name + ": left out: only Ace of Spades 0.75 and 0.76 have recordings of aos_replay");
  Session& session = sessions_[id];
  session = {connection.name.empty() ? "the connection" : connection.name,
             game_dialect.game->codec(game_dialect.dialect), time};
  put_demo_header(game_dialect.dialect, session.file);
}

void DemoExporter::frame(ConnectionId id, const wire::Frame& frame, WallTime time) {
  const auto at = sessions_.find(id);
  if (at == sessions_.end()) return;
  Session& session = at->second;
  if (frame.way == Way::kToServer) {
    ++session.by_client;
    return;
  }
  if (frame.bytes.size() > kLargestDemoPacket) {
    ++session.too_large;
    return;
  }
  const wire::Row* row = session.codec->find(frame);
  session.has_map |= row != nullptr && row->name == std::string_view("MapChunk");
  session.has_state |= row != nullptr && row->name == std::string_view("StateData");
  put_demo_packet(time - std::min(time, session.start), seconds(), frame.bytes, session.file);
}

void DemoExporter::raw(ConnectionId id, Way way, Lane lane, Bytes bytes, WallTime time) {
  frame(id, {way, lane, {}, bytes}, time);
}

void DemoExporter::frame_gap(ConnectionId id, Way way, std::uint64_t messages, std::uint64_t, WallTime) {
  if (const auto at = sessions_.find(id); at != sessions_.end() && way == Way::kToClient)
    at->second.missing += messages;
}

void DemoExporter::connection_finished(ConnectionId id) {
  const auto at = sessions_.find(id);
  if (at == sessions_.end()) return;
  Session& session = at->second;
  if (!session.has_map || !session.has_state) {
    remark(session.name + ": left out: the client was never sent the " + (session.has_map ? "state" : "map"));
  } else {
    const auto lacks = [&](std::uint64_t messages, const char* why) {
      if (messages != 0) remark(session.name + ": " + counted(messages, "message") + " left out: " + why);
    };
    lacks(session.by_client, "the format holds only what the server sent");
    lacks(session.missing, "they were not recorded");
    lacks(session.too_large, "the format holds only messages up to 65535 bytes");
    finish(session.name, std::move(session.file));
  }
  sessions_.erase(at);
}

}  // namespace entente
