// Cuts the bytes that a session receives into frames. The incomplete end of a stream is kept; a message must end with a
// whole frame.
// Law: at most one frame is kept, never larger than the game's largest.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "adapters/wire/game.h"

namespace entente::wire {

class FrameReader {
 public:
  /// `way`: the direction in which the bytes travel.
  FrameReader(const Game& game, std::size_t dialect, Way way)
      : way_(way),
        largest_(game.largest_from(way)),
        messages_(keeps_messages(game.transport())),
        stream_(game.cutter(way, dialect)),
        datagram_(game.datagram_cutter(way, dialect)) {}

  /// Calls `take(const Frame&)`, which returns whether to continue, for each whole frame. After a fault, nothing
  /// more can be cut from that lane.
  template <class Take>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Take&& take) {
    if (messages_) return feed_message(lane, bytes, take);
    if (lane == Lane::kDatagram) return datagram_ ? feed_all(*datagram_, lane, bytes, take) : std::nullopt;
    if (kept_.empty()) return feed_stream(bytes, take);
    append(kept_, bytes);
    whole_.swap(kept_);
    kept_.clear();
    return feed_stream(whole_, take);
  }

 private:
  template <class Take>
  std::optional<Fault> feed_message(Lane lane, Bytes bytes, Take& take) {
    return cut_message(*stream_, bytes, [&](Stage stage, Bytes frame) {
      return take(Frame{way_, lane, stage, frame});
    });
  }

  /// Cuts the frames at the start of `bytes`; the rest stays in `bytes`.
  template <class Take>
  std::optional<Fault> feed_all(Cutter& cutter, Lane lane, Bytes& bytes, Take& take) {
    while (!bytes.empty()) {
      const Cut cut = cutter.next(bytes);
      if (cut.fault) return cut.fault;
      if (cut.size == 0) break;
      const Frame frame = {way_, lane, cut.stage, bytes.first(cut.size)};
      bytes = bytes.subspan(cut.size);
      if (!take(frame)) {
        bytes = {};
        break;
      }
    }
    return std::nullopt;
  }

  template <class Take>
  std::optional<Fault> feed_stream(Bytes bytes, Take& take) {
    if (auto fault = feed_all(*stream_, Lane::kStream, bytes, take)) return fault;
    if (bytes.size() > largest_) return Fault{"oversize frame", "length", 0};
    kept_.assign(bytes.begin(), bytes.end());
    return std::nullopt;
  }

  Way way_;
  std::size_t largest_;
  bool messages_;
  std::unique_ptr<Cutter> stream_, datagram_;
  Buffer kept_;   // the beginning of a frame
  Buffer whole_;  // the kept beginning and the bytes that followed, while they are cut
};

}  // namespace entente::wire
