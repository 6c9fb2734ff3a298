// An operator's order to move a player to another route, and its result, for the thread that waits for it.
// Invariant: the session's worker always answers it, at the latest when the session ends (mover.h). Only the first
// answer counts. Workers never wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "proxy/base/time.h"

namespace entente::relay {

struct MoveResult {
  enum class How : std::uint8_t {
    kMoved,
    kReferred,  ///< was told where to connect (`text`), and disconnected
    kStays,     ///< where it is; `text`: why
    kUnderWay,  ///< the log will say how it ends; `text`: what it waits for, or ""
    kNobody,    ///< there is no such session
  } how = How::kNobody;
  std::string text = {};
  Millis took = 0;  ///< from the order until the client was sent the other world
};

class MoveOrder {
 public:
  using How = MoveResult::How;

  /// `its_route`: as ProxyServer::add numbered it.
  explicit MoveOrder(std::size_t its_route) : route(its_route) {}

  void answer(MoveResult result) {
    const std::lock_guard lock(mutex_);
    if (result_) return;
    result_ = std::move(result);
    answered_.notify_all();
  }
  /// Sets the text of kUnderWay: what the move waits for.
  void set_waiting_for(std::string what) {
    const std::lock_guard lock(mutex_);
    waiting_for_ = std::move(what);
  }
  void answer_stays(std::string why) { answer({How::kStays, std::move(why)}); }

  /// Waits for the answer, for at most this time.
  MoveResult wait(Millis time) {
    std::unique_lock lock(mutex_);
    answered_.wait_for(lock, std::chrono::milliseconds(time), [this] { return result_.has_value(); });
    return result_.value_or(MoveResult{How::kUnderWay, waiting_for_});
  }

  const std::size_t route;

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  std::optional<MoveResult> result_;
  std::string waiting_for_;
};

}  // namespace entente::relay
