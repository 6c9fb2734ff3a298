#include "proxy/net/thread_share.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace entente::net {
namespace {

constexpr std::uint64_t kShortTurn = 100'000;  // ns; the shortest that Linux accepts
constexpr std::uint64_t kNotInherited = 1;     // SCHED_FLAG_RESET_ON_FORK: by threads and programs that it starts

/// As sched_setattr(2) reads it. The C library of Debian 12 does not have it.
struct SchedulingAttributes {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

}  // namespace

void name_this_thread(const char* name) { (void)::prctl(PR_SET_NAME, name); }

void take_short_turns() {
  if (::sched_getscheduler(0) != SCHED_OTHER) return;  // whoever chose another policy has reasons
  SchedulingAttributes wanted{};
  wanted.size = sizeof wanted;
  wanted.policy = SCHED_OTHER;
  wanted.flags = kNotInherited;
  wanted.nice = ::getpriority(PRIO_PROCESS, 0);
  wanted.runtime = kShortTurn;
  (void)::syscall(SYS_sched_setattr, 0, &wanted, 0);
}

void give_way(int nice) {
  const sched_param none{};
  if (::sched_getscheduler(0) == SCHED_OTHER) (void)::sched_setscheduler(0, SCHED_BATCH, &none);
  (void)::setpriority(PRIO_PROCESS, 0, nice);
}

}  // namespace entente::net
