// Converts a session of a recorded file into a file of another program, in memory.
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "adapters/bzflag/rec/rec.h"
#include "proxy/program/conversion/convert_sink.h"

namespace entente {

class ForeignFormatExporter : public ConvertSink {
 public:
  /// It is given one session of `file`, which may be two connections. Remarks are printed to `err`. Both outlive it.
  ForeignFormatExporter(const RecordedFile& file, std::ostream& err) : ConvertSink(file), err_(err) {}

  /// Empty if the session cannot be converted; a remark says why.
  const Buffer& file() const { return file_; }
  const std::string& whose() const { return whose_; }

 protected:
  /// Sets the file, and the name of the connection that it was made of.
  void finish(const std::string& name, Buffer file);

  void side_closed(ConnectionId, const ImportedClose&) override {}
  void remark(std::string_view text) override;

 private:
  std::ostream& err_;
  Buffer file_;
  std::string whose_;
};

/// For bzfs (.rec).
class RecExporter final : public ForeignFormatExporter {
 public:
  using ForeignFormatExporter::ForeignFormatExporter;

 private:
  struct Session {
    std::string name;
    bzflag::RecExport made;
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
