// An arena with a native world, and its listeners.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "proxy/core/arena/referee.h"
#include "tests/relay/native_lines.h"

namespace entente::testing {

/// `name`: as players see it, such as "the arena 'lobby'".
inline relay::SharedRoomOptions native_arena(const std::string& name, std::uint32_t seats) {
  core::Arena place;
  place.rules.most_players = seats;
  place.geometry = core::courtyard(100);
  relay::SharedRoomOptions room;
  room.name = name;
  room.game = &native::game();
  room.back = [place] { return std::make_unique<core::Referee>(place); };
  room.chat.every = 0;
  return room;
}

/// The destination of players that are moved to the arena of this name.
inline relay::BridgeOptions::ArenaPlace native_place(const std::string& name) {
  return {name, [] { return native::make_front({0, {}}); }, [] { return native::make_back({0, {}}); }};
}

/// `room`: as ProxyServer::add_shared_room() returned it. `name`: of the listener's server.
inline relay::RouteOptions arena_listener(const std::string& name, std::size_t room, const wire::Game& game,
                                          std::function<std::unique_ptr<core::Front>(std::size_t)> front,
                                          std::size_t dialect, const Limits& limits) {
  relay::RouteOptions options;
  options.game = &game;
  options.listen = loopback();
  options.listen_dialect = dialect;
  options.servers[0].host = name;
  options.servers[0].dialect = dialect;
  options.limits = limits;
  options.bridge.emplace();
  options.bridge->server_game = &game;
  options.bridge->front = std::move(front);
  options.bridge->shared_room = room;
  options.bridge->chat.every = 0;
  return options;
}

}  // namespace entente::testing
