// A frame: the bytes of one message of a game as it travelled; and how a byte stream is cut into frames.
// Invariant: cutting looks only at what framing needs. It decodes nothing, allocates nothing, and never looks past one
// frame.
#pragma once

#include <cstdint>
#include <optional>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/frames.h"
#include "proxy/base/lane.h"

namespace entente::wire {

/// The direction. The values are bits, so that a set of ways is their sum.
enum class Way : std::uint8_t { kToServer = 1, kToClient = 2 };

using entente::Frames;
using entente::Lane;
using entente::Stage;

using entente::text;
inline const char* text(Way way) { return way == Way::kToServer ? "c2s" : "s2c"; }
inline Way opposite(Way way) { return way == Way::kToServer ? Way::kToClient : Way::kToServer; }

/// One message as it travelled, with its envelope (length, code, opcode). Owns nothing.
struct Frame {
  Way way = Way::kToServer;
  Lane lane = Lane::kStream;
  Stage stage = Stage::kPlay;
  Bytes bytes;
};

/// Calls `take(const Frame&)` for each of the frames, which travelled in the direction `way`. It returns whether to
/// continue.
template <class Take>
void each_frame(const Frames& frames, Way way, Take&& take) {
  frames.each([&](Stage stage, Bytes bytes) { return take(Frame{way, frames.lane, stage, bytes}); });
}

/// What a Cutter found at the start of its bytes.
struct Cut {
  std::size_t size = 0;        ///< bytes of the first frame; 0 = incomplete (or a fault)
  Stage stage = Stage::kPlay;  ///< stage of that frame
  std::optional<Fault> fault;  ///< framing is lost, and nothing later in this stream can be read
};

/// Cuts one direction of a connection's stream. Has state only where framing has (a greeting comes once).
class Cutter {
 public:
  virtual ~Cutter() = default;

  /// Looks for one frame at the start of `bytes` (all bytes not yet cut, oldest first). If `size` is not 0, the
  /// caller removes that many bytes and calls again with the rest; the frame counts as taken. On a transport that
  /// keeps messages apart (keeps_messages in game.h), `bytes` is one whole message, possibly empty, or the rest of
  /// one: see cut_message.
  virtual Cut next(Bytes bytes) = 0;

  /// Tells the cutter that frames were cut elsewhere, including the greeting, if the game has one.
  virtual void skip_greeting() {}
};

/// Cuts one whole message into frames: `take(stage, bytes)` gets each and returns whether to continue. An empty
/// message is one empty frame. After a fault, the rest in `message` is not a whole frame.
template <class Take>
std::optional<Fault> cut_message(Cutter& cutter, Bytes& message, Take&& take) {
  static constexpr Fault kShort{"message too short", "length"};
  bool more = true;
  do {
    const Cut cut = cutter.next(message);
    if (cut.fault) return cut.fault;
    if (cut.size == 0 && !message.empty()) return kShort;
    const Bytes frame = message.first(cut.size);
    message = message.subspan(cut.size);
    more = take(cut.stage, frame);
  } while (more && !message.empty());
  return std::nullopt;
}

/// For transports that keep messages apart (WebSocket, ENet): each message is one whole frame.
class WholeFrames final : public Cutter {
 public:
  Cut next(Bytes bytes) override { return {bytes.size(), Stage::kPlay, {}}; }
};

}  // namespace entente::wire
