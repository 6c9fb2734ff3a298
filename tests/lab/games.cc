#include "tests/lab/games.h"

#include <algorithm>

namespace entente::lab {
namespace {

constexpr std::uint16_t kServerPort = 7000, kProxyPort = 5000;

struct Spoken {
  const char *game, *dialect;
};
constexpr Spoken kSpoken[] = {{"native", "json"},     {"native", "protobuf"}, {"panic", "le-padded"},
                              {"panic", "be-packed"}, {"ogar", "modern3"},    {"ogar", "legacy6"},
                              {"bzflag", "2.4"},      {"bzflag", "2.0"},      {"bzflag", "1.10"},
                              {"bzdraft", "draft"},   {"aos", "0.75"}};

}  // namespace

Games::Games(Plan& plan, Verdict& verdict, std::size_t most_ways)
    : plan_(plan),
      verdict_(verdict),
      server_({"server", kServerHost, 1, &told_by_server_, [this](auto& its) { return open_server(its); }}),
      players_({"players", kPlayerHost, 1, &told_by_players_, [this](auto& its) { return open_players(its); }}) {
  for (std::size_t i = 0, ways = plan.draw("ways").number(1, most_ways); i < ways; ++i) {
    const std::string name = "way " + std::to_string(i);
    if (!plan.has(name)) continue;
    Draw draw = plan.draw(name);
    const auto any = [&] {
      // Rarely the last one: its map takes as much work as all the rest.
      const Spoken& one =
          draw.chance(0.05) ? kSpoken[std::size(kSpoken) - 1] : kSpoken[draw.number(0, std::size(kSpoken) - 2)];
      return speech(one.game, one.dialect);
    };
    Way way{name, any(), any()};
    if (draw.chance(0.2)) way.server = way.clients;  // a relay
    way.into_arena = draw.chance(0.3);
    way.wanted = draw.number(1, 3);
    way.hold = draw.chance(0.6) ? draw.number(1, 60) * kSecond : 0;
    way.plays_meanwhile = draw.chance(0.4);
    way.listen = {kProxyHost, static_cast<std::uint16_t>(kProxyPort + i)};
    way.name += ", " + way.clients.text() + (way.into_arena ? " into the arena" : " to " + way.server.text());
    ways_.push_back(std::move(way));
  }
}

Place Games::server_for(const Speech& its) {
  const auto spoken = std::find_if(std::begin(kSpoken), std::end(kSpoken),
                                   [&](const Spoken& one) { return speech(one.game, one.dialect) == its; });
  return {kServerHost, static_cast<std::uint16_t>(kServerPort + (spoken - std::begin(kSpoken)))};
}

/// An arena, as a server of each game.
bool Games::open_server(relay::ProxyServer& server) {
  const std::size_t room = server.add_shared_room(arena("field", 32));
  std::uint16_t port = kServerPort;
  for (const Spoken& one : kSpoken)
    if (const auto added = server.add(route_into(speech(one.game, one.dialect), {kServerHost, port++}, room, "field"));
        !added)
      return wrong("the server does not start: " + added.error().text), false;
  return true;
}

/// The last group watches the server's arena: it sees what is true.
bool Games::open_players(relay::ProxyServer& server) {
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const auto behaviour =
        plan_.draw("behaviour of " + ways_[i].name).chance(0.8) ? core::Behaviour::kHunt : core::Behaviour::kWander;
    const auto added = server.add(
        route_of_bots(ways_[i].clients, ways_[i].listen, [this, i, behaviour] { return crowd_.next(i, behaviour); }));
    if (!added) return wrong("the players do not start: " + added.error().text), false;
    ways_[i].asked = 1;
  }
  watchers_asked_ = 1;
  return server
      .add(route_of_bots(speech("native", "json"), {kServerHost, kServerPort},
                         [this] { return crowd_.next(ways_.size(), core::Behaviour::kWatch); }))
      .ok();
}

/// Who has left comes again.
void Games::keep_players() {
  while (!over_) {
    for (std::size_t i = 0; i < ways_.size(); ++i) keep(i, ways_[i].wanted, ways_[i].asked);
    keep(ways_.size(), 1, watchers_asked_);
    sleep(kSecond / 2);
  }
}

void Games::keep(std::size_t group, std::size_t wanted, std::size_t& asked) {
  if (!players_.runs() || asked != crowd_.begun(group) || crowd_.here(group) >= wanted) return;
  ++asked;
  players_.server().add_bots(group, 1);
}

/// Everybody stops, and sees what has become of it.
void Games::rest() {
  crowd_.rest();
  sleep(20 * kSecond);
  crowd_.look();
  sleep(2 * kSecond);
}

void Games::await_all() {
  kernel().wait(
      [this] {
        for (std::size_t i = 0; i < ways_.size(); ++i)
          if (crowd_.in(i) < ways_[i].wanted) return false;
        return crowd_.in(ways_.size()) != 0;
      },
      kernel().now() + kInWithin);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (crowd_.in(i) >= ways_[i].wanted) continue;
    std::string last = "nobody came";
    for (const auto& one : crowd_.people())
      if (one->group == i && !one->in())
        last = one->name + (one->refused.empty() ? " waits" : " was refused: " + one->refused);
    wrong(ways_[i].name + ": " + std::to_string(crowd_.in(i)) + " of " + std::to_string(ways_[i].wanted) +
          " players are in, 30 s after all is calm: " + last);
  }
  if (crowd_.in(ways_.size()) == 0) wrong("nobody could watch the server's arena");
}

}  // namespace entente::lab
