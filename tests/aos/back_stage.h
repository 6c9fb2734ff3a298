// A back on a test stage: a meadow in an ocean, packets of a server, and other players.
#pragma once

#include "adapters/aos/aos.h"
#include "adapters/aos/wire/wire.h"
#include "adapters/aos/world/map_stream.h"
#include "tests/aos/ground.h"
#include "tests/aos/said.h"
#include "tests/support/stage.h"

namespace entente::aos {

inline Buffer by_server(const Message& message, std::size_t dialect = 0) {
  Buffer bytes;
  make_message_codec(dialect)->write(message, wire::Way::kToClient, bytes);
  return bytes;
}

inline const Buffer& packed_meadow() {
  static const Buffer packed = pack_map(meadow());
  return packed;
}

inline StateData capture_the_flag(std::uint8_t me) {
  StateData state;
  state.player = me;
  state.fog = {232, 255, 128};
  state.colour1 = {255, 0, 0};
  state.colour2 = {0, 255, 0};
  state.name1.set("Blue");
  state.name2.set("Green");
  state.ctf.limit = 10;
  state.ctf.score1 = 2;
  state.ctf.intel1 = {110.5F, 150.5F, 60};
  state.ctf.intel2 = {190.5F, 150.5F, 60};
  state.ctf.base1 = {105.5F, 150.5F, 60};
  state.ctf.base2 = {195.5F, 150.5F, 60};
  return state;
}

inline CreatePlayer created(std::uint8_t number, std::uint8_t team, float x, float y, const char* name) {
  CreatePlayer message;
  message.player = number;
  message.team = team;
  message.position = {x, y, 57.6F};
  message.name.chars = std::string(name) + '\0';
  return message;
}

inline ExistingPlayer existing(std::uint8_t number, std::uint8_t team, const char* name) {
  ExistingPlayer message;
  message.player = number;
  message.team = team;
  message.tool = 2;
  message.kills = 4;
  message.name.chars = std::string(name) + '\0';
  return message;
}

inline words::Enter anna(words::Role role = words::PLAY) {
  words::Enter enter;
  enter.set_name("anna");
  enter.set_team(words::BLUE);
  enter.set_role(role);
  return enter;
}

/// A back and its scripted events. Dialects: 0 is 0.75, 1 is 0.76, 2 is 0.80.
struct Scene {
  explicit Scene(std::size_t which = 0, std::map<std::string, std::string, std::less<>> settings = {})
      : dialect(which), stage(faces().back({which, std::move(settings)}), game(), which, wire::Way::kToServer) {}

  std::string receives(const Message& message, Lane lane = Lane::kStream) {
    return stage.receives(by_server(message, dialect), lane);
  }
  std::string hears(core::Intent word) { return stage.hears(std::move(word)); }
  std::string waits(core::Micros how_long) { return stage.waits(how_long); }

  /// Sends the whole map.
  std::string loads() {
    std::string said = receives(MapStart{static_cast<std::uint32_t>(packed_meadow().size()), 0, {}});
    for (Bytes left = packed_meadow(); !left.empty();) {
      MapChunk chunk;
      const std::size_t size = std::min(kMapChunk, left.size());
      chunk.data.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
      said += receives(chunk);
      left = left.subspan(size);
    }
    return said;
  }
  /// Connected as number 3, before spawning. Number 5, "ben", on the other side, is there.
  std::string comes() {
    stage.opens();
    std::string said = loads();
    said += receives(existing(5, 1, "ben"));
    said += receives(capture_the_flag(3));
    return said;
  }
  /// In play, in the middle of the meadow, on the ground, and looking east.
  void plays(float x = 150.5F, float y = 150.5F) {
    comes();
    hears(anna());
    hears(words::Spawn());
    receives(created(3, 0, x, y, "anna"));
    waits(core::kSecond);
  }

  /// Everybody's position, as in a snapshot of 0.75.
  std::string snapshot(std::initializer_list<std::pair<std::size_t, Vec3>> places, Vec3 look = {1, 0, 0}) {
    WorldUpdate update;
    update.players.resize(8);
    for (const auto& [number, place] : places) update.players[number] = {0, place, look};
    return receives(update, Lane::kDatagram);
  }

  std::size_t dialect;
  testing::BackStage stage;
};

}  // namespace entente::aos
