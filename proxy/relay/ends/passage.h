// The link between a bridge's session and an arena in this process, which may live on another worker: bytes in both
// directions, in memory.
// Law: each direction has one writer and one reader, on any threads. After a put() or close() that returned true, the
// writer makes the reader look, once.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "proxy/base/bytes.h"

namespace entente::relay {

class PassageWay {
 public:
  /// Takes the bytes out of `bytes`. True: the writer must now make the reader look.
  bool put(Buffer& bytes) {
    const std::lock_guard lock(mutex_);
    if (closed_ || bytes.empty()) return bytes.clear(), false;
    if (bytes_.empty())
      bytes_.swap(bytes);
    else
      append(bytes_, bytes);
    bytes.clear();
    waiting_ = bytes_.size();
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
  bool take(Buffer& into) {
    const std::lock_guard lock(mutex_);
    told_ = false;
    into.swap(bytes_);
    waiting_ = 0;
    return !closed_;
  }
  std::size_t waiting() const { return waiting_; }
  std::string why() const {
    const std::lock_guard lock(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  Buffer bytes_;
  std::string why_;
  bool told_ = false, closed_ = false;
  std::atomic<std::size_t> waiting_{0};
};

struct Passage {
  PassageWay to_room, to_session;
  std::atomic<bool> entered{false};  ///< the player is in the arena
};

}  // namespace entente::relay
