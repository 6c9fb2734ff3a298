// Whole frames as they arrived together: what the end of a link has cut, and a front or a back decodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "proxy/base/bytes.h"
#include "proxy/base/lane.h"

namespace entente {

/// The stage of a connection, where bytes alone do not tell what a frame is.
enum class Stage : std::uint8_t {
  kGreeting,  ///< before the common frame format starts (BZFlag's header and version)
  kPlay,      ///< the game's ordinary frames
};

struct FrameMark {
  std::uint32_t size = 0;  ///< bytes
  Stage stage = Stage::kPlay;
};

/// One or more whole frames of one lane. Owns nothing.
struct Frames {
  std::size_t count() const { return marks.empty() ? 1 : marks.size(); }

  /// Calls `take(Stage, Bytes)` for each frame, in order. It returns whether to continue.
  template <class Take>
  void each(Take&& take) const {
    if (marks.empty()) return void(take(Stage::kPlay, bytes));
    std::size_t at = 0;
    for (const FrameMark& mark : marks) {
      if (!take(mark.stage, bytes.subspan(at, mark.size))) return;
      at += mark.size;
    }
  }

  Lane lane = Lane::kStream;
  Bytes bytes;
  /// The frames at the start of `bytes`; of a datagram, bytes may follow the last one. Empty: `bytes` is one frame of
  /// Stage::kPlay.
  std::span<const FrameMark> marks{};
};

}  // namespace entente
