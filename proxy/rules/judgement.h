// Rules over the words of a recording, without a room: what they report about players.
// Invariant: the same facts give the same reports as in the room where they were told, if the rules hear facts only and
// the recording has them all.
#pragma once

#include <memory>
#include <vector>

#include "proxy/rules/room_rules.h"

namespace entente::rules {

class Judgement final : private RoomView {
 public:
  explicit Judgement(std::shared_ptr<const RuleSet> set) : rules_(std::move(set), *this, RoomRules::Options{}, 0) {}

  /// In the order of their times.
  void hear(const core::Fact& fact);
  void hear(core::Intent intent);
  /// The facts that follow are about this world.
  void become(core::WorldState world, core::Micros at);
  /// kReport and kSwitchedOff, so far; the caller takes them away.
  std::vector<Action> take();

  const core::WorldState& world() const override { return world_; }

 private:
  bool is_here(core::Id) const override { return false; }  // nobody can be told anything
  bool is_arena() const override { return false; }
  void pass(core::Micros at);

  core::WorldState world_;
  core::Micros now_ = 0;
  std::vector<Action> found_;
  RoomRules rules_;
};

}  // namespace entente::rules
