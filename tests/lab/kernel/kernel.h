// A kernel in virtual time: threads, clocks, TCP, UDP and event descriptors. The program under test calls libuv, the C
// library and pthreads as always; the linker finds the functions of lab/ first (calls.cc, threads.cc, uv.cc), and these
// call this kernel.
// Invariant: one thread runs at a time, and it is changed only in wait(). What happens, and in which order, follows
// from the seed alone. Time passes when every thread waits; besides, each call takes a little. Several programs may
// run, each with its own threads and descriptors; they can be killed and frozen.
#pragma once

#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
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
  double lie = 0;                          ///< a segment or datagram from `liar` to `fooled` has a false byte
  std::uint32_t liar = 0, fooled = 0;      ///< hosts, by their IPv4 addresses
  Nanos delay = 0, jitter = 0;             ///< of each segment and datagram, one way; datagrams overtake each other
  std::size_t window = 256 * 1024;         ///< bytes under way in one direction of a connection
  Nanos call = 2'000;                      ///< that a call takes
};

/// An address and a port, in host order. Each host has an IPv4 address, a.b.c.d, and an IPv6 address,
/// fd<a>:0:0:<bc>::d, which is here the IPv4 address with kSix: 10.0.1.1 has fd0a:0:0:1::1, and 127.0.0.1 has ::1.
/// Hosts that differ only in d share a /64. 0 is the wildcard of IPv4, and kSix that of IPv6.
using Place = std::pair<std::uint32_t, std::uint16_t>;
inline constexpr std::uint32_t kSix = 0x80000000;
/// The same with the IPv6 address.
constexpr Place in_six(const Place& at) { return {at.first | kSix, at.second}; }
constexpr bool is_six(const Place& at) { return (at.first & kSix) != 0; }
/// The IPv4 address of the host; 0: a wildcard.
constexpr std::uint32_t host_at(const Place& at) { return at.first & ~kSix; }

/// What a descriptor refers to.
class File {
 public:
  virtual ~File() = default;
  virtual bool readable() const { return false; }
  virtual bool writable() const { return false; }
  virtual bool broken() const { return false; }
  virtual bool ended() const { return false; }  ///< its peer sends nothing more
  virtual void close() {}
  virtual void vanish() { close(); }  ///< its machine has crashed: its peer is told nothing
  /// Of a bound socket: whether others may be bound to the same place.
  bool shares_place = false;
  /// Of a bound socket: how well it suits what comes from there; 0: not at all.
  virtual int suits(const Place& /*from*/) const { return 1; }
  bool blocks = true;
  int descriptors = 0;  ///< that refer to it; closed with the last one
};

class BusServer;
class Disk;
class Processes;

class Kernel {
 public:
  /// `began`: the monotonic time at the beginning.
  Kernel(std::uint64_t seed, const Faults& faults, Nanos began = 1'000'000'000);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// The kernel of the calling thread; null for threads that are not simulated.
  static Kernel* current();

  /// Runs `body` on this thread, as the first one of the simulation. Returns how many threads have not ended a minute
  /// after it; they never run again.
  std::size_t run(const std::function<void()>& body);

  Faults faults;

  // -- Time and chance ------------------------------------------------------------------------------------------------
  Nanos now() const { return now_; }           ///< monotonic
  Nanos age() const { return now_ - began_; }  ///< since the beginning
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
  /// Each call of the program begins with this: it takes a while (Faults::call), and perhaps others run first.
  void call();
  void let_others_run();                            ///< as often as Faults::switch_thread says
  static constexpr std::uint64_t kMostCalls = 256;  ///< after so many, others run: a thread may not wait at all
  /// After so many calls without an end of the simulation, something spins.
  static constexpr std::uint64_t kEndless = 200'000'000;
  /// Starts a thread of the same program. Returns its number.
  std::size_t start(std::function<void()> body) { return start_in(program(), std::move(body)); }
  /// The same in another program.
  std::size_t start_in(std::size_t program, std::function<void()> body);
  bool has_ended(std::size_t thread) const { return threads_.at(thread)->ended; }
  /// Waits in real time until a thread that has ended is gone with its thread_local variables, unless it was killed.
  void finish(std::size_t thread);
  /// The same for all of a program that have ended.
  void finish_threads(std::size_t program);
  std::size_t this_thread() const { return running_; }
  /// Mutexes that are locked: by which thread. And who waits for condition variables.
  std::map<const void*, std::size_t> locked;
  std::map<std::pair<std::size_t, const void*>, std::uint64_t> semaphores;  ///< of a program
  std::map<const void*, int> shared;  ///< read-write locks: -1 for a writer, else the number of readers
  struct Waiter {
    bool woken = false;
  };
  std::map<const void*, std::deque<std::shared_ptr<Waiter>>> waiters;

  // -- Programs -------------------------------------------------------------------------------------------------------
  // Threads and descriptors belong to the program of the thread that started or opened them. run() begins program 0.
  std::size_t program() const { return threads_[running_]->program; }
  /// Runs `body` as the first thread of a new program, on the host with this IPv4 address. Returns its number.
  std::size_t begin_program(std::uint32_t host, std::function<void()> body);
  std::size_t programs() const { return programs_.size(); }
  std::uint32_t host() const { return host_of(program()); }
  std::uint32_t host_of(std::size_t program) const { return programs_[program].host; }
  /// Whether all of its threads have ended.
  bool is_over(std::size_t program) const { return programs_[program].threads == 0; }
  std::size_t threads_of(std::size_t program) const { return programs_[program].threads; }
  /// Ends it wherever it is: none of its threads runs again, and its descriptors are closed. REQUIRES: another one, or
  /// in after().
  void kill(std::size_t program);
  /// The same, as its machine crashes: nobody is told. What its peers send is lost until another program begins there;
  /// then it resets their connections.
  void vanish(std::size_t program);
  /// Whether the machine has crashed, and no program has begun there since.
  bool is_down(const Place& at) const { return down_.contains(host_at(at)); }
  void close_files(std::size_t program);
  /// None of its threads runs before `until`.
  void freeze(std::size_t program, Nanos until) { programs_[program].frozen_until = until; }
  Nanos frozen_until(std::size_t program) const { return programs_[program].frozen_until; }
  void limit_files(std::size_t program, std::size_t most) { programs_[program].most_files = most; }
  std::size_t open_files(std::size_t program) const { return programs_[program].files; }
  /// Whether a program was killed: what it had in memory is lost.
  bool killed_any() const { return killed_; }

  // -- Descriptors ----------------------------------------------------------------------------------------------------
  static constexpr int kFirst = 100'000;  ///< smaller ones are real
  static constexpr std::size_t kMost = 2'000;
  static bool owns(int fd) { return fd >= kFirst && current() != nullptr; }
  /// -1: no descriptor is free.
  int open(std::shared_ptr<File> file);
  /// Whether open() has a descriptor left for the current program.
  bool has_descriptor();
  const std::shared_ptr<File>& file(int fd) const;
  template <class T>
  std::shared_ptr<T> file_as(int fd) const {
    return std::dynamic_pointer_cast<T>(file(fd));
  }
  bool close(int fd);
  std::size_t open_files() const { return open_; }

  // -- The network ----------------------------------------------------------------------------------------------------
  /// False: taken. A port of 0 gets a free one.
  bool bind(int type, Place& at, const std::shared_ptr<File>& file);
  void unbind(int type, const Place& at, const File& file);
  /// What receives there what comes from `from`; null: nothing.
  std::shared_ptr<File> bound(int type, const Place& at, const Place& from) const;
  /// How long what is sent now is on its way.
  Nanos flight(const Place& from, const Place& to);
  /// Nothing arrives between these two hosts before `until`.
  void cut(std::uint32_t one, std::uint32_t other, Nanos until) { cut_[std::minmax(one, other)] = until; }
  bool is_cut(const Place& from, const Place& to) const;
  /// As Faults::lie.
  void falsify(const Place& from, const Place& to, Buffer& bytes);

  Disk& disk() { return *disk_; }
  Processes& processes() { return *processes_; }
  BusServer& bus() { return *bus_; }

  // -- What happened --------------------------------------------------------------------------------------------------
  /// Whether what is added to the hash is printed: so one finds where two machines differ.
  static inline bool traces = false;
  static constexpr std::size_t kTracedBytes = 512;  ///< of each message
  /// Adds to the hash of all that happened.
  void note(std::uint64_t what, std::uint64_t more = 0);
  void note(Bytes bytes);
  std::uint64_t hash() const { return hash_; }
  std::uint64_t calls() const { return calls_; }
  std::uint64_t calls(std::size_t program) const { return programs_[program].calls; }
  std::uint64_t switches() const { return switches_; }

 private:
  struct Thread {
    std::function<void()> body;
    const std::function<bool()>* ready = nullptr;  // null: it runs
    Nanos until = kNever;
    std::size_t program = 0;
    bool came = false, ended = false, killed = false, finished = false;
    sem_t may_run{};
    pthread_t id{};
  };
  struct Program {
    std::uint32_t host = INADDR_LOOPBACK;
    std::size_t threads = 0, files = 0, most_files = kMost;
    Nanos frozen_until = 0;
    std::uint64_t calls = 0;
  };
  struct Opened {
    std::shared_ptr<File> file;
    std::size_t program = 0;
    bool taken = false;
  };
  void end(Thread& thread);
  bool may_run(const Thread& thread) const {
    return !thread.ended && thread.ready != nullptr && programs_[thread.program].frozen_until <= now_;
  }
  bool may_bind(int type, const Place& at, bool shares) const;
  double unit() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  std::size_t choose();
  void hand_over(std::size_t to);
  [[noreturn]] void stuck() const;

  std::mt19937_64 random_;
  const Nanos began_;
  Nanos now_ = began_, wall_offset_ = 1'800'000'000ULL * 1'000'000'000;
  std::uint64_t hash_ = 0xcbf29ce484222325;
  std::multimap<Nanos, std::function<void()>> events_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t running_ = 0;
  std::uint64_t calls_ = 0, switches_ = 0;
  const std::unique_ptr<Disk> disk_;
  const std::unique_ptr<Processes> processes_;
  const std::unique_ptr<BusServer> bus_;
  std::vector<Program> programs_;
  bool killed_ = false, vanishes_ = false;
  std::set<std::uint32_t> down_;  // hosts
  std::vector<Opened> files_;
  std::size_t open_ = 0;
  std::multimap<std::pair<int, Place>, std::weak_ptr<File>> bound_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Nanos> cut_;
  std::uint16_t last_port_ = 30'000;
};

/// The kernel of this thread. REQUIRES: it is simulated.
inline Kernel& kernel() { return *Kernel::current(); }

}  // namespace entente::lab
