// Controls a replay from any thread: pause, seek, speed.
// Invariant: an order is carried out on the replay's own thread, soon after the call; status() then shows the result.
#pragma once

#include <mutex>

#include "proxy/core/replay/replay.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

class ReplayControl final : public core::Replay::Observer {
 public:
  /// `server` outlives it, and is stopped when the replay is over.
  explicit ReplayControl(relay::ProxyServer& server) : server_(server) {}

  /// The shared room of the replay. REQUIRES: called once, before the server runs.
  void attend(std::size_t shared_room) { shared_room_ = shared_room; }

  // From any thread; does nothing once the replay is over.
  void pause(bool on);
  /// A time of the recording, clamped to its ends.
  void seek(core::Micros at);
  /// Clamped to core::Replay::kSlowest and kFastest.
  void set_speed(double speed);
  core::Replay::Status status() const;

  // Called by the replay, on its thread.
  void status_changed(const core::Replay::Status& status) override;

 private:
  template <class Order>
  void order(Order order);
  bool worth_saying(const core::Replay::Status& status) const;

  relay::ProxyServer& server_;
  std::size_t shared_room_ = 0;
  mutable std::mutex mutex_;  // of status_
  core::Replay::Status status_;

  // On the replay's thread only.
  core::Replay::Status said_;
  Millis said_at_ = 0;
};

}  // namespace entente
