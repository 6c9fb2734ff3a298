// The client of a front: what it says, cut and decoded, and what is sent to it, in its dialect.
#pragma once

#include <memory>
#include <string_view>

#include "adapters/aos/aos.h"
#include "adapters/aos/dialect.h"
#include "adapters/aos/terms.h"
#include "adapters/aos/wire.h"
#include "adapters/wire/frame_reader.h"
#include "proxy/core/session.h"
#include "proxy/core/world.h"

namespace entente::aos {

using core::FrontOut;

/// Whether the server is one of this game: what it says is then told as it is.
inline bool same_game(const FrontOut& out) { return out.world().room().game() == "aos"; }

class Client {
 public:
  explicit Client(std::size_t dialect);

  const Dialect& dialect() const { return kDialects[dialect_]; }
  /// It tells of movement, and is told, by State Update.
  bool tells_states() const { return dialect().state_updates; }
  /// Whether such a client says packets of this id.
  bool says(std::uint8_t id) const { return clients_say(id, dialect_); }

  /// Calls `take(const wire::Frame&)`, which says whether to go on, for each frame.
  template <class Take>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Take&& take) {
    return reader_.feed(lane, bytes, take);
  }
  auto read(const wire::Frame& frame) { return speech_->read(frame); }

  void send(const Message& message, FrontOut& out, Lane lane = Lane::kStream);
  /// A line of chat, in pieces that every client shows. `type`: kLineToAll, …
  void say_line(std::uint8_t from, std::uint8_t type, std::string_view text, FrontOut& out);
  /// A line that nobody says.
  void notice(std::string_view text, FrontOut& out) { say_line(kNoticeId, kSystemLine, text, out); }
  /// The last line before a disconnect: its reason, which BetterSpades shows.
  void send_reason(std::string_view why, FrontOut& out);

 private:
  std::size_t dialect_;
  std::unique_ptr<wire::Speech<Message>> speech_;
  wire::FrameReader reader_;
  Buffer bytes_;
};

}  // namespace entente::aos
