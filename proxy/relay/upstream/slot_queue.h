// Who goes next to a server that is full: one order for all routes to it, of this process and of others.
// Invariant: thread-safe. The route, or the process, in which somebody has waited longest goes first. On a route, the
// session with the smallest number goes first (Upstreams::wait). A claim of another queue holds a queue back from a
// free slot for at most kPatience, and all such claims together for at most kMostPatience. Then they are ignored for a
// while.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "proxy/base/time.h"

namespace entente::relay {

/// Times are those of loops, which all have the same clock.
class SlotQueue {
 public:
  /// A player who waits. `number`: unique in this process.
  struct Claim {
    Millis since;
    std::uint64_t number;
    auto operator<=>(const Claim&) const = default;
  };
  static constexpr std::size_t kMostClaims = 256;  ///< that other processes are told
  static constexpr Millis kPatience = 10'000, kMostPatience = 30'000;
  static constexpr Millis kIgnored = 60'000;  ///< after that, claims of others are ignored for at most this long

  // For a route's queue, `whose`.
  void add(const void* whose, const Claim& claim);
  void remove(const void* whose, const Claim& claim);
  /// The server was full.
  void refused(Millis now);
  /// Somebody who had a slot may have left.
  void freed();
  /// Whether it is the turn of this queue. REQUIRES: it has a claim.
  bool has_turn(const void* whose, Millis now);
  /// Whether somebody waits for a slot elsewhere, so that a newcomer must wait, too.
  bool others_wait(const void* whose, Millis now) const;
  /// When a slot became free elsewhere: the server may be tried again.
  Millis freed_elsewhere_at() const { return freed_elsewhere_at_; }

  // For what connects it with other processes.
  /// Those here that wait for a slot, the oldest first; at most kMostClaims.
  std::vector<Claim> claims(Millis now) const;
  /// How often freed() was called while somebody waited elsewhere.
  std::uint64_t times_freed() const { return freed_; }
  /// Sets since when the player has waited who has waited longest in another process; nothing: none waits there.
  void set_elsewhere(std::optional<Millis> since);
  void freed_elsewhere(Millis now) { freed_elsewhere_at_ = now; }

 private:
  static constexpr Millis kScarceFor = 30'000;  // for this long after a refusal, players here wait for a slot
  static constexpr Millis kTie = 100;           // a player who came earlier by less than this does not go first
  static constexpr Millis kAsksEvery = 2'500;   // a queue that did not ask for this long was not ready

  struct Member {
    std::set<Claim> claims;  // never empty
    Millis behind = 0;       // the claim that it is behind
    Millis behind_at = 0, held_back_at = 0, asked_at = 0;
  };
  std::optional<Millis> oldest_other(const void* whose, Millis now) const;

  mutable std::mutex mutex_;
  std::unordered_map<const void*, Member> members_;
  std::optional<Millis> elsewhere_;
  Millis scarce_until_ = 0, ignored_until_ = 0;
  std::atomic<std::uint64_t> freed_{0};
  std::atomic<Millis> freed_elsewhere_at_{0};
};

}  // namespace entente::relay
