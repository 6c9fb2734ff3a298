// One line of `inspect`: for people, or as a JSON object.
// Invariant: one item is one line and cannot control a terminal, whatever a peer sent.
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

/// What happened to a connection: a text for people; for JSON its kind and members.
class EventText {
 public:
  EventText(const char* what, std::string told) : kind(what), text(std::move(told)) {}
  EventText& with(const char* name, std::string_view value);
  EventText& with(const char* name, const char* value) { return with(name, std::string_view(value)); }
  EventText& with(const char* name, bool value);
  EventText& with(const char* name, std::uint64_t value);
  EventText& with(const char* name, std::int64_t value);

  const char* kind;
  std::string text;
  std::string members;  // ,"name":value
};

struct LineStyle {
  bool hex = false, json = false, colours = false;
};

class LineWriter {
 public:
  LineWriter(std::ostream& out, const LineStyle& style)
      : out_(out), hex_(style.hex), json_(style.json), colours_(style.colours) {}

  /// The message that `codec` decoded by `row`.
  void message(const ItemContext& context, const wire::Row& row, wire::Codec& codec);
  /// Bytes that are not a message, and why; `fault` null: framing was lost before.
  void undecoded(const ItemContext& context, const Fault* fault);
  /// A word of a bridge: "intent" or "fact".
  void word(ConnectionId connection, WallTime since_start, const char* what, const google::protobuf::Message& word);
  /// A bridge's world, in numbers.
  void world(ConnectionId connection, WallTime since_start, const trace::Snapshot& world);
  /// An event of a connection.
  void event(ConnectionId connection, WallTime since_start, const EventText& event);

  /// Whether anything was printed.
  bool wrote() const { return wrote_; }

 private:
  enum class Colour { kTime, kToServer, kToClient, kEvent, kFault, kName };
  /// Appends `text` in this colour, if there are colours.
  void paint(Colour colour, std::string_view text);

  void start(const ItemContext& context);
  void start(ConnectionId connection, WallTime since_start);
  void finish(const ItemContext& context);
  void json_head(const ItemContext& context);

  std::ostream& out_;
  const bool hex_, json_, colours_;
  bool wrote_ = false;
  std::string line_;  // reused
  Buffer written_;    // the same
};

}  // namespace entente
