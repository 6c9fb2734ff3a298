// What a relay counts. Each worker writes its own Counters; Totals is their sum, taken at any time from any thread.
// Invariant: a Count has one writing thread, so that counting is a plain add. A reader may be behind, but sees the
// counts of one worker in the order in which they were made.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/core/ledger.h"
#include "proxy/relay/base/lab_fault.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

class Count {
 public:
  void add(std::uint64_t n = 1) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_release); }
  std::uint64_t read() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

template <class Number>
struct TrafficOf {
  Number bytes{}, frames{};  ///< by stream; frames are 0 if the stream is not cut into frames
  Number datagrams{}, datagram_bytes{};
};

/// Upper bounds of durations that are counted together, in milliseconds. The last range has no upper bound.
inline constexpr std::array<Millis, 11> kOpeningBounds{5, 10, 25, 50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000};
inline constexpr std::array<Millis, 10> kSessionBounds{1'000,     10'000,    60'000,    300'000,    900'000,
                                                       1'800'000, 3'600'000, 7'200'000, 14'400'000, 28'800'000};

inline constexpr std::array<Millis, 10> kRoundTripBounds{10, 25, 50, 75, 100, 150, 200, 300, 500, 1'000};

/// For turns of a worker's loop: in microseconds.
inline constexpr std::array<std::uint64_t, 9> kTurnBounds{50, 100, 250, 500, 1'000, 2'500, 5'000, 10'000, 50'000};

/// How many durations there were in each range.
template <class Number, const auto& Bounds>
struct DurationsOf {
  std::array<Number, Bounds.size() + 1> in{};
  Number sum{};  ///< in the unit of the bounds
};

template <class Number>
struct CountersOf {
  Number begun{};                        ///< sessions begun (newcomers turned away are not)
  std::array<Number, kReasons> ended{};  ///< by Reason, newcomers turned away included
  TrafficOf<Number> to_server, to_client;
  std::array<Number, kDrops> dropped{};  ///< datagrams, by Drop
  Number stalls{};                       ///< times that a slow peer made us stop reading the other
  Number throttled{};                    ///< times that a client or a server sent faster than its limits
  Number server_bans{};                  ///< addresses banned because a server, or a rule of a game, banned a player
  Number unframed{};                     ///< sessions whose server-to-client framing was lost (passed on raw)
  Number held_back_lines{};              ///< log lines that were delayed, or only counted
  Number orphaned{};                     ///< WorldState::orphaned() of bridges
  Number gone{};                         ///< sessions that are gone
  Number held{};                         ///< times that a bridge's player lost the server and was kept
  Number holds_ended{};                  ///< of these: the player was brought back, or the session ended
  Number brought_back{};                 ///< of these: the player was brought back
  Number http_connections{};             ///< callers (http_caller.h), also those that began a session then
  Number http_found{}, http_missing{};   ///< requests of callers: answered with a file or document; others
  Number http_later{};                   ///< requests of callers for documents: answered with 503
  LabCountsOf<Number> lab{};             ///< faults that were made on purpose
  Number moved{};                        ///< players of bridges who were moved to another route's server or arena
  DurationsOf<Number, kOpeningBounds> opening;  ///< from accepting a client until its session is open
  DurationsOf<Number, kSessionBounds> length;   ///< of sessions that were open
};

using Counters = CountersOf<Count>;

template <const auto& Bounds>
void count(DurationsOf<Count, Bounds>& durations, Millis one) {
  const auto range = std::lower_bound(Bounds.begin(), Bounds.end(), one) - Bounds.begin();
  durations.in[static_cast<std::size_t>(range)].add();
  durations.sum.add(one);
}

template <const auto& Bounds>
void add(DurationsOf<std::uint64_t, Bounds>& sum, const DurationsOf<Count, Bounds>& part) {
  for (std::size_t i = 0; i < sum.in.size(); ++i) sum.in[i] += part.in[i].read();
  sum.sum += part.sum.read();
}

/// The words that bridges did not forward, summed over all ended sessions. Each session adds once; any thread reads.
class Losses {
 public:
  void add(const core::Ledger& ledger);
  std::vector<core::Ledger::Entry> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<core::Ledger::Entry> entries_;
};

/// The sum over all workers at one moment.
struct Totals : CountersOf<std::uint64_t> {
  void add(const Counters& part);
  /// How many sessions there are now. Never more than there were at some moment: `begun` is read before `gone`.
  std::uint64_t current_sessions() const { return begun > gone ? begun - gone : 0; }
  /// Players who wait for a server that was lost.
  std::uint64_t held_now() const { return held > holds_ended ? held - holds_ended : 0; }
  std::uint64_t by(Reason reason) const { return ended[static_cast<std::size_t>(reason)]; }
  std::uint64_t by(Drop drop) const { return dropped[static_cast<std::size_t>(drop)]; }
  std::uint64_t refused() const;  ///< over all reasons that are refusals
};

}  // namespace entente::relay
