// How `inspect` writes one thing that was said: as a line for a person, or as a JSON object for a program.
// Law: whatever a peer sent, one thing is one line, and it cannot write to a terminal.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "adapters/wire/codec.h"
#include "proxy/base/time.h"
#include "proxy/program/import/import.h"

namespace entente {

/// Where and when something was said.
struct Said {
  ConnectionId connection = 0;
  std::string_view name;  ///< of the connection
  WallTime since_start = 0;
  wire::Frame frame;
  std::optional<wire::EnetCarriage> enet = {};
};

class LineWriter {
 public:
  LineWriter(std::ostream& out, bool hex, bool json) : out_(out), hex_(hex), json_(json) {}

  /// The message that `codec` decoded by `row`.
  void message(const Said& said, const wire::Row& row, wire::Codec& codec);
  /// Bytes that are no message, and why; `fault` null = framing was lost before.
  void undecoded(const Said& said, const Fault* fault);
  /// A word of a bridge: "intent" or "fact".
  void word(ConnectionId connection, WallTime since_start, const char* what, const google::protobuf::Message& word);
  /// How a bridge's world stood, in numbers.
  void world(ConnectionId connection, WallTime since_start, const trace::Snapshot& world);
  /// Something that happened to a connection.
  void event(ConnectionId connection, WallTime since_start, std::string_view text);

  /// Whether there was anything.
  bool wrote() const { return wrote_; }

 private:
  void start(const Said& said);
  void start(ConnectionId connection, WallTime since_start);
  void finish(const Said& said);
  void json_head(const Said& said);

  std::ostream& out_;
  bool hex_, json_;
  bool wrote_ = false;
  std::string line_;  // reused
};

}  // namespace entente
