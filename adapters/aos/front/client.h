// The connection to the client: decodes what it sends, and encodes what it is sent.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/wire.h"
#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::aos {

using core::FrontOut;

/// Whether the room's server is an Ace of Spades server. Its facts are then passed on as they are.
inline bool same_game(const FrontOut& out) { return out.world().room().game() == kGameName; }

class Client {
 public:
  explicit Client(std::size_t dialect);

  const Dialect& dialect() const { return kDialects[dialect_]; }
  /// Whether movement is sent by State Update, in both directions.
  bool tells_states() const { return dialect().state_updates; }
  /// Whether clients of this dialect send packets with this id.
  bool says(std::uint8_t id) const { return clients_say(id, dialect_); }

  auto read(const wire::Frame& frame) { return codec_->read(frame); }

  void send(const Message& message, FrontOut& out, Lane lane = Lane::kStream);
  /// Sends a line of chat, in pieces that every client shows. `type`: kLineToAll, …
  void say_line(std::uint8_t from, std::uint8_t type, std::string_view text, FrontOut& out);
  /// Sends a line of the server.
  void notice(std::string_view text, FrontOut& out);
  /// Whether one of the last lines of the server contains this text.
  bool has_noticed(std::string_view text) const;
  /// Sends the last line before a disconnect, the reason, which BetterSpades shows.
  void send_reason(std::string_view why, FrontOut& out);

 private:
  std::size_t dialect_;
  std::unique_ptr<wire::MessageCodec<Message>> codec_;
  Buffer bytes_;
  std::array<std::string, 4> noticed_;  // the last lines of the server
  std::size_t next_noticed_ = 0;
};

}  // namespace entente::aos
