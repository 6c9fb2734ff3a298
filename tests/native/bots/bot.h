// One bot for every game, by native's contract alone (schema/NATIVE.md): it hears facts and says intents, over whatever
// carries them.
#pragma once

#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "schema/game.pb.h"

namespace words = entente::words;

struct Bot {
  struct Unit {
    std::uint32_t owner = 0;
    bool alive = false;
    double x = 0, y = 0;
  };

  std::string name;
  std::function<void(const words::Intent&)> say;
  std::uint32_t me = 0, turns = 0, shots = 0;
  std::map<std::uint32_t, std::string> players = {};
  std::map<std::uint32_t, Unit> units = {};
  std::set<std::uint32_t> moved = {};

  void hear(const words::Fact& fact) {
    if (fact.has_you()) {
      me = fact.you().player();
      words::Intent enter;
      enter.mutable_enter()->set_name(name);
      say(enter);
    }
    if (fact.has_player()) players[fact.player().id()] = fact.player().name();
    if (const auto& unit = fact.unit(); fact.has_unit())
      units[unit.id()] = {unit.owner(), unit.alive(), unit.pose().x(), unit.pose().y()};
    if (fact.has_gone()) units.erase(fact.gone().unit());
    if (fact.has_died()) at(fact.died().unit(), [](Unit& unit) { unit.alive = false; });
    if (const auto& pose = fact.spawned().pose(); fact.has_spawned())
      at(fact.spawned().unit(), [&](Unit& unit) { unit = {unit.owner, true, pose.x(), pose.y()}; });
    if (fact.has_shot()) ++shots;
    if (const auto& pose = fact.pose(); fact.has_pose())
      at(pose.unit(), [&](Unit& unit) {
        if (unit.owner != 0 && std::hypot(pose.x() - unit.x, pose.y() - unit.y) > 0.1) moved.insert(pose.unit());
        unit.x = pose.x(), unit.y = pose.y();
      });
  }

  /// Five times a second: at whoever is nearest, and shoots; alone, or too close, around the middle.
  void act() {
    if (me == 0) return;
    const Unit *mine = nullptr, *foe = nullptr;
    const auto far = [&](const Unit& unit) { return std::hypot(unit.x - mine->x, unit.y - mine->y); };
    for (const auto& [id, unit] : units)
      if (mine == nullptr && unit.alive && unit.owner == me) mine = &unit;
    for (const auto& [id, unit] : units)
      if (mine != nullptr && unit.alive && unit.owner != 0 && unit.owner != me && (!foe || far(unit) < far(*foe)))
        foe = &unit;
    const std::uint32_t turn = turns++;
    words::Intent wish;
    if (mine == nullptr) return wish.mutable_spawn(), turn % 10 == 0 ? say(wish) : void();
    const bool chase = foe != nullptr && far(*foe) > 20;
    wish.mutable_toward()->set_x(chase ? foe->x : 90 * std::cos(turn / 30.0));
    wish.mutable_toward()->set_y(chase ? foe->y : 90 * std::sin(turn / 30.0));
    say(wish);
    if (foe == nullptr || turn % 10 != 5) return;
    wish.mutable_fire()->set_shot(turn);
    wish.mutable_fire()->set_x(mine->x), wish.mutable_fire()->set_y(mine->y);
    wish.mutable_fire()->set_vx(foe->x - mine->x), wish.mutable_fire()->set_vy(foe->y - mine->y);
    say(wish);
  }

  void report() const {
    std::multiset<std::string> names;
    for (const auto& [id, called] : players) names.insert('"' + called + '"');
    std::cout << "{\"players\":[";
    for (const char* comma = ""; const std::string& called : names) std::cout << std::exchange(comma, ",") << called;
    std::cout << "],\"moved\":" << moved.size() << ",\"shots\":" << shots << "}" << std::endl;
  }

 private:
  template <class Call>
  void at(std::uint32_t id, Call&& call) {
    if (const auto unit = units.find(id); unit != units.end()) call(unit->second);
  }
};
