// What a person, or another program, may do to a replay while it plays: its pause button, from any thread.
// Law: an order is done on the replay's own thread, soon after the call; what became of it, status() says then.
#pragma once

#include <mutex>

#include "proxy/core/replay/replay.h"
#include "proxy/relay/server.h"

namespace entente {

class ReplayControl final : public core::Replay::Observer {
 public:
  /// `server` outlives it, and is stopped when the replay is over.
  explicit ReplayControl(relay::Server& server) : server_(server) {}

  /// The shared room that the replay is in. REQUIRES: once, before the server runs.
  void attend(std::size_t shared_room) { shared_room_ = shared_room; }

  // From any thread; nothing happens once it is over.
  void pause(bool on);
  /// Of the recording; beyond its ends is at them.
  void seek(core::Micros at);
  /// core::Replay::kSlowest to kFastest; what is beyond is at them.
  void set_speed(double speed);
  core::Replay::Status status() const;

  // By the replay, on its thread.
  void stands(const core::Replay::Status& status) override;

 private:
  template <class Order>
  void order(Order order);
  bool worth_saying(const core::Replay::Status& status) const;

  relay::Server& server_;
  std::size_t shared_room_ = 0;
  mutable std::mutex mutex_;  // of status_
  core::Replay::Status status_;

  // On the replay's thread only.
  core::Replay::Status said_;
  Millis said_at_ = 0;
};

}  // namespace entente
