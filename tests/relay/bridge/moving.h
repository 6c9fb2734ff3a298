// Routes between which players are moved: two bridges to native servers, two arenas, and a relay.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "tests/relay/bridge/native_arena.h"

namespace entente::testing {

using relay::MoveResult;

inline constexpr std::size_t kHome = 0, kOther = 1, kLobby = 2, kToyListener = 3, kRelay = 4, kHall = 5;
inline constexpr Millis kMovePatience = 20'000;

/// Two bridges to native servers, two arenas, and a relay.
class Moving : public Serving {
 public:
  explicit Moving(std::size_t workers = 1, std::uint32_t hold_ms = 0, bool toy_front = false,
                  Limits limits = no_limits(), std::uint32_t other_hold_ms = 0,
                  std::shared_ptr<relay::RuleBook> other_rules = nullptr,
                  std::shared_ptr<relay::RuleBook> home_rules = nullptr)
      : Serving(workers),
        home_at(free_for_both()),
        other_at(free_for_both()),
        front_(toy_front ? toy::stream() : native::game()) {
    home.emplace(home_at);
    other.emplace(other_at);
    server().add_shared_room(native_arena("the arena 'lobby'", 1));
    arena = server().add_shared_room(native_arena("the arena 'lobby'", 1));
    hall = server().add_shared_room(native_arena("the arena 'hall'", 1));
    relay::RouteOptions first = to(home_at, hold_ms, !toy_front);
    first.bridge->rules = std::move(home_rules);
    serve_all(std::move(first), limits);
    addresses = {address};
    relay::RouteOptions second = to(other_at, other_hold_ms, !toy_front);
    second.limits = limits;
    second.bans = &bans;
    second.bridge->rules = std::move(other_rules);
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
    return server().move(link ? *link : sessions().front().info.link, route, kMovePatience);
  }
  std::future<MoveResult> begin_move(std::size_t route, std::optional<relay::LinkId> its = {}) {
    const relay::LinkId link = its ? *its : sessions().front().info.link;
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
  relay::Bans bans{600};

  /// A listener of an arena.
  relay::RouteOptions into(const std::string& name, std::size_t room, const wire::Game& game,
                           std::function<std::unique_ptr<core::Front>(std::size_t)> front, std::size_t dialect,
                           const Limits& limits) {
    relay::RouteOptions options = arena_listener(name, room, game, std::move(front), dialect, limits);
    options.tap = &tapped;
    options.arena_faces = native_place(name);
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

/// A subcase for each way in which the other server does not let a player in. `begins` begins the move to kOther.
/// Returns why the player stays.
inline std::string not_let_in(Moving& running, const std::function<std::future<MoveResult>()>& begins) {
  std::string why;
  const auto stays = [](std::future<MoveResult> result) {
    const MoveResult answer = result.get();
    CHECK(answer.how == MoveResult::How::kStays);
    return answer.text;
  };
  SUBCASE("it refuses") {
    auto result = begins();
    Lines other = greet(*running.other).first;
    other.say(R"({"refused":{"code":"FULL","text":"no seat for you"}})");
    why = stays(std::move(result));
    CHECK(why == "no seat for you");
    other.all();
  }
  SUBCASE("nothing listens") {
    running.other.reset();
    why = stays(begins());
    CHECK(why == "its server cannot be reached");
  }
  SUBCASE("it hangs up") {
    auto result = begins();
    (void)greet(*running.other);
    why = stays(std::move(result));
    CHECK_FALSE(why.empty());
  }
  SUBCASE("it sends nonsense") {
    auto result = begins();
    Lines other(running.other->accept());
    other.say("nonsense");
    why = stays(std::move(result));
    CHECK(why.find("broke the rules of its game") != std::string::npos);
  }
  return why;
}

}  // namespace entente::testing
