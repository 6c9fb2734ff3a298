// Converts a connection of a recorded file into a file of another program, in memory: of those that can be converted,
// the one that began first. A remark says why any other is left out.
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "adapters/bzflag/rec/rec.h"
#include "proxy/program/recordings/convert_sink.h"

namespace entente {

class ForeignFormatExporter : public ConvertSink {
 public:
  /// Remarks are printed to `err`. `file` and `err` outlive it.
  ForeignFormatExporter(const RecordedFile& file, std::ostream& err) : ConvertSink(file), err_(err) {}

  /// Empty if no connection can be converted.
  const Buffer& file() const { return file_; }
  const std::string& whose() const { return whose_; }

 protected:
  /// A connection has begun. Returns its place among all.
  std::uint64_t begins() { return ++begun_; }
  /// Sets the file, and the name and the place of the connection that it was made of, unless there is one of an earlier
  /// connection.
  void finish(std::uint64_t place, const std::string& name, Buffer file);
  /// Whether there is the file of an earlier connection.
  bool is_late(std::uint64_t place) const { return place_ != 0 && place > place_; }

  void side_closed(ConnectionId, const ImportedClose&) override {}
  void remark(std::string_view text) override;

 private:
  std::ostream& err_;
  Buffer file_;
  std::string whose_;
  std::uint64_t place_ = 0, begun_ = 0;
};

/// For bzfs (.rec).
class RecExporter final : public ForeignFormatExporter {
 public:
  using ForeignFormatExporter::ForeignFormatExporter;

 private:
  struct Session {
    std::string name;
    bzflag::RecExport made;
    std::uint64_t place;
  };

  void begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
             WallTime time) override;
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override;
  void raw(ConnectionId, wire::Way, wire::Lane, Bytes, WallTime) override {}
  void connection_finished(ConnectionId id) override;

  std::map<ConnectionId, std::string> links_;  // whose session each belongs to
  std::map<std::string, Session> sessions_;
};

/// For aos_replay and ZeroSpades (.demo, .dem).
class DemoExporter final : public ForeignFormatExporter {
 public:
  using ForeignFormatExporter::ForeignFormatExporter;

 private:
  struct Session {
    std::string name;
    std::unique_ptr<wire::Codec> codec;
    WallTime start = 0;
    std::uint64_t place = 0;
    Buffer file = {};
    bool has_map = false, has_state = false;
    std::uint64_t by_client = 0;  // messages, which the file cannot hold
    std::uint64_t missing = 0;    // messages that are not in the recording
    std::uint64_t too_large = 0;  // messages
  };

  void begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
             WallTime time) override;
  void frame(ConnectionId id, const wire::Frame& frame, WallTime time) override;
  void raw(ConnectionId id, wire::Way way, wire::Lane lane, Bytes bytes, WallTime time) override;
  void frame_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes, WallTime time) override;
  void connection_finished(ConnectionId id) override;

  std::map<ConnectionId, Session> sessions_;
};

}  // namespace entente
