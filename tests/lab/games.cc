#include "tests/lab/games.h"

#include <algorithm>

namespace entente::lab {
namespace {

// How long it takes to notice that a connection was lost while nobody was told. ENet waits for an answer for up to 30
// s.
constexpr Nanos kNotices = 10 * kSecond, kEnetNotices = 35 * kSecond;
constexpr std::uint16_t kServerPort = 7000, kServerTlsPort = 7100, kProxyPort = 5000;

struct Spoken {
  const char *game, *dialect;
};
constexpr Spoken kSpoken[] = {{"native", "json"},     {"native", "protobuf"}, {"panic", "le-padded"},
                              {"panic", "be-packed"}, {"ogar", "modern3"},    {"ogar", "legacy6"},
                              {"bzflag", "2.4"},      {"bzflag", "2.0"},      {"bzflag", "1.10"},
                              {"bzdraft", "draft"},   {"aos", "0.75"}};

// Metres between two places of one player. A late update goes on from the last one, at up to 25 m/s. A client of Ace of
// Spades moves its man itself. For a client of another game, a man walks; he may be 8 blocks behind.
constexpr double kNear = 4, kNearMan = 5, kNearWalker = 13;

/// ENet knows IPv4 only.
bool may_be_six(const Speech& its) { return its.game->transport() != wire::Transport::kEnet; }

/// Whether a client of this game sees all players, by their names.
bool shows_all(const Speech& its) {
  return its.game->name() == "native" || its.game->name() == "bzflag" || its.game->name() == "bzdraft" ||
         its.game->name() == "aos";
}

std::string place_text(const Sight& its) { return std::to_string(its.x) + ", " + std::to_string(its.y); }

}  // namespace

Speech any_game(Draw& draw) {
  // Rarely the last one: its map takes as much work as all the rest.
  const Spoken& one =
      draw.chance(0.05) ? kSpoken[std::size(kSpoken) - 1] : kSpoken[draw.number(0, std::size(kSpoken) - 2)];
  return speech(one.game, one.dialect);
}

// -- The server -------------------------------------------------------------------------------------------------------

Games::Games(Plan& plan, Verdict& verdict, std::size_t most_ways, std::optional<Place> lobby)
    : Visitors(plan, verdict, {kServerHost, kServerPort}, lobby),
      proxy_first_(plan.has("the proxy stops first", 0.5)),
      server_({"server", kServerHost, 1, &told_by_server_, [this](auto& its) { return open_server(its); }}),
      six_(plan.has("server on [::]", 0.5)) {
  for (std::size_t i = 0, ways = plan.draw("ways").number(1, most_ways); i < ways; ++i) {
    const std::string name = "way " + std::to_string(i);
    if (!plan.has(name)) continue;
    Draw draw = plan.draw(name);
    Way way{name, any_game(draw), any_game(draw)};
    if (draw.chance(0.2)) way.server = way.clients;  // a relay
    if (way.clients.by_web()) way.clients.tls = plan.has(name + " by TLS", 0.3);
    if (way.server.by_web()) way.server.tls = plan.has(name + " to TLS", 0.3);
    way.into_arena = draw.chance(0.3);
    way.wanted = draw.number(1, 3);
    way.hold = draw.chance(0.6) ? draw.number(1, 60) * kSecond : 0;
    way.plays_meanwhile = draw.chance(0.4);
    way.listen = {kProxyHost, static_cast<std::uint16_t>(kProxyPort + i)};
    way.to = server_for(way.server);
    if (may_be_six(way.clients)) {
      if (plan.has(name + " by IPv6", 0.3)) way.listen = in_six(way.listen);
      way.everywhere = plan.has(name + " on [::]", 0.3);
    }
    if (six_ && may_be_six(way.server) && plan.has(name + " to IPv6", 0.3)) way.to = in_six(way.to);
    way.name += ", " + way.clients.text() + (way.into_arena ? " into the arena" : " to " + way.server.text());
    ways_.push_back(std::move(way));
  }
}

Place Games::server_for(const Speech& its) {
  const auto spoken = std::find_if(std::begin(kSpoken), std::end(kSpoken),
                                   [&](const Spoken& one) { return speech(one.game, one.dialect) == its; });
  return {kServerHost,
          static_cast<std::uint16_t>((its.tls ? kServerTlsPort : kServerPort) + (spoken - std::begin(kSpoken)))};
}

/// An arena, as a server of each game.
bool Games::open_server(relay::ProxyServer& server) {
  const std::size_t room = server.add_shared_room(arena("field", 32));
  const auto serve = [&](const Speech& its) {
    const Place at{six_ && may_be_six(its) ? kSix : kServerHost, server_for(its).second};
    const auto added = server.add(route_into(its, at, room, "field"));
    if (!added) wrong("the server does not start: " + added.error().text);
    return added.ok();
  };
  return std::all_of(std::begin(kSpoken), std::end(kSpoken), [&](const Spoken& one) {
    Speech its = speech(one.game, one.dialect);
    if (!serve(its)) return false;
    its.tls = its.by_web();
    return !its.tls || serve(its);
  });
}

void Games::await_server_told(std::size_t others) {
  if (kernel().killed_any()) return;  // a server notices late that the connections of a killed program are lost
  std::size_t sessions = 0;
  const auto count = [&sessions](const relay::ProxyServer& its) { sessions = its.sessions().size(); };
  for (const Nanos until = kernel().now() + kToldWithin;; sleep(kSecond / 10)) {
    server_.call(count);
    if (sessions <= others) return;
    if (kernel().now() > until) break;
  }
  wrong("the server still has " + std::to_string(sessions - others) + " players who are gone");
}

// -- The players ------------------------------------------------------------------------------------------------------

Visitors::Visitors(Plan& plan, Verdict& verdict, const Place& watched, std::optional<Place> lobby)
    : plan_(plan),
      verdict_(verdict),
      players_({"players", kPlayerHost, 1, &told_by_players_, [this](auto& its) { return open_players(its); }}),
      watched_{watched} {
  if (lobby) watched_.push_back(*lobby);
}

bool Visitors::open_players(relay::ProxyServer& server) {
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    Draw draw = plan_.draw("behaviour of " + ways_[i].name);
    Crowd::Role role;
    role.behaviour = draw.chance(0.8) ? core::Behaviour::kHunt : core::Behaviour::kWander;
    role.talks = plan_.has("talk on " + ways_[i].name, 0.4);
    role.views = ways_[i].watched.has_value();
    role.behind = ways_[i].behind;
    if (role.views && draw.chance(0.5)) role.behaviour = core::Behaviour::kWatch;
    const auto added =
        server.add(route_of_bots(ways_[i].clients, ways_[i].listen, [this, i, role] { return crowd_.next(i, role); }));
    if (!added) return wrong("the players do not start: " + added.error().text), false;
    ways_[i].asked = 1;
  }
  watchers_asked_.assign(watched_.size(), 1);
  return std::all_of(watched_.begin(), watched_.end(), [&](const Place& at) { return add_watcher(server, at); });
}

bool Visitors::add_watcher(relay::ProxyServer& server, const Place& at) {
  const auto group =
      ways_.size() + static_cast<std::size_t>(std::find(watched_.begin(), watched_.end(), at) - watched_.begin());
  return server
      .add(route_of_bots(speech("native", "json"), at,
                         [this, group] { return crowd_.next(group, {.behaviour = core::Behaviour::kWatch}); }))
      .ok();
}

bool Visitors::has_maps() const {
  return std::any_of(ways_.begin(), ways_.end(), [](const Way& one) {
    return one.clients.game->name() == "aos" || one.server.game->name() == "aos";
  });
}

/// Who has left comes again.
void Visitors::keep_players() {
  while (!over_) {
    for (std::size_t i = 0; i < ways_.size(); ++i) keep(i, ways_[i].wanted, ways_[i].asked);
    for (std::size_t i = 0; i < watched_.size(); ++i) keep(ways_.size() + i, 1, watchers_asked_[i]);
    sleep(kSecond / 2);
  }
}

void Visitors::keep(std::size_t group, std::size_t wanted, std::size_t& asked) {
  if (!players_.runs() || asked != crowd_.begun(group) || crowd_.here(group) >= wanted) return;
  ++asked;
  players_.server().add_bots(group, 1);
}

/// Everybody stops, and sees what has become of it.
void Visitors::rest() {
  std::vector<const Person*> here;
  for (const auto& one : crowd_.people())
    if (one->in()) here.push_back(one.get());
  crowd_.rest();
  sleep(20 * kSecond);
  crowd_.look();
  sleep(2 * kSecond);
  for (const Person* one : here)
    if (!one->in())
      wrong(one->name + " left while everybody rested" + (one->refused.empty() ? "" : ": " + one->refused));
}

void Visitors::await_all(bool harsh) {
  const auto is_enet = [](const wire::Game& game) { return game.transport() == wire::Transport::kEnet; };
  const bool enet = std::any_of(ways_.begin(), ways_.end(), [&](const Way& one) { return is_enet(*one.clients.game); });
  const Nanos until = kernel().now() + kInWithin + (enet ? kEnetNotices : 0);
  // A server over ENet, too, may still have players whose connections were lost.
  const bool on_enet =
      std::any_of(ways_.begin(), ways_.end(), [&](const Way& one) { return is_enet(*one.server.game); });
  if (harsh) sleep(enet || on_enet ? kEnetNotices : kNotices);
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (const auto comes = [&] { return crowd_.in(ways_.size() + i) != 0; }; !kernel().wait(comes, until))
      wrong(std::string("nobody could watch the ") + (i == 0 ? "server's" : "proxy's") + " arena");
  await_in(false, until);
  // After an upgrade, viewers in the old process are sent away when they have seen the end; after a reload, soon.
  if (std::any_of(ways_.begin(), ways_.end(), [](const Way& one) { return one.watched.has_value(); }))
    sleep(kMostBehind);
  // A broadcast begins with its spectator, who may come as late as the players, and is seen after its delay.
  await_in(true, until + kMostBehind + kToldWithin);
}

void Visitors::await_in(bool viewers, Nanos until) {
  const auto lacks = [&](std::size_t i) {
    return ways_[i].watched.has_value() == viewers && crowd_.in(i) < ways_[i].wanted;
  };
  const auto all_in = [&] {
    for (std::size_t i = 0; i < ways_.size(); ++i)
      if (lacks(i)) return false;
    return true;
  };
  kernel().wait(all_in, until);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (!lacks(i)) continue;
    std::string last = "nobody came";
    for (const auto& one : crowd_.people())
      if (one->group == i && !one->in())
        last = one->name + (one->refused.empty() ? " waits" : " was refused: " + one->refused);
    wrong(ways_[i].name + ": " + std::to_string(crowd_.in(i)) + " of " + std::to_string(ways_[i].wanted) +
          " players are in, 30 s after all is calm: " + last);
  }
}

// -- What must hold ---------------------------------------------------------------------------------------------------

/// Whether the player's client plays Ace of Spades.
bool Visitors::is_man(const std::string& name) const {
  return std::any_of(crowd_.people().begin(), crowd_.people().end(), [&](const auto& one) {
    return one->name == name && one->group < ways_.size() && ways_[one->group].clients.game->name() == "aos";
  });
}

void Visitors::check_sights(bool in_lobby) {
  const Person* truth = nullptr;
  for (const auto& one : crowd_.people())
    if (one->group == ways_.size() + (in_lobby ? 1 : 0) && one->in()) truth = one.get();
  if (truth == nullptr) return wrong(std::string("nobody watches the ") + (in_lobby ? "lobby" : "server"));
  for (const auto& one : crowd_.people()) {
    if (!one->in() || one->group >= ways_.size()) continue;
    const Way& way = ways_[one->group];
    if (way.into_arena != in_lobby || way.moved || !shows_all(way.clients)) continue;
    if (!in_lobby && !shows_all(way.server)) continue;
    // Clients of Ace of Spades count kills themselves, also after another server has taken over.
    const bool for_walker = !in_lobby && way.server.game->name() == "aos", for_man = way.clients.game->name() == "aos";
    const bool keeps_scores = !for_man && !for_walker;
    if (keeps_scores) check_teams(way.name, *one, *truth);
    // A server that still has a player's lost connection calls it "p6 2" when it comes back; its own client, "p6".
    const auto is_renamed = [&](const std::string& name) {
      const auto at = truth->sees.lower_bound(name + " ");
      return name == one->name && at != truth->sees.end() && at->first.starts_with(name + " ");
    };
    for (const auto& [name, its] : one->sees)
      if (!truth->sees.contains(name) && !is_renamed(name) && !(way.watched && name == one->name))
        wrong(way.name + ": " + one->name + " sees " + name + ", who is not there");
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
               its.alive && away > (for_walker                ? kNearWalker
                                    : for_man || is_man(name) ? kNearMan
                                                              : kNear))
        wrong(who + " " + std::to_string(away) + " m away, at " + place_text(seen->second) + " instead of " +
              place_text(its));
    }
  }
}

/// `who` sees the same teams as `truth`, as far as it sees them.
void Visitors::check_teams(const std::string& way, const Person& who, const Person& truth) {
  for (const auto& [team, its] : truth.teams) {
    const auto seen = who.teams.find(team);
    if (seen == who.teams.end()) continue;
    const std::string what = way + ": " + who.name + " sees team " + std::to_string(team);
    const auto score = [](const TeamSight& one) { return std::to_string(one.wins) + ":" + std::to_string(one.losses); };
    if (its.has_score && seen->second.has_score && score(its) != score(seen->second))
      wrong(what + " with " + score(seen->second) + " instead of " + score(its));
    if (!its.has_flag || !seen->second.has_flag) continue;
    if (seen->second.flag != its.flag)
      wrong(what + "'s flag in state " + std::to_string(seen->second.flag) + " instead of " + std::to_string(its.flag));
    else if (std::hypot(seen->second.x - its.x, seen->second.y - its.y) > kNear)
      wrong(what + "'s flag at " + std::to_string(seen->second.x) + ", " + std::to_string(seen->second.y) +
            " instead of " + std::to_string(its.x) + ", " + std::to_string(its.y));
  }
}

void Visitors::await_players_told() {
  const auto is_told = [this](const auto& one) { return one->gone_at != 0 || one->group == ways_.size(); };
  const auto& people = crowd_.people();
  kernel().wait([&] { return std::all_of(people.begin(), people.end(), is_told); }, kernel().now() + kToldWithin);
  for (const auto& one : people)
    if (!is_told(one)) wrong(one->name + " is not told that the proxy has stopped");
}

void Visitors::check_nobody_was_sent_away() {
  const auto is_during = [](const Person& one, const auto& times) {
    return std::any_of(times.begin(), times.end(),
                       [&](const auto& time) { return one.began <= time.second && one.gone_at >= time.first; });
  };
  const auto comes_to_closed_doors = [&](const Person& one) { return one.in_at == 0 && is_during(one, closed_); };
  // A broadcast may not have begun, or end.
  const auto may_go = [&](const Person& one) {
    return one.group < ways_.size() && ways_[one.group].watched && (one.in_at == 0 || is_during(one, ending_));
  };
  for (const auto& one : crowd_.people())
    if (one->gone_at != 0 && !sent_away_.contains(one->name) && !comes_to_closed_doors(*one) && !may_go(*one))
      wrong(one->name + " was sent away" + (one->in_at == 0 ? " before it was in" : "") +
            (one->refused.empty() ? "" : ": " + one->refused));
}

void Visitors::check_delays() {
  for (const auto& one : crowd_.people())
    if (!one->saw_early.empty()) wrong(one->name + " saw " + one->saw_early + " before its delay had passed");
}

Faults network_faults(Plan& plan, bool harsh) {
  Faults faults = some_faults(plan);
  if (harsh) {
    faults.lose = plan.often("losses", 0.2);
    faults.repeat = plan.often("repeats", 0.2);
  } else {
    faults.reset = faults.refuse = 0;
    faults.jitter = 0;
  }
  return faults;
}

void simulate(Kernel& simulated, Plan& plan, Verdict& verdict, const std::function<void()>& body) {
  const std::size_t left = simulated.run(body);
  if (left != 0) verdict.wrong.push_back(std::to_string(left) + " threads are left");
  if (simulated.open_files() != 0)
    verdict.wrong.push_back(std::to_string(simulated.open_files()) + " descriptors are left");
  for (std::size_t i = 0; i < simulated.programs(); ++i)
    plan.tell("program " + std::to_string(i) + ": " + std::to_string(simulated.calls(i)) + " calls");
  plan.tell(std::to_string(simulated.calls()) + " calls, " + std::to_string(simulated.switches()) + " switches");
  verdict.leaks = left != 0 || simulated.killed_any();
  verdict.took = simulated.age();
  verdict.hash = simulated.hash();
}

}  // namespace entente::lab
