// Asks all workers of a ProxyServer whether they turn their loops, for a thread that is not a worker.
// Invariant: the caller waits no longer than it wants to. Workers never wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "proxy/base/time.h"

namespace entente::relay {

class LivenessCheck {
 public:
  /// One worker's answer: given when it is destroyed.
  class Answer {
   public:
    explicit Answer(std::shared_ptr<LivenessCheck> to) : to_(std::move(to)) {}
    Answer(Answer&&) noexcept = default;
    Answer& operator=(Answer&&) = delete;
    ~Answer() {
      if (to_ != nullptr) to_->take();
    }

   private:
    std::shared_ptr<LivenessCheck> to_;
  };

  explicit LivenessCheck(std::size_t workers) : missing_(workers) {}

  /// Whether all have answered in time.
  bool wait(Millis time) {
    std::unique_lock lock(mutex_);
    return all_.wait_for(lock, std::chrono::milliseconds(time), [this] { return missing_ == 0; });
  }

 private:
  void take() {
    const std::lock_guard lock(mutex_);
    if (--missing_ == 0) all_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable all_;
  std::size_t missing_;
};

}  // namespace entente::relay
