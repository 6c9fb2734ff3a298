// A kernel in virtual time: threads, clocks, TCP, UDP and event descriptors. The program under test calls libuv, the C
// library and pthreads as always; the linker finds the functions of lab/ first (calls.cc, threads.cc, uv.cc), and these
// call this kernel.
// Invariant: one thread runs at a time, and it is changed only in wait(). What happens, and in which order, follows
// from the seed alone. Time passes when every thread waits; besides, each call takes a little.
#pragma once

#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "proxy/base/bytes.h"

namespace entente::lab {

using Nanos = std::uint64_t;
inline constexpr Nanos kMilli = 1'000'000, kNever = UINT64_MAX;

/// How often each fault happens: a chance from 0 to 1 for each call, segment or connection.
struct Faults {
  double short_read = 0, short_write = 0;  ///< a call moves a part of what it could
  double switch_thread = 0;                ///< another thread runs before the call
  double reset = 0;                        ///< a segment resets its connection instead
  double refuse = 0;                       ///< a connection is refused
  double lose = 0, repeat = 0;             ///< a datagram
  Nanos delay = 0, jitter = 0;             ///< of each segment and datagram, one way; datagrams overtake each other
  std::size_t window = 256 * 1024;         ///< bytes under way in one direction of a connection
};

/// What a descriptor refers to.
class File {
 public:
  virtual ~File() = default;
  virtual bool readable() const { return false; }
  virtual bool writable() const { return false; }
  virtual bool broken() const { return false; }
  virtual void close() {}
  bool blocks = true;
  int descriptors = 0;  ///< that refer to it; closed with the last one
};

class Kernel {
 public:
  Kernel(std::uint64_t seed, const Faults& faults);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// The kernel of the calling thread; null for threads that are not simulated.
  static Kernel* current();

  /// Runs `body` on this thread, as the first one of the simulation. All others that were started must have ended
  /// when it returns.
  void run(const std::function<void()>& body);

  Faults faults;

  // -- Time and chance ------------------------------------------------------------------------------------------------
  Nanos now() const { return now_; }  ///< monotonic
  Nanos wall() const { return now_ + wall_offset_; }
  void step_wall(std::int64_t by) { wall_offset_ += static_cast<Nanos>(by); }
  bool chance(double of) { return of > 0 && unit() < of; }
  /// A number from 0 to `most`.
  std::uint64_t pick(std::uint64_t most) { return most == 0 ? 0 : random_() % (most + 1); }
  /// Calls `what` after `delay`.
  void after(Nanos delay, std::function<void()> what);

  // -- Threads --------------------------------------------------------------------------------------------------------
  /// Waits until `ready` or the time `until`. False: the time came first. `ready` has no side effects.
  bool wait(const std::function<bool()>& ready, Nanos until = kNever);
  /// Each call of the program begins with this: it takes kCall, and perhaps others run first.
  void call();
  static constexpr Nanos kCall = 2'000;
  static constexpr std::uint64_t kMostCalls = 256;  ///< after so many, others run: a thread may not wait at all
  /// Starts a thread. Returns its number.
  std::size_t start(std::function<void()> body);
  bool has_ended(std::size_t thread) const { return threads_.at(thread)->ended; }
  std::size_t this_thread() const { return running_; }
  /// Mutexes that are locked: by which thread, and how often. And who waits for condition variables.
  struct Lock {
    std::size_t by = 0;
    int times = 0;
  };
  std::map<const void*, Lock> locked;
  struct Waiter {
    bool woken = false;
  };
  std::map<const void*, std::deque<std::shared_ptr<Waiter>>> waiters;

  // -- Descriptors ----------------------------------------------------------------------------------------------------
  static constexpr int kFirst = 100'000;  ///< smaller ones are real
  static constexpr int kMost = 2'000;
  static bool owns(int fd) { return fd >= kFirst && current() != nullptr; }
  /// -1: no descriptor is free.
  int open(std::shared_ptr<File> file);
  std::shared_ptr<File> file(int fd) const;
  template <class T>
  std::shared_ptr<T> file_as(int fd) const {
    return std::dynamic_pointer_cast<T>(file(fd));
  }
  bool close(int fd);
  std::size_t open_files() const { return files_.size(); }

  // -- The network ----------------------------------------------------------------------------------------------------
  using Address = std::pair<std::uint32_t, std::uint16_t>;  ///< IPv4, in host order
  /// False: taken. A port of 0 gets a free one.
  bool bind(int type, Address& at, const std::shared_ptr<File>& file);
  void unbind(int type, const Address& at);
  std::shared_ptr<File> bound(int type, const Address& at) const;
  Nanos flight() { return faults.delay + pick(faults.jitter); }

  // -- What happened --------------------------------------------------------------------------------------------------
  /// Adds to the hash of all that happened.
  void note(std::uint64_t what, std::uint64_t more = 0);
  void note(Bytes bytes);
  std::uint64_t hash() const { return hash_; }

 private:
  struct Thread {
    std::function<void()> body;
    const std::function<bool()>* ready = nullptr;  // null: it runs
    Nanos until = kNever;
    bool came = false, ended = false;
    sem_t may_run{};
    pthread_t id{};
  };
  double unit() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  std::size_t choose();
  void hand_over(std::size_t to);
  [[noreturn]] void stuck() const;

  std::mt19937_64 random_;
  Nanos now_ = 1'000'000'000, wall_offset_ = 1'800'000'000ULL * 1'000'000'000;
  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::multimap<Nanos, std::function<void()>> events_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t running_ = 0;
  std::uint64_t calls_ = 0;
  std::map<int, std::shared_ptr<File>> files_;
  std::map<std::pair<int, Address>, std::weak_ptr<File>> bound_;
  std::uint16_t last_port_ = 30'000;
};

/// The kernel of this thread. REQUIRES: it is simulated.
inline Kernel& kernel() { return *Kernel::current(); }

}  // namespace entente::lab
