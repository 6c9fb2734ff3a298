// What processes of a simulation ask of the system beside threads, files and the network: signals, semaphores, other
// processes, and the log's registry, of which each has its own.
#include <sched.h>
#include <semaphore.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "tests/lab/kernel/memory.h"
#include "tests/lab/kernel/process.h"
#include "tests/lab/kernel/real.h"

namespace {

using namespace entente::lab;

int failed(int error) {
  errno = error;
  return -1;
}

bool is_of_process() { return Kernel::current() != nullptr && kernel().processes().has(kernel().program()); }

/// Null: it is real.
std::uint64_t* count_of(sem_t* semaphore) {
  if (Kernel::current() == nullptr) return nullptr;
  const auto found = kernel().semaphores.find({kernel().program(), semaphore});
  return found != kernel().semaphores.end() ? &found->second : nullptr;
}

Nanos nanos_of(const timespec& time) {
  return static_cast<Nanos>(time.tv_sec) * 1'000'000'000 + static_cast<Nanos>(time.tv_nsec);
}

int take(sem_t* semaphore, Nanos until) {
  const auto posted = [semaphore] {
    const std::uint64_t* const count = count_of(semaphore);
    return count != nullptr && *count != 0;
  };
  const std::size_t program = kernel().program();
  const auto ready = [program, semaphore] {
    const auto found = kernel().semaphores.find({program, semaphore});
    return found == kernel().semaphores.end() || found->second != 0;
  };
  while (!posted())
    if (!kernel().wait(ready, until)) return failed(ETIMEDOUT);
  --*count_of(semaphore);
  return 0;
}

}  // namespace

extern "C" {

// -- What differs from machine to machine -----------------------------------------------------------------------------

int getrusage(int whose, rusage* used) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(getrusage, whose, used);
  *used = {};
  return 0;
}

/// std::thread::hardware_concurrency() asks for it.
int get_nprocs() noexcept { return Kernel::current() == nullptr ? ENTENTE_LAB_REAL(get_nprocs) : 2; }

/// The metrics ask for it.
int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* usable) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(sched_getaffinity, process, size, usable);
  std::memset(usable, 0, size);
  CPU_SET_S(0, size, usable);
  CPU_SET_S(1, size, usable);
  return 0;
}

// -- Semaphores -------------------------------------------------------------------------------------------------------

int sem_init(sem_t* semaphore, int shared, unsigned count) noexcept {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(sem_init, semaphore, shared, count);
  const Aside aside;
  kernel().semaphores[{kernel().program(), semaphore}] = count;
  return 0;
}

int sem_destroy(sem_t* semaphore) noexcept {
  if (count_of(semaphore) == nullptr) return ENTENTE_LAB_REAL(sem_destroy, semaphore);
  const Aside aside;
  kernel().semaphores.erase({kernel().program(), semaphore});
  return 0;
}

int sem_post(sem_t* semaphore) noexcept {
  std::uint64_t* const count = count_of(semaphore);
  if (count == nullptr) return ENTENTE_LAB_REAL(sem_post, semaphore);
  ++*count;
  return 0;
}

int sem_wait(sem_t* semaphore) {
  if (count_of(semaphore) == nullptr) return ENTENTE_LAB_REAL(sem_wait, semaphore);
  return take(semaphore, kNever);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (count_of(semaphore) == nullptr) return ENTENTE_LAB_REAL(sem_clockwait, semaphore, clock, until);
  const Nanos ahead = clock == CLOCK_REALTIME ? kernel().wall() - kernel().now() : 0;
  return take(semaphore, nanos_of(*until) - ahead);
}

// -- Signals ----------------------------------------------------------------------------------------------------------

Processes::Handler signal(int number, Processes::Handler handler) noexcept {
  if (!is_of_process()) return ENTENTE_LAB_REAL(signal, number, handler);
  const Aside aside;
  const Processes::Handler before = kernel().processes().handler(number);
  kernel().processes().set_handler(number, handler);
  return before;
}

int sigaction(int number, const struct sigaction* wanted, struct sigaction* before) noexcept {
  if (!is_of_process()) return ENTENTE_LAB_REAL(sigaction, number, wanted, before);
  const Aside aside;
  if (before != nullptr) {
    *before = {};
    before->sa_handler = kernel().processes().handler(number);
  }
  if (wanted != nullptr) kernel().processes().set_handler(number, wanted->sa_handler);
  return 0;
}

/// Each process is a group of its own.
int kill(pid_t to, int number) noexcept {
  if (!is_of_process()) return ENTENTE_LAB_REAL(kill, to, number);
  const auto program = static_cast<std::size_t>(std::abs(to) - Processes::kFirstPid);
  if (!kernel().processes().has(program)) return errno = ESRCH, -1;
  kernel().processes().signal(program, number);
  return 0;
}

int raise(int number) noexcept {
  if (!is_of_process()) return ENTENTE_LAB_REAL(raise, number);
  kernel().processes().signal(kernel().program(), number);
  kernel().wait([] { return true; });  // what ends it comes now
  return 0;
}

// -- The service manager ----------------------------------------------------------------------------------------------

int sd_notify(int unset, const char* state) {
  if (!is_of_process()) return ENTENTE_LAB_REAL(sd_notify, unset, state);
  kernel().call();
  kernel().processes().print(Processes::kManager, state);
  return 1;
}

int sd_watchdog_enabled(int unset, std::uint64_t* micros) {
  if (!is_of_process()) return ENTENTE_LAB_REAL(sd_watchdog_enabled, unset, micros);
  *micros = Processes::kWatchdog / 1'000;
  return 1;
}

// -- Processes --------------------------------------------------------------------------------------------------------

int close_range(unsigned first, unsigned last, int flags) noexcept {
  // Simulated processes inherit nothing.
  return is_of_process() ? 0 : ENTENTE_LAB_REAL(close_range, first, last, flags);
}

}  // extern "C"

// -- The log ----------------------------------------------------------------------------------------------------------

namespace spdlog::details {

/// Never destroyed: what is in it may belong to a process that was killed.
registry& registry::instance() {
  const Aside aside;
  static auto& all = *new std::map<std::pair<const void*, std::size_t>, registry*>;
  const Kernel* const now = Kernel::current();
  const auto key = is_of_process() ? std::pair<const void*, std::size_t>(now, now->program() + 1)
                                   : std::pair<const void*, std::size_t>(nullptr, 0);
  registry*& its = all[key];
  if (its == nullptr) its = new registry;
  return *its;
}

}  // namespace spdlog::details
