// The time of a lockstep arena, which stands still until its players ask for more (Playback.by_s). What they say
// meanwhile is collected, and takes effect when time advances, player by player in the order of their ids. So the same
// words give the same match, however fast they arrive.
//
//   if (lockstep.collects(intent)) return;                  // for each intent of a guest
//   while (lockstep.may_advance(wall)) {
//     for (auto& of_one : lockstep.begin(now)) room.hear_collected(std::move(of_one), now);
//     ... tick the room until lockstep.until() ...
//     for (const Lockstep::Step& step : lockstep.take_due(now = until)) room.tell_time(step.player, step.number, now);
//   }
//
// Invariant: it reads no clock. It keeps at most kMostCollected bytes of each player. What it does not keep is counted
// (take_drops).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/core/ledger.h"
#include "proxy/core/word.h"

namespace entente::core {

class Lockstep {
 public:
  /// A step of a player: until when, and the number of the intent that asked for it.
  struct Step {
    Id player = 0;
    std::uint32_t number = 0;
    Micros until = 0;
  };

  /// The longest step, in ticks.
  static constexpr std::uint64_t kMostTicks = 90'000;
  /// Of a player's intents that wait for time to advance: bytes of the messages, and kEach more for each.
  static constexpr std::size_t kMostCollected = 256 * 1024, kEach = 64;
  /// How long (wall time) those who have asked wait for the others.
  static constexpr Millis kPatience = 10'000;

  /// Steps are rounded to whole ticks of this length.
  explicit Lockstep(Micros tick) : tick_(tick) {}

  /// Whether it keeps this intent until time advances. `intent` is then moved from.
  bool collects(Intent& intent);
  /// The player is in, or its role may have changed. `plays`: time waits for it from now on, which it does not for
  /// spectators, even if they ask for steps.
  void entered(Id player, bool plays);
  /// What was collected of it is dropped.
  void left(Id player);
  void all_left();
  /// Whether more waits of this player than is kept. The rest is dropped.
  bool is_full(Id player) const;
  /// The intents that were dropped since the last call.
  Ledger take_drops() { return std::exchange(drops_, {}); }

  /// Whether time may advance: at least one player has asked, and all that are waited for.
  bool may_advance(Millis wall);
  /// When may_advance() can change without a call of the others; kNever: never.
  Millis next_look() const { return since_ ? *since_ + kPatience : kNever; }
  /// The players that are waited for no longer, since the last call: they asked for nothing for kPatience.
  std::vector<Id> take_late() { return std::exchange(late_, {}); }
  /// What takes effect now, player by player. REQUIRES: may_advance().
  std::vector<std::vector<Intent>> begin(Micros now);
  /// To where time may advance. REQUIRES: begin() was called, and take_due() was not.
  Micros until() const;
  /// The steps that end at `now`.
  std::vector<Step> take_due(Micros now);

  static constexpr Millis kNever = UINT64_MAX;

 private:
  struct Player {
    bool plays = false;
    bool awaited = false;  // only who plays
    std::deque<Intent> collected{};
    std::size_t size = 0;        // of what is collected
    std::size_t asks = 0;        // steps that are asked for in it
    std::optional<Step> step{};  // under way
  };

  std::optional<Micros> length_of(const Intent& intent) const;
  void drop_collected(const Player& player);

  const Micros tick_;
  std::map<Id, Player> players_;
  std::optional<Millis> since_;  // when somebody had asked, and others had not
  std::vector<Id> late_;
  Ledger drops_;
};

}  // namespace entente::core
