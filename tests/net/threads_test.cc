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

TEST_CASE("a thread that is stopped first does the jobs that wait") {
  std::promise<void> began, go_on;
  int put = 0, done = 0;
  JobThread jobs("test", 10, nullptr, [] {});
  REQUIRE(jobs.put(0, [&] { began.set_value(), go_on.get_future().wait(); }));
  began.get_future().wait();
  for (; put < 3; ++put) REQUIRE(jobs.put(1, [&] { ++done; }));
  std::thread stops([&] { jobs.stop(); });
  for (; jobs.put(0, [&] { ++done; }); ++put) std::this_thread::yield();  // until it stops
  go_on.set_value();
  stops.join();
  CHECK(done == put);
}

}  // namespace
}  // namespace entente::net::threads_test
