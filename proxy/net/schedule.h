// The order in which what is ready on a loop is served. Players come before newcomers, and each group is served first
// come, first served. One turn serves each group for a bounded time; the rest waits for the next turn.
// Law: a job that is added while it waits is served once. Nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "proxy/base/time.h"

namespace entente::net {

/// Whose work it is. Players are served first.
enum class Rank : std::uint8_t { kPlayer, kNewcomer };

class Schedule;

/// Work that can wait in a Schedule. Leaves it when destroyed.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Rank rank() const { return rank_; }
  /// Also moves a job that waits, to the end of its new group.
  void set_rank(Rank rank);
  bool waits() const { return schedule_ != nullptr; }
  /// Milliseconds that it has waited for its turn so far, all times together.
  Millis held_up() const;

 protected:
  ~Job() { cancel(); }
  /// Its turn has come. May add the job again, and may destroy it.
  virtual void run() = 0;
  void cancel();

 private:
  friend class Schedule;

  Schedule* schedule_ = nullptr;  // in which it waits
  Job *before_ = nullptr, *after_ = nullptr;
  Rank rank_ = Rank::kPlayer;
  Millis since_ = 0, held_up_ = 0;
};

class Schedule {
 public:
  using Clock = std::function<std::uint64_t()>;

  /// What one turn may take, in nanoseconds. A group is served until its time is over; a job that has begun is
  /// finished. One job of each group is served in any case.
  static constexpr std::uint64_t kPlayersTime = 20'000'000;
  static constexpr std::uint64_t kNewcomersTime = 5'000'000;

  /// `nanos`: a clock that does not go back.
  explicit Schedule(Clock nanos) : nanos_(std::move(nanos)) {}

  /// `now`: in milliseconds of any one clock, for Job::held_up. Nothing happens if the job waits already.
  void add(Job& job, Millis now);
  /// What one turn serves of this group. Jobs that are added meanwhile may be served in it, too.
  void serve(Rank rank, Millis now);
  bool empty() const { return first_[0] == nullptr && first_[1] == nullptr; }

 private:
  friend class Job;

  void append(Job& job);
  void remove(Job& job);

  const Clock nanos_;
  std::array<Job*, 2> first_{}, last_{};  // by rank
  Millis now_ = 0;
};

}  // namespace entente::net
