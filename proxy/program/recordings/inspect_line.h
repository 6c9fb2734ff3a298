// One line of `inspect`: for people, or as a JSON object.
// Law: one item is one line and cannot control a terminal, whatever a peer sent.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "adapters/wire/codec.h"
#include "proxy/base/time.h"
#include "proxy/program/import/import.h"

namespace entente {

/// Connection and time of an item.
struct ItemContext {
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
  void message(const ItemContext& context, const wire::Row& row, wire::Codec& codec);
  /// Bytes that are not a message, and why; `fault` null: framing was lost before.
  void undecoded(const ItemContext& context, const Fault* fault);
  /// A word of a bridge: "intent" or "fact".
  void word(ConnectionId connection, WallTime since_start, const char* what, const google::protobuf::Message& word);
  /// A bridge's world, in numbers.
  void world(ConnectionId connection, WallTime since_start, const trace::Snapshot& world);
  /// An event of a connection.
  void event(ConnectionId connection, WallTime since_start, std::string_view text);

  /// Whether anything was printed.
  bool wrote() const { return wrote_; }

 private:
  void start(const ItemContext& context);
  void start(ConnectionId connection, WallTime since_start);
  void finish(const ItemContext& context);
  void json_head(const ItemContext& context);

  std::ostream& out_;
  bool hex_, json_;
  bool wrote_ = false;
  std::string line_;  // reused
};

}  // namespace entente
