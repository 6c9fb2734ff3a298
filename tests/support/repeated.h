// An action that a test repeats until it has the effect that the test waits for.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace entente::testing {

/// Calls `act` on another thread, at once and then about ten times a second, until it is destroyed. What `act` uses
/// must outlive it.
class Repeated {
 public:
  explicit Repeated(std::function<void()> act)
      : thread_([act = std::move(act)](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            act();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace entente::testing
