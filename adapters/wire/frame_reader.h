// Cuts what a peer sends into frames, for the end of its link. The incomplete end of a stream is kept. A message must
// end with a whole frame.
// Law: at most one frame is kept, never larger than the game's largest.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "adapters/wire/game.h"

namespace entente::wire {

class FrameReader {
 public:
  /// `way`: the direction in which the bytes travel.
  FrameReader(const Game& game, std::size_t dialect, Way way)
      : largest_(game.largest_from(way)),
        messages_(keeps_messages(game.transport())),
        stream_(game.cutter(way, dialect)),
        datagram_(game.datagram_cutter(way, dialect)) {}

  /// Calls `pass(const Frames&)` with the whole frames, unless there are none. After a fault on the stream, nothing
  /// more can be cut from it. A message that does not end with a whole frame is a fault, as is a datagram without a
  /// whole frame; nothing of either is passed.
  template <class Pass>
  std::optional<Fault> feed(Lane lane, Bytes bytes, Pass&& pass) {
    clear_keeping(marks_, kManyMarks);
    if (messages_) return feed_message(lane, bytes, pass);
    if (lane == Lane::kDatagram) return datagram_ ? feed_datagram(bytes, pass) : std::nullopt;
    return feed_stream(bytes, pass);
  }

 private:
  template <class Pass>
  std::optional<Fault> feed_message(Lane lane, Bytes message, Pass& pass) {
    Bytes left = message;
    const auto fault = cut_message(*stream_, left, [&](Stage stage, Bytes frame) { return mark(frame.size(), stage); });
    if (!fault) pass(Frames{lane, message, marks_});
    return fault;
  }

  template <class Pass>
  std::optional<Fault> feed_datagram(Bytes datagram, Pass& pass) {
    static constexpr Fault kShort{"datagram too short", "length"};
    std::size_t whole = 0;
    const auto fault = cut(*datagram_, datagram, whole);
    if (marks_.empty()) return fault ? fault : kShort;
    pass(Frames{Lane::kDatagram, datagram, marks_});
    return std::nullopt;
  }

  template <class Pass>
  std::optional<Fault> feed_stream(Bytes bytes, Pass& pass) {
    const bool goes_on = !kept_.empty();
    if (goes_on) {
      append(kept_, bytes);
      bytes = kept_;
    }
    std::size_t whole = 0;
    const auto fault = cut(*stream_, bytes, whole);
    if (whole != 0) pass(Frames{Lane::kStream, bytes.first(whole), marks_});
    if (fault) return fault;
    if (bytes.size() - whole > largest_) return Fault{"oversize frame", "length", 0};
    goes_on ? forget(whole) : kept_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
    return std::nullopt;
  }

  /// Removes bytes at the start of what is kept. Nothing is moved while a frame is incomplete.
  void forget(std::size_t bytes) {
    if (bytes == 0) return;
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(bytes));
    if (kept_.empty()) clear_keeping(kept_, kMuchRoom);
  }

  /// Marks the frames at the start of `bytes`. `whole`: their size.
  std::optional<Fault> cut(Cutter& cutter, Bytes bytes, std::size_t& whole) {
    while (whole < bytes.size()) {
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
  std::vector<FrameMark> marks_;  // of the current call
  Buffer kept_;                   // the beginning of a frame
};

}  // namespace entente::wire
