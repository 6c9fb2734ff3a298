// The link between a bridge's session and an arena in this process, which may live on another worker: frames in both
// directions, in memory.
// Law: each direction has one writer and one reader, on any threads. After a put() or close() that returned true, the
// writer makes the reader look, once.
#pragma once

#include <atomic>
#include <mutex>
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
    if (bytes_.empty()) {
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
  }
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }  ///< bytes
  /// Valid until the next change. REQUIRES: not empty.
  Frames frames() const { return {Lane::kStream, bytes_, marks_}; }

 private:
  Buffer bytes_;
  std::vector<FrameMark> marks_;
};

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
