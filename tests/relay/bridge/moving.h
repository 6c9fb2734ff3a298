// Routes between which players are moved: two bridges to native servers, two arenas, and a relay.
#pragma once

#include <future>
#include <optional>

#include "proxy/core/arena/referee.h"
#include "tests/relay/native_lines.h"

namespace entente::testing {

using relay::MoveResult;

inline constexpr std::size_t kHome = 0, kOther = 1, kLobby = 2, kToyListener = 3, kRelay = 4, kHall = 5;
inline constexpr Millis kMovePatience = 20'000;

inline const auto kNativeFront = [](std::size_t dialect) { return native::make_front({dialect, {}}); };

/// Two bridges to native servers, two arenas, and a relay.
class Moving : public Serving {
 public:
  explicit Moving(std::size_t workers = 1, std::uint32_t hold_ms = 0, bool toy_front = false,
                  Limits limits = no_limits(), std::uint32_t other_hold_ms = 0)
      : Serving(workers), home_at(nowhere()), other_at(nowhere()), front_(toy_front ? toy::stream() : native::game()) {
    home.emplace(home_at);
    other.emplace(other_at);
    core::Arena place;
    place.rules.most_players = 1;
    place.world = core::courtyard(100);
    relay::SharedRoomOptions room;
    room.name = "the arena 'lobby'";
    room.game = &native::game();
    room.back = [place] { return std::make_unique<core::Referee>(place); };
    room.chat.every = 0;
    server().add_shared_room(room);
    arena = server().add_shared_room(room);
    room.name = "the arena 'hall'";
    hall = server().add_shared_room(room);
    serve_all(to(home_at, hold_ms, !toy_front), limits);
    addresses = {address};
    relay::RouteOptions second = to(other_at, other_hold_ms, !toy_front);
    second.limits = limits;
    second.bans = &bans;
    add(second);
    add(into("lobby", arena, native::game(), kNativeFront, kJson, limits));
    relay::RouteOptions toys = to(other_at, 0, false);
    toys.limits = limits;
    toys.public_host = "play.example.org";
    add(toys);
    relay::RouteOptions relayed;
    relayed.game = &native::game();
    relayed.listen = loopback();
    relayed.listen_dialect = kJson;
    relayed.servers[0] = {.host = home_at.ip_text(), .port = home_at.port(), .dialect = kJson};
    relayed.limits = limits;
    relayed.announce = true;
    relayed.back = [](std::size_t dialect) { return native::make_back({dialect, {}}); };
    add(relayed);
    add(into("hall", hall, native::game(), kNativeFront, kJson, limits));
  }
  ~Moving() { stop(); }

  MoveResult move(std::size_t route, std::optional<relay::LinkId> link = {}) {
    return server().move(link.value_or(sessions().front().info.link), route, kMovePatience);
  }
  std::future<MoveResult> begin_move(std::size_t route) {
    const relay::LinkId link = sessions().front().info.link;
    return std::async(std::launch::async, [this, link, route] { return server().move(link, route, kMovePatience); });
  }
  std::string why_stays(std::size_t route) {
    const MoveResult result = move(route);
    CHECK(result.how == MoveResult::How::kStays);
    return result.text;
  }

  const net::Address home_at, other_at;
  std::optional<LateServer> home, other;
  std::size_t arena = 0, hall = 0;
  std::vector<net::Address> addresses;  // of the routes' listeners
  relay::Bans bans;

  /// A listener of an arena.
  relay::RouteOptions into(const std::string& name, std::size_t room, const wire::Game& game,
                           std::function<std::unique_ptr<core::Front>(std::size_t)> front, std::size_t dialect,
                           const Limits& limits) {
    relay::RouteOptions options;
    options.game = &game;
    options.listen = loopback();
    options.listen_dialect = dialect;
    options.servers[0].host = name;
    options.servers[0].dialect = dialect;
    options.limits = limits;
    options.tap = &tapped;
    options.bridge.emplace();
    options.bridge->server_game = &game;
    options.bridge->front = std::move(front);
    options.bridge->shared_room = room;
    options.bridge->chat.every = 0;
    options.place = {name, [] { return native::make_front({0, {}}); }, [] { return native::make_back({0, {}}); }};
    return options;
  }
  void add(const relay::RouteOptions& options) {
    const auto listening = server().add(options);
    REQUIRE_MESSAGE(listening.ok(), (listening.ok() ? "" : listening.error().text));
    CHECK(listening->route == addresses.size());
    addresses.push_back(listening->address);
  }

 private:
  relay::RouteOptions to(const net::Address& at, std::uint32_t hold_ms, bool json_front) {
    relay::RouteOptions options = held(hold_ms, json_front ? native::game() : toy::stream(), json_front);
    options.servers[0].host = at.ip_text();
    options.servers[0].port = at.port();
    return options;
  }

  const wire::Game& front_;
};

}  // namespace entente::testing
