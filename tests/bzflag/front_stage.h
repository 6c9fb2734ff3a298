// Helpers for tests of the front. The client's player is 1, "anna", with the tank 11; "ben" is 2, with the tank 12.
#pragma once

#include "adapters/bzflag/world/world_conversions.h"
#include "tests/bzflag/said.h"

namespace entente::bzflag {

inline testing::FrontStage front_stage(std::size_t dialect = kDialect24) {
  return {faces().front({dialect, {}}), game(), dialect, wire::Way::kToClient};
}

inline words::Rule rule(std::string name, std::string value) {
  words::Rule rule;
  rule.set_name(std::move(name));
  rule.set_value(std::move(value));
  return rule;
}

inline words::Room room_of(std::string game) {
  words::Room room;
  if (game == "bzflag") room.set_most_shots(2);
  room.set_game(std::move(game));
  room.set_mode("free for all");
  return room;
}

inline words::World tiles_2x2() {
  words::World world;
  world.set_kind(words::World::TILES);
  world.set_west(-50);
  world.set_east(50);
  world.set_south(-50);
  world.set_north(50);
  world.set_columns(2);
  world.set_rows(2);
  world.set_tiles(std::string("\0\1\2\3", 4));
  return world;
}

inline words::Player player(core::Id id, std::string name, words::Team team, words::Role role = words::PLAY) {
  words::Player player;
  player.set_id(id);
  player.set_name(std::move(name));
  player.set_team(team);
  player.set_role(role);
  return player;
}

inline words::Pose pose(core::Id unit, double x, double y, double vx = 0) {
  words::Pose pose;
  pose.set_unit(unit);
  pose.set_x(x);
  pose.set_y(y);
  pose.set_vx(vx);
  return pose;
}

inline words::Unit tank(core::Id id, core::Id owner, bool alive, double x = 0) {
  words::Unit unit;
  unit.set_id(id);
  unit.set_owner(owner);
  unit.set_alive(alive);
  *unit.mutable_pose() = pose(id, x, 0);
  return unit;
}

inline words::Owns owns(core::Id player, std::initializer_list<core::Id> units) {
  words::Owns owns;
  owns.set_player(player);
  for (const core::Id unit : units) owns.add_units(unit);
  if (units.size() != 0) owns.set_active(*units.begin());
  return owns;
}

inline words::Spawned spawned(core::Id unit, double x, double y) {
  words::Spawned spawned;
  spawned.set_unit(unit);
  *spawned.mutable_pose() = pose(unit, x, y);
  return spawned;
}

/// A red flag on that player's tank.
inline words::Token carried_by(core::Id player, core::Id id = 70) {
  words::Token token;
  token.set_id(id);
  token.set_kind(words::Token::TEAM_FLAG);
  token.set_team(words::RED);
  token.set_state(words::Token::CARRIED);
  token.set_carrier(player);
  return token;
}

inline Enter enter_as(std::string_view name, std::int16_t team = 1) {
  Enter enter;
  enter.team = team;
  enter.callsign.set(name);
  enter.end = 0;
  return enter;
}

/// `victim`: the victim's client decides about hits, as in BZFlag; otherwise the server does.
inline void furnish(testing::FrontStage& stage, bool victim) {
  stage.hears(room_of(victim ? "bzflag" : "panic"));
  if (victim) {
    stage.hears(rule("hits", "victim"));
    stage.hears(rule("BZFLAG.maxFlags", "4"));
  }
  stage.hears(tiles_2x2());
}

/// Joins and spawns: anna is at 0, 0 and ben at 20, 0.
inline void come_in(testing::FrontStage& stage, bool victim) {
  stage.opens();
  stage.receives(as_bytes("BZFLAG\r\n\r\n"));
  furnish(stage, victim);
  stage.receives(by_client({NegotiateFlags{}, WantSettings{}, WantWorldHash{}, enter_as("anna")}));
  for (const core::Fact& fact : std::initializer_list<core::Fact>{player(2, "ben", words::GREEN), tank(12, 2, true, 20),
                                                                  owns(2, {12}), player(1, "anna", words::RED),
                                                                  tank(11, 1, false), owns(1, {11}), words::Ready()})
    stage.hears(fact);
  stage.hears(spawned(11, 0, 0));
}

inline PlayerUpdateSmall drives_to(double x, double y, std::int32_t order, double vx = 0) {
  words::Pose at = pose(0, x, y, vx);
  at.set_seq(static_cast<std::uint32_t>(order));
  return std::get<PlayerUpdateSmall>(update_of(at, 0, 1.5F, true));
}

}  // namespace entente::bzflag
