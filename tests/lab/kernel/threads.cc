// Threads, locks, condition variables and futures of simulated threads.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <map>
#include <string_view>

#include "tests/lab/kernel/kernel.h"
#include "tests/lab/kernel/memory.h"
#include "tests/lab/kernel/real.h"

namespace {

using namespace entente::lab;

/// Simulated threads have numbers from here on as their pthread_t.
constexpr pthread_t kFirstThread = 1'000;
bool is_simulated(pthread_t id) {
  return Kernel::current() != nullptr && id >= kFirstThread && id < kFirstThread + 10'000;
}

/// False: another thread has it.
bool try_take(const void* lock) {
  const Aside aside;
  return kernel().locked.try_emplace(lock, kernel().this_thread()).second;
}

/// A thread that takes a lock twice would wait for itself for ever. None of our mutexes is recursive.
void take(const void* lock) {
  while (!try_take(lock)) {
    if (kernel().locked.at(lock) == kernel().this_thread()) {
      std::fputs("a thread locks a mutex that it has already\n", stderr);
      std::abort();
    }
    kernel().wait([&] { return !kernel().locked.contains(lock); });
  }
}

/// False: nobody on a simulated thread has it.
bool give_back(const void* lock) { return kernel().locked.erase(lock) != 0; }

int wait_for(pthread_cond_t* condition, pthread_mutex_t* mutex, Nanos until) {
  const Aside aside;
  auto waiter = std::make_shared<Kernel::Waiter>();
  kernel().waiters[condition].push_back(waiter);
  give_back(mutex);
  const bool woken = kernel().wait([&] { return waiter->woken; }, until);
  if (!woken) std::erase(kernel().waiters[condition], waiter);
  take(mutex);
  return woken ? 0 : ETIMEDOUT;
}

Nanos nanos_of(const timespec& time, bool wall) {
  const Nanos at = static_cast<Nanos>(time.tv_sec) * 1'000'000'000 + static_cast<Nanos>(time.tv_nsec);
  return wall ? at - (kernel().wall() - kernel().now()) : at;
}

/// spdlog's thread is woken for each message. Some versions look for one every ten seconds, too.
bool is_of_spdlog(const void* caller) {
  static auto& known = *new std::map<const void*, bool>;
  const Aside aside;
  const auto [at, anew] = known.try_emplace(caller);
  Dl_info its{};
  if (anew && ::dladdr(caller, &its) != 0)
    at->second = std::string_view(its.dli_fname).find("libspdlog") != std::string_view::npos;
  return at->second;
}

void wake(pthread_cond_t* condition, bool all) {
  const Aside aside;
  auto& waiters = kernel().waiters[condition];
  while (!waiters.empty()) {
    waiters.front()->woken = true;
    waiters.pop_front();
    if (!all) return;
  }
}

/// A lock for one writer (-1) or many readers.
bool try_share(const void* lock, bool writes) {
  const Aside aside;
  int& now = kernel().shared[lock];
  if (now < 0 || (writes && now != 0)) return false;
  now = writes ? -1 : now + 1;
  return true;
}

void share(const void* lock, bool writes) {
  while (!try_share(lock, writes)) kernel().wait([&] { return !kernel().shared.contains(lock); });
}

/// False: nobody on a simulated thread has it.
bool give_back_shared(const void* lock) {
  const auto at = kernel().shared.find(lock);
  if (at == kernel().shared.end() || at->second == 0) return false;
  at->second = std::max(at->second, 0) - (at->second > 0 ? 1 : 0);
  if (at->second == 0) kernel().shared.erase(at);
  return true;
}

}  // namespace

extern "C" {

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_rwlock_rdlock, lock);
  return share(lock, false), 0;
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_rwlock_wrlock, lock);
  return share(lock, true), 0;
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_rwlock_tryrdlock, lock);
  return try_share(lock, false) ? 0 : EBUSY;
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_rwlock_trywrlock, lock);
  return try_share(lock, true) ? 0 : EBUSY;
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  if (Kernel::current() == nullptr || !give_back_shared(lock)) return ENTENTE_LAB_REAL(pthread_rwlock_unlock, lock);
  return 0;
}

int pthread_create(pthread_t* id, const pthread_attr_t* how, void* (*enter)(void*), void* with) {
  if (Kernel::current() == nullptr) return entente::lab::real::pthread_create(id, how, enter, with);
  *id = kFirstThread + kernel().start([enter, with] { enter(with); });
  return 0;
}

int pthread_join(pthread_t id, void** result) {
  if (!is_simulated(id)) return ENTENTE_LAB_REAL(pthread_join, id, result);
  kernel().wait([&] { return kernel().has_ended(id - kFirstThread); });
  kernel().finish(id - kFirstThread);
  return 0;
}

int pthread_detach(pthread_t id) noexcept { return is_simulated(id) ? 0 : ENTENTE_LAB_REAL(pthread_detach, id); }

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_mutex_lock, mutex);
  take(mutex);
  return 0;
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_mutex_trylock, mutex);
  return try_take(mutex) ? 0 : EBUSY;
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  if (Kernel::current() == nullptr || !give_back(mutex)) return ENTENTE_LAB_REAL(pthread_mutex_unlock, mutex);
  return 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_cond_wait, condition, mutex);
  return wait_for(condition, mutex, kNever);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_cond_timedwait, condition, mutex, until);
  return wait_for(condition, mutex, nanos_of(*until, true));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_cond_clockwait, condition, mutex, clock, until);
  const bool idles = is_of_spdlog(__builtin_return_address(0));
  return wait_for(condition, mutex, idles ? kNever : nanos_of(*until, clock == CLOCK_REALTIME));
}

int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_cond_signal, condition);
  wake(condition, false);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(pthread_cond_broadcast, condition);
  wake(condition, true);
  return 0;
}

}  // extern "C"

// What std::future waits with. Outside of a simulation, nothing in the lab waits for one.
namespace {

bool wait_while(const unsigned* at, unsigned value, Nanos until) {
  return kernel().wait([=] { return __atomic_load_n(at, __ATOMIC_ACQUIRE) != value; }, until);
}

Nanos nanos_of(std::chrono::seconds s, std::chrono::nanoseconds ns) {
  return static_cast<Nanos>(std::chrono::nanoseconds(s + ns).count());
}

}  // namespace

bool std::__atomic_futex_unsigned_base::_M_futex_wait_until(unsigned* at, unsigned value, bool timed, chrono::seconds s,
                                                            chrono::nanoseconds ns) {
  return wait_while(at, value, timed ? nanos_of(s, ns) - (kernel().wall() - kernel().now()) : kNever);
}

bool std::__atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned* at, unsigned value, bool timed,
                                                                   chrono::seconds s, chrono::nanoseconds ns) {
  return wait_while(at, value, timed ? nanos_of(s, ns) : kNever);
}
