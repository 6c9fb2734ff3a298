#include "tests/lab/town.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/lab/disk.h"

namespace entente::lab {
namespace {

constexpr Nanos kStopsWithin = 30 * kSecond, kInWithin = 30 * kSecond;
constexpr double kNear = 2, kNearMen = 5;  // metres between two places of one player; a man's client moves him itself
constexpr std::uint16_t kServerPort = 7000, kProxyPort = 5000;

struct Spoken {
  const char *game, *dialect;
};
constexpr Spoken kSpoken[] = {{"native", "json"},     {"native", "protobuf"}, {"panic", "le-padded"},
                              {"panic", "be-packed"}, {"ogar", "modern3"},    {"ogar", "legacy6"},
                              {"bzflag", "2.4"},      {"bzflag", "2.0"},      {"bzflag", "1.10"},
                              {"bzdraft", "draft"},   {"aos", "0.75"}};

/// Whether a client of this game sees all players, by their names.
bool shows_all(const Speech& its) {
  return its.game->name() == "native" || its.game->name() == "bzflag" || its.game->name() == "bzdraft" ||
         its.game->name() == "aos";
}

}  // namespace

Town::Town(Plan& plan, Verdict& verdict)
    : plan_(plan),
      verdict_(verdict),
      records_(plan.has("recording", 0.6)),
      few_places_(plan.has("few places", 0.3)),
      server_({"server", kServerHost, 1, &told_by_server_, [this](auto& its) { return open_server(its); }}),
      proxy_({"proxy", kProxyHost, plan.draw("workers").number(1, 3), &told_,
              [this](auto& its) { return open_proxy(its); }, [this](const auto& its) { sum_up(its); }}),
      players_({"players", kPlayerHost, 1, &told_by_players_, [this](auto& its) { return open_players(its); }}) {
  for (std::size_t i = 0, ways = plan.draw("ways").number(1, 4); i < ways; ++i) {
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

// -- The programs -----------------------------------------------------------------------------------------------------

/// An arena, as a server of each game.
bool Town::open_server(relay::ProxyServer& server) {
  const std::size_t room = server.add_shared_room(arena("field", 32));
  std::uint16_t port = kServerPort;
  for (const Spoken& one : kSpoken)
    if (const auto added = server.add(route_into(speech(one.game, one.dialect), {kServerHost, port++}, room, "field"));
        !added)
      return wrong("the server does not start: " + added.error().text), false;
  return true;
}

relay::RouteOptions Town::through(const Way& way) {
  relay::RouteOptions options;
  if (way.into_arena) {
    options = route_into(way.clients, way.listen, lobby_, "lobby");
  } else {
    const auto spoken = std::find_if(std::begin(kSpoken), std::end(kSpoken),
                                     [&](const Spoken& one) { return speech(one.game, one.dialect) == way.server; });
    const auto port = static_cast<std::uint16_t>(kServerPort + (spoken - std::begin(kSpoken)));
    options = route_to(way.clients, way.listen, way.server, {kServerHost, port});
    options.upstream.hold_ms = way.hold / kMilli;
    if (way.hold != 0) options.upstream.check_ms = 5'000;
    if (way.plays_meanwhile && way.hold != 0 && options.bridge) options.bridge->while_down = way_into("lobby");
  }
  options.name = way.name;
  options.tap = records_ ? static_cast<relay::Tap*>(&recorded_) : &followed_;
  options.announce = !options.bridge;
  if (few_places_) options.limits.sessions = options.limits.sessions_per_address = 8;
  return options;
}

bool Town::open_proxy(relay::ProxyServer& server) {
  told_.refusals = {};
  if (records_)
    recorded_.begin();
  else
    followed_.begin_life();
  lobby_ = server.add_shared_room(arena("lobby", 32));
  for (Way& way : ways_) {
    const auto added = server.add(through(way));
    if (!added) return wrong("the proxy does not start: " + added.error().text), false;
    way.routes = {added->route};
    if (way.plays_meanwhile) server.set_while_down_room(added->route, lobby_);
  }
  return true;
}

Way& Town::way_of(std::size_t route) {
  return *std::find_if(ways_.begin(), ways_.end(), [&](const Way& one) {
    return std::find(one.routes.begin(), one.routes.end(), route) != one.routes.end();
  });
}

/// The last group watches the server's arena: it sees what is true.
bool Town::open_players(relay::ProxyServer& server) {
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
void Town::keep_players() {
  while (!over_) {
    for (std::size_t i = 0; i < ways_.size(); ++i) keep(i, ways_[i].wanted, ways_[i].asked);
    keep(ways_.size(), 1, watchers_asked_);
    sleep(kSecond / 2);
  }
}

void Town::keep(std::size_t group, std::size_t wanted, std::size_t& asked) {
  if (!players_.runs() || asked != crowd_.begun(group) || crowd_.here(group) >= wanted) return;
  ++asked;
  players_.server().add_bots(group, 1);
}

// -- A life -----------------------------------------------------------------------------------------------------------

void Town::live() {
  Disk& disk = kernel().disk();
  disk.faults.short_write = plan_.often("short writes to the disk", 0.5);
  disk.faults.interrupt = plan_.often("interrupted writes to the disk", 0.2);
  if (plan_.has("slow disk", 0.3)) disk.faults.slow = plan_.draw("slow disk").time(1, 2'000);
  if (!server_.start() || !proxy_.start() || !players_.start()) return;
  std::thread keeping([this] { keep_players(); });
  std::vector<std::thread> acting;
  for (const Act& act : acts()) acting.emplace_back([this, act] { carry_out(act); });
  sleep(plan_.draw("length").time(5'000, 90'000));
  for (std::thread& one : acting) one.join();

  plan_.tell("all is calm");
  kernel().faults = Faults();
  kernel().disk().faults = {};
  kernel().wait(
      [this] {
        for (std::size_t i = 0; i < ways_.size(); ++i)
          if (crowd_.in(i) < ways_[i].wanted) return false;
        return crowd_.in(ways_.size()) != 0;
      },
      kernel().now() + kInWithin);
  check_all_in();
  over_ = true;
  keeping.join();
  rest();
  check_sights();
  if (!close()) return;
  check_reasons();
  if (records_) recorded_.check();
}

/// Everybody stops, and sees what has become of it.
void Town::rest() {
  crowd_.rest();
  sleep(20 * kSecond);
  crowd_.look();
  sleep(2 * kSecond);
}

/// Ends the programs, the players first. False: one did not end.
bool Town::close() {
  Program* const all[] = {&players_, &proxy_, &server_};
  for (Program* one : all) {
    if (one == &proxy_) {
      kernel().wait([this] { return followed_.open() == 0; }, kernel().now() + kStopsWithin);
      if (followed_.open() != 0) wrong(std::to_string(followed_.open()) + " sessions go on without their players");
    }
    plan_.tell("stopping " + one->name());
    if (!one->stop(kStopsWithin)) return wrong(one->name() + " does not stop"), false;
    if (const auto left = kernel().open_files(one->number()); left != 0)
      wrong(one->name() + " leaves " + std::to_string(left) + " descriptors");
  }
  return true;
}

// -- What must hold ---------------------------------------------------------------------------------------------------

void Town::check_all_in() {
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

/// All that look at the server's arena see the same.
void Town::check_sights() {
  const Person* truth = nullptr;
  for (const auto& one : crowd_.people())
    if (one->group == ways_.size() && one->in()) truth = one.get();
  if (truth == nullptr) return;
  for (const auto& one : crowd_.people()) {
    if (!one->in() || one->group >= ways_.size()) continue;
    const Way& way = ways_[one->group];
    if (way.into_arena || way.moved || !shows_all(way.clients) || !shows_all(way.server)) continue;
    // Clients of Ace of Spades count kills themselves, also after another server has taken over.
    const bool keeps_scores = way.clients.game->name() != "aos" && way.server.game->name() != "aos";
    for (const auto& [name, its] : one->sees)
      if (!truth->sees.contains(name)) wrong(way.name + ": " + one->name + " sees " + name + ", who is not there");
    for (const auto& [name, its] : truth->sees) {
      if (name == truth->name || !crowd_.is_in(name)) continue;  // the server may not know yet who is gone
      const auto seen = one->sees.find(name);
      const std::string who = way.name + ": " + one->name + " sees " + name;
      if (seen == one->sees.end())
        wrong(who + " not at all");
      else if (keeps_scores && (seen->second.wins != its.wins || seen->second.losses != its.losses))
        wrong(who + " with " + std::to_string(seen->second.wins) + ":" + std::to_string(seen->second.losses) +
              " instead of " + std::to_string(its.wins) + ":" + std::to_string(its.losses));
      else if (seen->second.alive != its.alive)
        wrong(who + (its.alive ? " dead" : " alive"));
      else if (const double away = std::hypot(seen->second.x - its.x, seen->second.y - its.y);
               its.alive && away > (keeps_scores ? kNear : kNearMen))
        wrong(who + " " + std::to_string(away) + " m away");
    }
  }
}

/// Who keeps the rules is not accused of breaking them.
void Town::check_reasons() {
  using relay::Reason;
  constexpr Reason kAccusing[] = {Reason::kBadFrame,        Reason::kProtocolFault,  Reason::kBadRequest,
                                  Reason::kDialectMismatch, Reason::kDialectUnknown, Reason::kClientDialect,
                                  Reason::kBanned,          Reason::kNotAllowed,     Reason::kNotProxy};
  for (const auto& [link, session] : followed_.sessions()) {
    if (session.client.ip_text() != address({kPlayerHost, 0}).ip_text()) continue;
    const bool accused = std::any_of(std::begin(kAccusing), std::end(kAccusing),
                                     [&](Reason one) { return session.reason == text(one); });
    const bool accuses = !lied_ && session.reason == text(Reason::kServerProtocolError);
    if (accused || accuses)
      wrong("life " + std::to_string(link.first) + ", route " + std::to_string(session.route) +
            ": a session ended: " + session.reason);
  }
}

/// The proxy has stopped.
void Town::sum_up(const relay::ProxyServer& proxy) {
  if (records_) recorded_.end();
  std::array<std::uint64_t, relay::kReasons> counted{};
  for (const Way& way : ways_)
    for (const std::size_t route : way.routes) {
      const relay::Totals totals = proxy.totals(route);
      check_totals(totals, way.name, verdict_);
      for (std::size_t reason = 0; reason < relay::kReasons; ++reason) counted[reason] += totals.ended[reason];
    }
  for (std::size_t i = 0; i < relay::kReasons; ++i)
    if (const auto reason = static_cast<relay::Reason>(i); relay::is_refusal(reason) && counted[i] != told_.refusals[i])
      wrong(std::string(text(reason)) + ": " + std::to_string(counted[i]) + " refusals were counted, and " +
            std::to_string(told_.refusals[i]) + " told");
}

void simulate_games(Plan& plan, Verdict& verdict) {
  Faults faults = some_faults(plan);
  faults.lose = plan.often("losses", 0.2);
  faults.repeat = plan.often("repeats", 0.2);
  // The milliseconds overflow 32 bits.
  const Nanos began = plan.has("clock overflows", 0.3) ? ((Nanos{1} << 32U) - 20'000) * kMilli : kSecond;
  Kernel simulated(plan.seed(), faults, began);
  Town town(plan, verdict);
  const std::size_t left = simulated.run([&] { town.live(); });
  if (left != 0) verdict.wrong.push_back(std::to_string(left) + " threads are left");
  if (simulated.open_files() != 0)
    verdict.wrong.push_back(std::to_string(simulated.open_files()) + " descriptors are left");
  for (std::size_t i = 0; i < simulated.programs(); ++i)
    plan.tell("program " + std::to_string(i) + ": " + std::to_string(simulated.calls(i)) + " calls");
  plan.tell(std::to_string(simulated.calls()) + " calls, " + std::to_string(simulated.switches()) + " switches");
  verdict.leaks = left != 0 || simulated.killed_any();
  verdict.sessions = town.sessions();
  verdict.took = simulated.age();
  verdict.hash = simulated.hash();
}

}  // namespace entente::lab
