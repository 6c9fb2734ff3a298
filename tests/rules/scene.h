// A room for rules without a network: a world, two players with tanks, and what happens in it.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "proxy/rules/room_rules.h"

namespace entente::rules {

class Scene final : public RoomView {
 public:
  static constexpr core::Id kAnna = 1, kBen = 2, kAnnasTank = 11, kBensTank = 12;

  explicit Scene(std::vector<std::pair<std::string, std::string>> files, bool loads = true) {
    auto set = std::make_shared<RuleSet>();
    for (auto& [name, source] : files) {
      auto checked = check_rule(name, source);
      if (!checked && loads) FAIL(checked.error().text);
      set->push_back(checked ? std::move(*checked) : RuleFile{name, source, {}});
    }
    rules = std::make_unique<RoomRules>(std::move(set), *this, RoomRules::Options{7, false}, now);
  }
  explicit Scene(std::string source) : Scene({{"rule.lua", std::move(source)}}) {}

  // RoomView
  const core::WorldState& world() const override { return world_; }
  bool is_here(core::Id player) const override { return seats.contains(player); }
  bool is_arena() const override { return arena; }
  bool is_up() const override { return up && RoomView::is_up(); }

  void tell(core::Fact fact) {
    fact.at = now;
    rules->tick(now);
    world_.fold(fact);
    rules->told(fact, now);
  }
  /// False: a rule dropped it.
  bool say(core::Intent& intent, core::Id by) {
    intent.by = by;
    intent.at = now;
    rules->tick(now);
    return rules->hear(intent, now) != Rule::Answer::kDrop;
  }
  bool chat(core::Id by, const std::string& text) {
    words::Say say_it;
    say_it.set_text(text);
    if (text.starts_with('/')) say_it.set_kind(words::Say::COMMAND);
    core::Intent intent(say_it);
    const bool passes = say(intent, by);
    heard = core::as<words::Say>(intent)->text();
    return passes;
  }
  void pass(double seconds) {
    for (core::Micros left = static_cast<core::Micros>(seconds * 1e6); left > 0;) {
      const core::Micros step = std::min(left, core::kSecond);
      now += step;
      left -= step;
      rules->tick(now);
    }
  }

  void join(core::Id id, const std::string& name, words::Team team) {
    seats.insert(id);
    words::Player player;
    player.set_id(id);
    player.set_name(name);
    player.set_team(team);
    tell(player);
    words::Unit unit;
    unit.set_id(id + 10);
    unit.set_owner(id);
    unit.set_team(team);
    unit.mutable_pose()->set_unit(id + 10);
    tell(unit);
    words::Owns owns;
    owns.set_player(id);
    owns.add_units(id + 10);
    owns.set_active(id + 10);
    tell(owns);
    place(id, id == kAnna ? -100 : 350, 0);
  }
  void place(core::Id player, double x, double y, double yaw = 0) {
    words::Spawned spawned;
    spawned.set_unit(player + 10);
    spawned.mutable_pose()->set_unit(player + 10);
    spawned.mutable_pose()->set_x(x);
    spawned.mutable_pose()->set_y(y);
    spawned.mutable_pose()->set_yaw(yaw);
    tell(spawned);
  }
  void leave(core::Id id) {
    words::PlayerGone gone;
    gone.set_id(id);
    tell(gone);
    seats.erase(id);
  }
  void die(core::Id victim, core::Id killer) {
    words::Died died;
    died.set_player(victim);
    died.set_unit(victim + 10);
    died.set_killer(killer);
    tell(died);
  }
  /// A room with a server, and Anna and Ben.
  void begin() {
    words::Room room;
    room.set_name("the yard");
    room.set_mode("teams");
    room.set_teams(true);
    tell(room);
    words::World geometry;
    geometry.set_hash("yard");
    geometry.set_west(-400);
    geometry.set_east(400);
    geometry.set_south(-400);
    geometry.set_north(400);
    for (const words::Team team : {words::RED, words::BLUE}) {
      words::Base& base = *geometry.add_bases();
      base.set_team(team);
      base.mutable_solid()->set_x(team == words::RED ? -350 : 350);
      base.mutable_solid()->set_half_x(40);
      base.mutable_solid()->set_half_y(40);
    }
    tell(geometry);
    tell(words::Ready());
    join(kAnna, "anna", words::RED);
    join(kBen, "ben", words::BLUE);
  }

  std::vector<Action> take() { return std::exchange(rules->actions(), {}); }
  /// "tell 1: hello", one action in a line.
  std::string taken() {
    static constexpr const char* kNames[] = {"tell",     "tell_all",   "kick",        "ban", "move",   "set_score",
                                             "set_team", "open_round", "close_round", "log", "report", "off"};
    std::string text;
    for (const Action& action : take()) {
      text += kNames[static_cast<std::size_t>(action.kind)];
      if (action.player != 0) text += " " + std::to_string(action.player);
      if (action.team != words::TEAM_ANY) text += " " + words::Team_Name(action.team);
      if (action.kind == Action::Kind::kSetScore)
        text += " " + std::to_string(action.wins) + " " + std::to_string(action.losses);
      if (!action.text.empty()) text += ": " + action.text;
      text += "\n";
    }
    return text;
  }

  core::Micros now = core::kSecond;
  std::set<core::Id> seats;
  bool arena = true, up = true;
  std::string heard;  ///< the last chat, as rules changed it
  std::unique_ptr<RoomRules> rules;

 private:
  core::WorldState world_;
};

}  // namespace entente::rules
