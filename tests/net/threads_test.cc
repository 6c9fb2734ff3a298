// How threads wake each other, and hand jobs over.
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <thread>

#include "proxy/net/job_thread.h"
#include "proxy/net/waker.h"

namespace entente::net::threads_test {
namespace {

using Clock = std::chrono::steady_clock;

TEST_CASE("each wake-up ends the wait that comes next, however many there were before") {
  Waker waker;
  constexpr int kLong = 20'000;
  const auto began = Clock::now();
  for (int i = 0; i < 2; ++i) {
    waker.wake();
    waker.wake();
    CHECK(waker.wait(kLong));
  }
  CHECK(Clock::now() - began < std::chrono::milliseconds(kLong));
  CHECK_FALSE(waker.wait(0));  // nothing is left of them
}

TEST_CASE("as many bytes of jobs wait as are allowed, and jobs that are done make room for others") {
  std::promise<void> go_on;
  JobThread jobs("test", 10, nullptr, [] {});
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  REQUIRE(jobs.put(10, [&] { go_on.get_future().wait(); }));
  CHECK_FALSE(jobs.put(1, [] {}));
  go_on.set_value();
  bool taken = false;
  while (!taken && Clock::now() < deadline) {
    taken = jobs.put(10, [] {});
    std::this_thread::yield();
  }
  CHECK(taken);
}

}  // namespace
}  // namespace entente::net::threads_test
