// How threads wake each other, and hand jobs over.
#include <doctest/doctest.h>
#include <sys/prctl.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "proxy/net/job_thread.h"
#include "proxy/net/thread_share.h"
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

TEST_CASE(
    "a thread tends before its jobs, when it is woken, and then not before it is due; it ends with its last act") {
  std::string name;
  int tended = 0, at_most = 1;
  std::string log;
  {
    JobThread jobs(
        "a test", 100,
        [&] {
          ++tended;
          return JobThread::kLong;
        },
        [&] { log += 'e'; });
    for (int i = 0; i < 50; ++i) {
      std::promise<void> done;
      jobs.wake();
      REQUIRE(jobs.put(1, [&] { log += 'j', done.set_value(); }));
      done.get_future().wait();
      at_most += 2;
    }
    REQUIRE(jobs.put(1, [&] {
      char its[16] = "";
      ::prctl(PR_GET_NAME, its);
      name = its;
    }));
    ++at_most;
    jobs.stop();
    CHECK_FALSE(jobs.put(0, [&] { log += 'x'; }));
  }
  CHECK(log == std::string(50, 'j') + 'e');
  CHECK(tended >= 1);
  CHECK(tended <= at_most);  // once at first, and once for each wake-up and each job
  CHECK(name == "a test");
}

TEST_CASE("a thread that is woken tends again, although it has no job and is not due") {
  std::promise<void> first, second;
  int tended = 0;
  JobThread jobs(
      "test", 10,
      [&] {
        if (++tended <= 2) (tended == 1 ? first : second).set_value();
        return JobThread::kLong;
      },
      [] {});
  first.get_future().wait();
  jobs.wake();
  CHECK(second.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
}

TEST_CASE("a thread that others have started can be named") {
  std::string name;
  std::thread([&] {
    name_this_thread("renamed");
    char its[16] = "";
    ::prctl(PR_GET_NAME, its);
    name = its;
  }).join();
  CHECK(name == "renamed");
}

TEST_CASE("a waker that nobody wakes waits for its time, and one that was woken while it waited goes on") {
  Waker waker;
  CHECK_FALSE(waker.wait(1));
  bool woken = false;
  std::thread waits([&] { woken = waker.wait(-1); });
  waker.wake();
  waits.join();
  CHECK(woken);
}

}  // namespace
}  // namespace entente::net::threads_test
