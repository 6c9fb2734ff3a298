// What the kernel knows of a thread that asks for short turns, or gives way.
#include "proxy/net/thread_share.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

namespace entente::net::thread_share_test {
namespace {

struct Attributes {
  std::uint32_t size = sizeof(Attributes), policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};

/// Of a thread that has called `function`.
template <class Function>
Attributes after(Function function) {
  Attributes found;
  std::thread([&] {
    function();
    REQUIRE(::syscall(SYS_sched_getattr, 0, &found, sizeof found, 0) == 0);
  }).join();
  return found;
}

TEST_CASE("a thread takes short turns, or gives way, and neither changes other threads") {
  const Attributes before = after([] {});
  const Attributes brief = after([] { take_short_turns(); });
  CHECK(brief.policy == SCHED_OTHER);
  CHECK(brief.nice == before.nice);
  if (before.runtime != 0) CHECK(brief.runtime == 100'000);  // before Linux 6.12, a turn has no length of its own
  Attributes child;
  (void)after([&] {
    take_short_turns();
    child = after([] {});
  });
  CHECK(child.runtime == before.runtime);
  const Attributes late = after([] { give_way(5); });
  CHECK(late.policy == SCHED_BATCH);
  CHECK(late.nice == 5);
  CHECK(after([] {}).policy == before.policy);
  CHECK(::getpriority(PRIO_PROCESS, 0) == before.nice);
}

}  // namespace
}  // namespace entente::net::thread_share_test
