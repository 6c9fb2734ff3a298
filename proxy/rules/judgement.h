// Rules over the words of a recording, without a room: what they report about players.
// Invariant: the same words give the same reports as in the room where they were said, at the same times, if the
// recording has them all, and no silence of more than ten minutes. As there, rules begin with the first player: they
// are not told what was said before.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "proxy/rules/room_rules.h"

namespace entente::rules {

class Judgement final : private RoomView {
 public:
  /// `phase`: as in RoomRules::Options.
  explicit Judgement(std::shared_ptr<const RuleSet> set, core::Micros phase = 0)
      : set_(std::move(set)), options_{.phase = phase} {}

  /// In the order of their times.
  void hear(const core::Fact& fact);
  void hear(core::Intent intent);
  /// The facts that follow are about this world. Nothing is known of the time between `until` and `at`: rules are not
  /// called for it.
  void become(core::WorldState world, core::Micros at, core::Micros until);
  /// Nothing more is said until then.
  void end(core::Micros at);
  /// kReport and kSwitchedOff, so far; the caller takes them away.
  std::vector<Action> take();

  const core::WorldState& world() const override { return world_; }

 private:
  // So that rules go the same ways as there. What they want to tell players, or to do with them, is dropped.
  bool is_here(core::Id player) const override { return is_arena() && world_.player(player) != nullptr; }
  bool is_arena() const override { return world_.room().game() == "arena"; }
  void begin();

  const std::shared_ptr<const RuleSet> set_;
  const RoomRules::Options options_;
  core::WorldState world_;
  core::Micros now_ = 0;
  std::optional<RoomRules> rules_;  // nothing: nobody has entered yet
};

}  // namespace entente::rules
