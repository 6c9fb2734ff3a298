// Something that a test does again and again, until what it waits for has come.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace entente::testing {

/// Calls `act` on a thread of its own at once and then ten times a second, as long as it lives. `act` and what it uses
/// outlive it.
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
