// Finds the connections of a file that are never shown when it is played from end to end: those that lie within the
// time of the longest one, which is the one that is played then (joined_sessions.h). There are none in games whose
// players see different things, because such sessions are merged (merged_sessions.h).
#pragma once

#include <set>

#include "proxy/program/import/file.h"

namespace entente {

struct Overlapped {
  std::set<ConnectionId> connections = {};
  std::size_t sessions = 0;  ///< whose connections they are
};

/// Reads all of the file. Empty: all connections are needed, or the file cannot be read to its end.
Overlapped overlapped(const RecordedFile& file);

/// Passes on all connections except those in `left_out`.
class ConnectionFilter final : public ImportSink {
 public:
  /// They outlive it.
  ConnectionFilter(ImportSink& to, const std::set<ConnectionId>& left_out) : to_(to), left_out_(left_out) {}

  void begins(WallTime time) override { to_.begins(time); }
  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    if (wants(id)) to_.opened(id, connection, time);
  }
  void bytes(const Imported& piece) override {
    if (wants(piece.connection)) to_.bytes(piece);
  }
  void connected(ConnectionId id, std::uint32_t data, WallTime time) override {
    if (wants(id)) to_.connected(id, data, time);
  }
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override {
    if (wants(id)) to_.stream_gap(id, way, bytes, time);
  }
  void message_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes,
                   WallTime time) override {
    if (wants(id)) to_.message_gap(id, way, messages, bytes, time);
  }
  void half_closed(ConnectionId id, const ImportedClose& end) override {
    if (wants(id)) to_.half_closed(id, end);
  }
  void connection_over(ConnectionId id) override {
    if (wants(id)) to_.connection_over(id);
  }
  void word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime time) override {
    if (wants(id)) to_.word(id, intent, fact, time);
  }
  void world(ConnectionId id, const trace::Snapshot& world, WallTime time) override {
    if (wants(id)) to_.world(id, world, time);
  }
  void geometry(const trace::Geometry& geometry, WallTime time) override { to_.geometry(geometry, time); }
  void remark(std::string_view text) override { to_.remark(text); }
  void note(const ImportedNote& note) override { to_.note(note); }
  void read_to(std::uint64_t bytes) override { to_.read_to(bytes); }
  bool wait_for_more() override { return to_.wait_for_more(); }
  bool enough() const override { return to_.enough(); }

 private:
  bool wants(ConnectionId id) const { return !left_out_.contains(id); }

  ImportSink& to_;
  const std::set<ConnectionId>& left_out_;
};

}  // namespace entente
