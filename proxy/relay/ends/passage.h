// The link between a bridge's session and an arena in this process, which may live on another worker: frames in both
// directions, in memory.
// Invariant: each direction has one writer and one reader, on any threads. After a put() or close() that returned true,
// the writer makes the reader look, once.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/frames.h"

namespace entente::relay {

/// Frames of a stream that wait.
class WaitingFrames {
 public:
  void add(Bytes frame) {
    append(bytes_, frame);
    marks_.push_back({static_cast<std::uint32_t>(frame.size()), Stage::kPlay});
  }
  /// Moves those of `later` behind these.
  void take(WaitingFrames& later) {
    if (empty()) {
      std::swap(*this, later);
    } else {
      append(bytes_, later.bytes_);
      marks_.insert(marks_.end(), later.marks_.begin(), later.marks_.end());
    }
    later.clear();
  }
  void clear() {
    bytes_.clear();
    marks_.clear();
    at_ = next_ = 0;
  }
  bool empty() const { return next_ == marks_.size(); }
  std::size_t size() const { return bytes_.size() - at_; }  ///< bytes
  /// Takes the first `most` frames, or as many as there are. They are valid until the next clear(), which must come
  /// before an add() or take(). REQUIRES: not empty.
  Frames pop(std::size_t most) {
    const auto marks = std::span(marks_).subspan(next_, std::min(most, marks_.size() - next_));
    std::size_t size = 0;
    for (const FrameMark& one : marks) size += one.size;
    const Bytes frames = Bytes(bytes_).subspan(at_, size);
    at_ += size;
    next_ += marks.size();
    return {Lane::kStream, frames, marks};
  }

 private:
  Buffer bytes_;
  std::vector<FrameMark> marks_;
  std::size_t at_ = 0, next_ = 0;  // of those that pop() has not taken
};

/// How many frames of a passage are passed on at once. Then their reader looks whether its time is up.
inline constexpr std::size_t kFramesAtOnce = 16;

class PassageWay {
 public:
  /// Takes the frames out of `frames`. True: the writer must now make the reader look.
  bool put(WaitingFrames& frames) {
    const std::lock_guard lock(mutex_);
    if (closed_ || frames.empty()) return frames.clear(), false;
    frames_.take(frames);
    waiting_ = frames_.size();
    return !std::exchange(told_, true);
  }
  /// Nothing more will come. Only the first reason counts. Returns as put().
  bool close(std::string_view why) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return false;
    why_ = why;
    return !std::exchange(told_, true);
  }
  /// Moves everything into `into`, which must be empty. False: nothing more will come.
  bool take(WaitingFrames& into) {
    const std::lock_guard lock(mutex_);
    told_ = false;
    std::swap(into, frames_);
    waiting_ = 0;
    return !closed_;
  }
  std::size_t waiting() const { return waiting_; }  ///< bytes
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  WaitingFrames frames_;
  std::string why_;
  bool told_ = false, closed_ = false;
  std::atomic<std::size_t> waiting_{0};
};

struct Passage {
  PassageWay to_room, to_session;
  std::atomic<bool> entered{false};  ///< the player is in the arena
};

}  // namespace entente::relay
