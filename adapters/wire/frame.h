// A frame: the bytes of one message of one game as they travelled, and how a byte stream is cut into frames.
// Law: cutting looks only at what framing needs; it decodes nothing, allocates nothing, and never looks past one frame.
#pragma once

#include <cstdint>
#include <optional>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/lane.h"

namespace entente::wire {

/// Who sent it. The values are bits, so that a set of ways is their sum.
enum class Way : std::uint8_t { kToServer = 1, kToClient = 2 };

using entente::Lane;

/// Where in a connection's life a frame stands, when its bytes alone do not tell what it is.
enum class Stage : std::uint8_t {
  kGreeting,  ///< before the common frame format starts (BZFlag's header and version)
  kPlay,      ///< the game's ordinary frames
};

using entente::text;
inline const char* text(Way way) { return way == Way::kToServer ? "c2s" : "s2c"; }

/// One message as it travelled, envelope (length, code, opcode) included. Owns nothing.
struct Frame {
  Way way = Way::kToServer;
  Lane lane = Lane::kStream;
  Stage stage = Stage::kPlay;
  Bytes bytes;
};

/// What a Cutter found at the start of the bytes it was given.
struct Cut {
  std::size_t size = 0;        ///< bytes of the first frame; 0 = it is not all there yet (or a fault)
  Stage stage = Stage::kPlay;  ///< stage of that frame
  std::optional<Fault> fault;  ///< framing is lost: no later byte of this stream can be understood
};

/// Cuts one direction of one connection's stream. Stateful only where framing is (a greeting comes once).
class Cutter {
 public:
  virtual ~Cutter() = default;

  /// Looks for one frame at the start of `bytes` (all bytes not yet cut, oldest first). When `size` is not 0 the caller
  /// takes that many bytes and calls again with what follows; the cutter then counts that frame as taken.
  /// Where the transport keeps messages apart (keeps_messages in game.h), `bytes` is one whole message, perhaps empty,
  /// or what follows the frames that it began with: see cut_message.
  virtual Cut next(Bytes bytes) = 0;

  /// Some frames were taken elsewhere, and with them the greeting, if there is one.
  virtual void skip_greeting() {}
};

/// Cuts one whole message into its frames: `take(stage, bytes)` hears each and says whether to go on. An empty message
/// is one empty frame. A fault tells that what is then left in `message` is no whole frame.
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

/// For a transport that keeps message borders (WebSocket, ENet): what it is given is one whole frame.
class WholeFrames final : public Cutter {
 public:
  Cut next(Bytes bytes) override { return {bytes.size(), Stage::kPlay, {}}; }
};

}  // namespace entente::wire
