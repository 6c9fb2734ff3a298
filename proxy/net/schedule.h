// The order of service in one turn of a loop. Players come before newcomers, and each group is served first come,
// first served. One turn serves each group for a bounded time; the rest waits for the next turn.
// Law: a job that is added while it waits is served once. Nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "proxy/base/time.h"

namespace entente::net {

/// The group that a job belongs to. Players are served first.
enum class Priority : std::uint8_t { kPlayer, kNewcomer };

class Schedule;

/// Work that can wait in a Schedule. Leaves it when destroyed.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Priority priority() const { return priority_; }
  /// If the job waits, moves it to the end of its new group.
  void set_priority(Priority priority);
  bool waits() const { return schedule_ != nullptr; }
  /// How long the job has waited to be served so far, in total.
  Millis queued_millis() const;

 protected:
  ~Job() { cancel(); }
  /// Serves the job. May add it again, and may destroy it.
  virtual void run() = 0;
  void cancel();

 private:
  friend class Schedule;

  Schedule* schedule_ = nullptr;  // in which it waits
  Job *before_ = nullptr, *after_ = nullptr;
  Priority priority_ = Priority::kPlayer;
  Millis since_ = 0, queued_millis_ = 0;
};

class Schedule {
 public:
  using Clock = std::function<std::uint64_t()>;

  /// Time limits of one turn, in nanoseconds. A group is served until its time is over; a job that has begun is
  /// finished. At least one job of each group is served.
  static constexpr std::uint64_t kPlayersTime = 20'000'000;
  static constexpr std::uint64_t kNewcomersTime = 5'000'000;

  /// `nanos`: a monotonic clock.
  explicit Schedule(Clock nanos) : nanos_(std::move(nanos)) {}

  /// `now`: in milliseconds of one clock, for Job::queued_millis. Does nothing if the job already waits.
  void add(Job& job, Millis now);
  /// Serves one turn of this group. Jobs added meanwhile may be served in the same turn.
  void serve(Priority priority, Millis now);
  bool empty() const { return first_[0] == nullptr && first_[1] == nullptr; }

 private:
  friend class Job;

  void append(Job& job);
  void remove(Job& job);

  const Clock nanos_;
  std::array<Job*, 2> first_{}, last_{};  // by priority
  Millis now_ = 0;
};

}  // namespace entente::net
