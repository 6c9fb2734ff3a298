// Helpers for tests of the back.
#pragma once

#include "tests/bzflag/said.h"

namespace entente::bzflag {

inline testing::BackStage back_stage(std::map<std::string, std::string, std::less<>> settings = {},
                                     std::size_t dialect = kDialect24) {
  return {faces().back({dialect, std::move(settings)}), game(), dialect, wire::Way::kToServer};
}

inline words::Enter anna(bool claims_deaths = true) {
  words::Enter enter;
  enter.set_name("anna");
  enter.set_team(words::RED);
  enter.set_claims_deaths(claims_deaths);
  return enter;
}

inline GameSettings small_settings() {
  GameSettings settings;
  settings.world_size = 400;
  settings.max_players = 216;
  settings.max_shots = 2;
  settings.max_flags = 4;
  return settings;
}

inline WorldHash hash_of(Bytes database) {
  WorldHash hash;
  hash.hash.chars = world_hash(database, WorldSource::kFile) + '\0';
  return hash;
}

inline Welcome welcome(std::uint8_t number, std::string_view version = "0221") {
  Welcome welcome;
  welcome.version.set(version);
  welcome.id = number;
  return welcome;
}

/// Connects and loads the world, without entering.
inline void load(testing::BackStage& stage) {
  const Buffer world = small_world();
  stage.opens();
  stage.receives(by_server({welcome(3), GameTime{1}, NegotiateFlags{}}));
  stage.receives(by_server({small_settings(), hash_of(world), WorldChunk{0, 0, world}}));
}

/// Enters as number 3, red. Number 5, "ben" of team green, is there, too.
inline void come_in(testing::BackStage& stage, const words::Enter& enter = anna()) {
  load(stage);
  stage.receives(by_server({LinkAnswer{}}), Lane::kDatagram);
  stage.hears(enter);
  stage.receives(by_server({Accept{player_id(3)}, add_player(5, 2, "ben"), add_player(3, 1, "anna")}));
}

inline Alive alive(std::uint8_t number, float x, float y) {
  Alive alive;
  alive.player = player_id(number);
  alive.pos = {x, y, 0};
  return alive;
}

}  // namespace entente::bzflag
