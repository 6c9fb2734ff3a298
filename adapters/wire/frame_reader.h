// Cuts what a peer sends into frames, for the end of its link. The incomplete end of a stream is kept. A message must
// end with a whole frame. The frames are passed on a few at a time, and the reader may stop in between: then it keeps
// the rest until it goes on.
//
//   FrameReader reader(game, dialect, Way::kToServer);
//   auto fault = reader.feed(Lane::kStream, bytes, [&](const Frames& frames) { room.received(seat, frames, now); });
//   if (fault) close(*fault);
//
// Invariant: it keeps at most what one call of feed() brought, and the incomplete frame before it. That frame is never
// larger than the game's largest.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adapters/wire/game.h"

namespace entente::wire {

/// Of one link. Not thread-safe. Frames refer to the bytes that were fed, or to what is kept: they are valid only
/// during the call of `pass`.
class FrameReader {
 public:
  /// How many frames are passed on at once, if the reader may stop.
  static constexpr std::size_t kAtOnce = 16;

  /// `way`: the direction in which the bytes travel.
  FrameReader(const Game& game, std::size_t dialect, Way way)
      : largest_(game.largest_from(way)),
        messages_(keeps_messages(game.transport())),
        stream_(game.cutter(way, dialect)),
        datagram_(game.datagram_cutter(way, dialect)) {}

  /// Calls `pass(const Frames&)` with the whole frames, unless there are none. After a fault on the stream, nothing
  /// more can be cut from it. A message that does not end with a whole frame is a fault, as is a datagram without a
  /// whole frame; nothing of either is passed. REQUIRES: not behind(), unless it is a datagram beside a stream.
  template <class Pass>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Pass&& pass) {
    return read(
        lane, bytes, pass, [] { return true; }, SIZE_MAX);
  }
  /// The same, at most kAtOnce frames at a time. In between, stops if `more()` is false: then it is behind(). A
  /// datagram is passed whole.
  template <class Pass, class More>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Pass&& pass, const More& more) {
    return read(lane, bytes, pass, more, kAtOnce);
  }

  /// Whether it has stopped before all was passed on.
  bool behind() const { return behind_; }
  /// Goes on where it stopped. REQUIRES: behind().
  template <class Pass, class More>
  std::optional<Fault> go_on(Pass&& pass, const More& more) {
    behind_ = false;
    return messages_ ? pass_message(kept_, pass, more, kAtOnce) : pass_stream(kept_, pass, more, kAtOnce);
  }
  /// Forgets what it has stopped before.
  void drop() {
    behind_ = false;
    at_ = next_ = 0;
    free_memory(kept_);
  }

 private:
  template <class Pass, class More>
  std::optional<Fault> read(Lane lane, Bytes bytes, Pass& pass, const More& more, std::size_t at_once) {
    assert(!behind_ || (!messages_ && lane == Lane::kDatagram));
    if (messages_) return feed_message(lane, bytes, pass, more, at_once);
    if (lane == Lane::kDatagram) return datagram_ ? feed_datagram(bytes, pass) : std::nullopt;
    if (kept_.empty()) return pass_stream(bytes, pass, more, at_once);
    append(kept_, bytes);
    return pass_stream(kept_, pass, more, at_once);
  }

  template <class Pass, class More>
  std::optional<Fault> feed_message(Lane lane, Bytes message, Pass& pass, const More& more, std::size_t at_once) {
    clear_keeping(marks_, kManyMarks);
    Bytes left = message;
    lane_ = lane;
    const auto fault = cut_message(*stream_, left, [&](Stage stage, Bytes frame) { return mark(frame.size(), stage); });
    return fault ? fault : pass_message(message, pass, more, at_once);
  }

  /// Passes on the marked frames of a message.
  template <class Pass, class More>
  std::optional<Fault> pass_message(Bytes message, Pass& pass, const More& more, std::size_t at_once) {
    do {
      const std::size_t count = std::min(at_once, marks_.size() - next_);
      const auto marks = std::span(marks_).subspan(next_, count);
      std::size_t size = 0;
      for (const FrameMark& one : marks) size += one.size;
      const Bytes frames = message.subspan(at_, size);
      at_ += size;
      next_ += count;
      pass(Frames{lane_, frames, marks});
      behind_ = next_ < marks_.size() && !more();
    } while (next_ < marks_.size() && !behind_);
    if (behind_) return keep(message), std::nullopt;
    at_ = next_ = 0;
    if (!kept_.empty()) clear_keeping(kept_, kMuchRoom);
    return std::nullopt;
  }

  template <class Pass>
  std::optional<Fault> feed_datagram(Bytes datagram, Pass& pass) {
    static constexpr Fault kShort{"datagram too short", "length"};
    clear_keeping(marks_, kManyMarks);
    std::size_t whole = 0;
    const auto fault = cut(*datagram_, datagram, whole, SIZE_MAX);
    if (marks_.empty()) return fault ? fault : kShort;
    pass(Frames{Lane::kDatagram, datagram, marks_});
    return std::nullopt;
  }

  template <class Pass, class More>
  std::optional<Fault> pass_stream(Bytes bytes, Pass& pass, const More& more, std::size_t at_once) {
    for (;;) {
      clear_keeping(marks_, kManyMarks);
      std::size_t whole = at_;
      const auto fault = cut(*stream_, bytes, whole, at_once);
      const Bytes frames = bytes.subspan(at_, whole - at_);
      at_ = whole;
      const bool all = marks_.size() < at_once || at_ == bytes.size();
      if (!frames.empty()) pass(Frames{Lane::kStream, frames, marks_});
      if (fault) return drop(), fault;
      if (all) break;
      behind_ = !more();
      if (behind_) return keep(bytes), std::nullopt;
    }
    const Bytes rest = bytes.subspan(at_);
    if (rest.size() > largest_) return Fault{"oversize frame", "length", 0};
    kept_.empty() ? kept_.assign(rest.begin(), rest.end()) : forget(at_);
    at_ = 0;
    return std::nullopt;
  }

  /// Keeps what was not passed on of `bytes`, which are kept already, or not at all.
  void keep(Bytes bytes) {
    if (kept_.empty()) {
      const Bytes rest = bytes.subspan(std::exchange(at_, 0));
      kept_.assign(rest.begin(), rest.end());
    } else {
      forget(std::exchange(at_, 0));
    }
  }

  /// Removes bytes at the start of what is kept. Nothing is moved while a frame is incomplete.
  void forget(std::size_t bytes) {
    if (bytes == 0) return;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(bytes));
    if (kept_.empty()) clear_keeping(kept_, kMuchRoom);
  }

  /// Marks at most `most` frames of `bytes`, from `whole` on. `whole`: where they end.
  std::optional<Fault> cut(Cutter& cutter, Bytes bytes, std::size_t& whole, std::size_t most) {
    while (whole < bytes.size() && marks_.size() < most) {
      const Cut cut = cutter.next(bytes.subspan(whole));
      if (cut.fault) return cut.fault;
      if (cut.size == 0) break;
      mark(cut.size, cut.stage);
      whole += cut.size;
    }
    return std::nullopt;
  }

  bool mark(std::size_t size, Stage stage) {
    marks_.push_back({static_cast<std::uint32_t>(size), stage});
    return true;
  }

  // If there is room for more, the memory is freed.
  static constexpr std::size_t kManyMarks = 2048, kMuchRoom = 64 * 1024;

  std::size_t largest_;
  bool messages_;
  std::unique_ptr<Cutter> stream_, datagram_;
  std::vector<FrameMark> marks_;  // of the frames that are being passed; of a message, of all
  Lane lane_ = Lane::kStream;     // of the message
  std::size_t next_ = 0;          // of the marks of the message
  std::size_t at_ = 0;            // where that frame begins
  Buffer kept_;                   // the beginning of a frame, or what it has stopped before
  bool behind_ = false;
};

}  // namespace entente::wire
