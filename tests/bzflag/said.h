// The messages of a BZFlag peer as bytes, for tests on a stage.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/wire.h"
#include "adapters/bzflag/world/world.h"
#include "tests/support/stage.h"

namespace entente::bzflag {

inline constexpr std::size_t kDialect24 = 0, kDialect20 = 1, kDialect110 = 2, kDialectWiki = 3;

/// The messages as that dialect encodes them.
inline Buffer said(wire::Way way, std::initializer_list<Message> messages, std::size_t dialect = kDialect24) {
  const auto codec = make_message_codec(dialect);
  Buffer out;
  for (const Message& message : messages) codec->write(message, way, out);
  return out;
}
inline Buffer by_server(std::initializer_list<Message> messages, std::size_t dialect = kDialect24) {
  return said(wire::Way::kToClient, messages, dialect);
}
inline Buffer by_client(std::initializer_list<Message> messages, std::size_t dialect = kDialect24) {
  return said(wire::Way::kToServer, messages, dialect);
}

inline AddPlayer add_player(std::uint8_t number, std::int16_t team, std::string_view name) {
  AddPlayer add;
  add.id = player_id(number);
  add.team = static_cast<std::uint16_t>(team);
  add.callsign.set(name);
  return add;
}

/// The lines of `play` that begin with `start`.
inline std::string lines(const std::string& play, std::string_view start) {
  std::string out;
  for (std::size_t at = 0; at < play.size();) {
    const std::size_t end = play.find('\n', at);
    const std::string line = play.substr(at, end + 1 - at);
    if (line.starts_with(start)) out += line;
    at = end + 1;
  }
  return out;
}

/// The number after each `start` in `play`.
inline std::vector<double> numbers_after(const std::string& play, std::string_view start) {
  std::vector<double> numbers;
  for (std::size_t at = play.find(start); at != std::string::npos; at = play.find(start, at + 1))
    numbers.push_back(std::stod(play.substr(at + start.size())));
  return numbers;
}

/// A small world: four walls and a box, 400 m wide.
inline Buffer small_world() {
  GroupWorld world;
  world.world.walls = {{{0, 200, 0}, 4.712389F, 200, 6.15F, 0}};
  world.world.boxes = {{{50, 0, 0}, 0, {10, 10, 9.42F}, 0}};
  Buffer out;
  write_world(world, 0, out);
  return out;
}

}  // namespace entente::bzflag
