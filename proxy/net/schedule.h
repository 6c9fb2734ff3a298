// The order of service in one turn of a loop. Players come before newcomers, and each group is served for a bounded
// time; the rest waits for the next turn. Within a group, parties take turns: each address is one party, however many
// links it has. A server is one party, and its sessions are parts of it by the addresses of their clients: the parts
// take turns within the turn of their party. Within a party or a part, jobs are served first come, first served.
// Invariant: a job that is added while it waits is served once. A party whose job took longer than its share is passed
// over until the others have had as much time. Nothing is allocated when a job is added or served.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "proxy/base/time.h"
#include "proxy/net/address.h"

namespace entente::net {

/// The group that a job belongs to. Players are served first.
enum class Priority : std::uint8_t { kPlayer, kNewcomer };
inline constexpr std::size_t kPriorities = 2;

class Job;
class Schedule;

/// Those who share one turn: all links of an address, for example. A job keeps its party.
class Party {
 public:
  Party() = default;
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  /// The part of `whole` that works for this address (IPv6: for its /64). It is forgotten when nobody holds it.
  /// REQUIRES: the jobs of `whole` all belong to parts.
  static std::shared_ptr<Party> part(const std::shared_ptr<Party>& whole, const Address& for_whom);

 private:
  friend class Schedule;

  struct Line;
  struct Lines {
    Line *first = nullptr, *last = nullptr;
    void add(Line& line);
    void remove(Line& line);
  };

  /// Its jobs of one group, and its place among the parties with jobs of that group; of a part, among the parts.
  struct Line {
    bool empty() const { return first == nullptr && parts.first == nullptr; }

    Job *first = nullptr, *last = nullptr;
    Lines parts;  // those with jobs
    Line *before = nullptr, *after = nullptr;
    std::shared_ptr<Party> waits;  // while it has jobs, it keeps its party
    std::int64_t credit = 0;       // nanoseconds that it may still use in this turn; below 0: it has used too much
    std::uint64_t left_at = 0;     // when it last had no more jobs
    bool in_turn = false;
  };
  std::array<Line, kPriorities> lines_;  // by priority
  std::shared_ptr<Party> whole_;         // null: it is no part
  std::unordered_map<Address, std::weak_ptr<Party>, AddressHash> parts_;
};

/// Work that can wait in a Schedule. Leaves it when destroyed. A job that is added by Loop::serve():
///
///     void Copy::run() {
///       while (left() && !loop_.time_is_up()) step();
///       if (left()) loop_.serve(*this);   // in a later turn
///     }
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Priority priority() const { return priority_; }
  /// If the job waits, moves it to the end of its new group.
  void set_priority(Priority priority);
  /// Null: it belongs to the loop's own chores, which have a turn before each party. If the job waits, moves it to the
  /// end of its new party.
  void set_party(std::shared_ptr<Party> party);
  const std::shared_ptr<Party>& party() const { return party_; }
  bool waits() const { return schedule_ != nullptr; }
  /// How long the job has waited to be served so far, in total, since forget_queued().
  Millis queued_millis() const;

 protected:
  ~Job() { cancel(); }
  /// Serves the job. May add it again, and may destroy it. It is to end when Schedule::time_is_up(), and to add itself
  /// again if there is more to do.
  virtual void run() = 0;
  void cancel();
  /// REQUIRES: the job does not wait.
  void forget_queued() { queued_millis_ = 0; }

 private:
  friend class Schedule;

  Schedule* schedule_ = nullptr;  // in which it waits
  Job *before_ = nullptr, *after_ = nullptr;
  std::shared_ptr<Party> party_;
  Priority priority_ = Priority::kPlayer;
  Millis since_ = 0, queued_millis_ = 0;
};

/// The parties of a loop, by address.
class Parties {
 public:
  enum class Kind : std::uint8_t { kClient, kServer };

  /// The party of this address (of a client: of its IP, or IPv6 /64). Clients and servers with the same address are two
  /// parties. It is forgotten when nobody holds it. REQUIRES: this outlives it.
  std::shared_ptr<Party> of(const Address& address, Kind kind);
  std::size_t known() const { return known_[0].size() + known_[1].size(); }

 private:
  using Known = std::unordered_map<Address, std::weak_ptr<Party>, AddressHash>;
  std::array<Known, 2> known_;  // by kind
};

class Schedule {
 public:
  using Clock = std::function<std::uint64_t()>;

  /// Time limits of one turn, in nanoseconds. A group is served until its time is over; a job that has begun is
  /// finished. At least one job of each group is served.
  static constexpr std::uint64_t kPlayersTime = 5'000'000;
  static constexpr std::uint64_t kNewcomersTime = 2'000'000;
  /// How long a party is served in its turn, and how long a job may take: nanoseconds.
  static constexpr std::uint64_t kJobTime = 1'000'000;
  /// How long a job of a part may take, while others wait: so many parts have their turns in one turn of their party.
  static constexpr std::uint64_t kPartsAtOnce = 8;

  /// `nanos`: a monotonic clock.
  explicit Schedule(Clock nanos) : nanos_(std::move(nanos)) {}

  /// `now`: in milliseconds of one clock, for Job::queued_millis. Does nothing if the job already waits.
  void add(Job& job, Millis now);
  /// Serves one turn of this group. Jobs added meanwhile may be served in the same turn.
  void serve(Priority priority, Millis now);
  bool empty() const { return waiting_ == 0; }
  /// Whether the job that is being served has had its time. Outside of a job: true.
  bool time_is_up() const { return nanos_() >= job_until_; }

 private:
  friend class Job;

  using Group = Party::Lines;  // of those with jobs

  /// A party that used much more than its share is passed over for at most so long.
  static constexpr std::int64_t kMostDebt = 100'000'000;

  Party::Line& line_of(const Job& job);
  static Party::Line& whole_of(const Job& job, Party::Line& line);
  void append(Job& job);
  void remove(Job& job);
  void take_out(Group& group, Party::Line& line);
  std::uint64_t serve_chores(Priority priority, std::uint64_t from);
  std::uint64_t serve_party(Group& group, std::uint64_t from, std::uint64_t until);
  std::uint64_t run_first(Party::Line& line, std::uint64_t from);

  const Clock nanos_;
  std::array<Group, kPriorities> groups_;  // by priority
  Party chores_;                           // of the jobs without a party; not in groups_
  Party::Line* serving_ = nullptr;
  std::size_t waiting_ = 0;  // jobs
  std::uint64_t job_until_ = 0;
  Millis now_ = 0;
};

}  // namespace entente::net
