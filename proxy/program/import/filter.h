// A sink of an importer that changes events and passes them to another sink.
// Invariant: what it does not change, it passes on.
#pragma once

#include "proxy/program/import/import.h"

namespace entente {

class ImportFilter : public ImportSink {
 public:
  explicit ImportFilter(ImportSink& to) : to_(to) {}

  void begins(WallTime time) override { to_.begins(time); }
  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    to_.opened(id, connection, time);
  }
  void connected(ConnectionId id, std::uint32_t data, WallTime time) override { to_.connected(id, data, time); }
  void kept(const Imported& piece) override { to_.kept(piece); }
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) override {
    to_.stream_gap(id, way, bytes, time);
  }
  void message_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes,
                   WallTime time) override {
    to_.message_gap(id, way, messages, bytes, time);
  }
  void half_closed(ConnectionId id, const ImportedClose& end) override { to_.half_closed(id, end); }
  void connection_over(ConnectionId id) override { to_.connection_over(id); }
  void word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime time) override {
    to_.word(id, intent, fact, time);
  }
  void world(ConnectionId id, const trace::Snapshot& world, WallTime time) override { to_.world(id, world, time); }
  void geometry(const trace::Geometry& geometry, WallTime time) override { to_.geometry(geometry, time); }
  void remark(std::string_view text) override { to_.remark(text); }
  void note(const ImportedNote& note) override { to_.note(note); }
  void read_to(std::uint64_t bytes) override { to_.read_to(bytes); }
  bool wait_for_more() override { return to_.wait_for_more(); }
  bool enough() const override { return to_.enough(); }

 protected:
  ImportSink& to_;
};

}  // namespace entente
