// What a route tells of itself: in the answers to status queries, in the log and the news, and to players. What counts
// as a ban of a server.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/relay/bridging.h"
#include "tests/relay/route/one_route.h"

namespace entente::testing::worker_route_test {
namespace {

using relay::Ban, relay::Drop, relay::NewsField, relay::NewsKind, relay::Reason;

const net::Address kClient = *net::Address::parse("192.0.2.7:1234");

/// A route of the toy game.
struct Place {
  explicit Place(relay::RouteOptions options)
      : route(loop, std::move(options), {*net::Address::parse("192.0.2.1:5")}) {}

  relay::WorkerRoute& here() { return *route.here; }
  relay::LinkInfo session() const {
    relay::LinkInfo info;
    info.link = 3;
    info.game = &route.route.game;
    info.client = kClient;
    return info;
  }

  net::Loop loop;
  OneRoute route;
};

relay::RouteOptions of_bridge() {
  relay::RouteOptions options = options_of(toy::stream());
  options.bridge = toy_bridge(toy::stream(), toy::ungreeted());
  return options;
}

/// A world with players of these names, and so many who watch.
core::WorldState world_of(const std::vector<std::string>& names, int watchers, std::uint32_t most_players = 0) {
  core::WorldState world;
  words::Room room;
  room.set_mode("duel");
  room.set_most_players(most_players);
  world.fold(room);
  core::Id id = 0;
  for (const std::string& name : names) {
    words::Player player;
    player.set_id(++id);
    player.set_name(name);
    world.fold(player);
  }
  for (int i = 0; i < watchers; ++i) {
    words::Player player;
    player.set_id(++id);
    player.set_name("watcher");
    player.set_role(words::WATCH);
    world.fold(player);
  }
  return world;
}

TEST_CASE("status: a bridge counts who plays, neither who watches nor who has no name yet") {
  Place place(of_bridge());
  place.route.route.known_world.update(world_of({"anna", "", "ben"}, 3), place.loop.now());
  const wire::Status status = place.here().status(6, 0);
  CHECK(status.players == 2);
  CHECK(status.mode == "duel");
}

TEST_CASE("status: where nobody is known to play, the sessions count") {
  Place place(of_bridge());
  CHECK(place.here().status(4, 0).players == 4);
  CHECK(place.here().status(4, 0).mode == "bridge");
  place.route.route.known_world.update(world_of({""}, 2), place.loop.now());
  CHECK(place.here().status(4, 0).players == 4);
  Place relay(options_of(toy::stream()));
  relay.route.route.known_world.update(world_of({"anna"}, 0), relay.loop.now());
  CHECK(relay.here().status(4, 0).players == 4);  // a relay knows no world
}

TEST_CASE("status: no more players are promised than the server and the listener take") {
  struct Row {
    std::uint32_t players, seats, sessions, most_sessions, told;
  };
  for (const Row& row : {Row{2, 0, 2, 0, 0},        // no limits
                         Row{2, 16, 2, 0, 16},      // the server's
                         Row{2, 0, 2, 10, 10},      // the listener's
                         Row{5, 0, 3, 10, 12},      // two came to the server by other ways
                         Row{5, 8, 3, 10, 8},       // the smaller one
                         Row{2, 0, 12, 10, 2},      // the limit was lowered
                         Row{1, 16, 10, 10, 1}}) {  // full
    CAPTURE(row.told);
    Place place(of_bridge());
    place.route.route.known_world.update(world_of(std::vector<std::string>(row.players, "a"), 0, row.seats),
                                         place.loop.now());
    const wire::Status status = place.here().status(row.sessions, row.most_sessions);
    CHECK(status.players == row.players);
    CHECK(status.most_players == row.told);
  }
}

TEST_CASE("status: it has the server's name, and the address at which players connect") {
  Place place(of_bridge());
  place.route.route.server_name = "example.org:5";
  place.route.route.listen_address = *net::Address::parse("192.0.2.9:77");
  wire::Status status = place.here().status(0, 0);
  CHECK(status.name == "example.org:5");
  CHECK(status.dialect == "big");
  CHECK(status.map == "toy");
  CHECK(status.ip4 == 0xC0000209);
  CHECK(status.port == 77);
  place.route.route.listen_address = *net::Address::parse("[2001:db8::1]:78");
  status = place.here().status(0, 0);
  CHECK(status.ip4 == 0);
  CHECK(status.port == 78);
}

TEST_CASE("dropped datagrams are logged once, in the singular for one, with what helps") {
  Place place(options_of(toy::stream()));
  place.here().dropped(Drop::kTooFast, 3);
  place.here().tick();
  place.here().tick();
  CHECK(place.route.heard.told("dropped ") == 1);
  CHECK(place.route.heard.told("dropped 3 datagrams at ") == 1);
  place.here().dropped(Drop::kTooFast);
  place.here().dropped(Drop::kTooLarge, 2);
  place.here().tick();
  CHECK(place.route.heard.told("dropped 1 datagram at ") == 1);
  CHECK(place.route.heard.told("dropped 2 datagrams at ") == 1);
  CHECK(place.route.heard.told("; raise ") + place.route.heard.told("; ") > 0);
  CHECK(place.route.dropped(Drop::kTooFast) == 4);
}

TEST_CASE("datagrams to clients that the kernel does not take are counted as dropped once, and logged once") {
  Place place(options_of(toy::game()));
  REQUIRE(place.here().to_clients);
  const auto lose_one = [&place] {
    place.here().to_clients->push({}, *net::Address::parse("[::1]:9"), Buffer{1});  // from an IPv4 socket
    place.loop.run();
  };
  lose_one();
  for (int i = 0; i < 3; ++i) place.here().tick();
  CHECK(place.route.dropped(Drop::kQueueFull) == 1);
  CHECK(place.route.heard.told("dropped 1 datagram at ") == 1);
  lose_one();
  place.here().let_go();
  CHECK(place.route.dropped(Drop::kQueueFull) == 2);
}

TEST_CASE("lines that are held back are counted, and logged when the route ends") {
  Place place(options_of(toy::stream()));
  for (unsigned i = 0; i < relay::LogLimiter::kAtOnce + 5; ++i) place.here().opened(place.session());
  CHECK(place.route.heard.lines().size() == relay::LogLimiter::kAtOnce);
  CHECK(place.here().counters.held_back_lines.read() == 5);
  place.here().finish();
  CHECK(place.route.heard.told("opened ") == relay::LogLimiter::kAtOnce + 5);
}

TEST_CASE("an ending is counted by its reason, and logged as a refusal only if it is one") {
  Place place(options_of(toy::stream()));
  place.route.heard.wants_news = true;
  place.here().ended(place.session(), {Reason::kServerLeft}, Fault{"ignored", "", 0});
  CHECK(place.route.heard.lines() == std::vector<std::string>{"server left"});
  CHECK(place.route.heard.count_news(NewsKind::kRefused) == 0);
  place.here().ended(place.session(), {Reason::kBadFrame}, Fault{"too long", "name", 2}, 40);
  CHECK(place.route.heard.lines().back() == "bad frame: too long/name at 40");
  CHECK(place.route.heard.first_news(NewsKind::kRefused).text(NewsField::kDetail) == "too long in name");
  CHECK(place.route.heard.first_news(NewsKind::kRefused).text(NewsField::kAddress) == kClient.text());
  CHECK(place.route.ended(Reason::kServerLeft) == 1);
  CHECK(place.route.ended(Reason::kBadFrame) == 1);
}

TEST_CASE("news of players are made only for who wants them, and name the player and how long it stayed") {
  Place place(options_of(toy::stream()));
  const relay::SessionOutcome end{Reason::kClientLeft, 65'999, "anna"};
  place.here().joined(place.session(), "anna");
  place.here().left(place.session(), end);
  place.route.heard.wants_news = true;
  CHECK(place.route.heard.count_news(NewsKind::kJoin) + place.route.heard.count_news(NewsKind::kLeave) == 0);
  place.here().joined(place.session(), "anna");
  place.here().left(place.session(), end);
  CHECK(place.route.heard.first_news(NewsKind::kJoin).text(NewsField::kPlayer) == "anna");
  const relay::News left = place.route.heard.first_news(NewsKind::kLeave);
  CHECK(left.text(NewsField::kPlayer) == "anna");
  CHECK(left.text(NewsField::kReason) == "client left");
  CHECK(std::get<std::uint64_t>(left[NewsField::kSeconds]) == 65);
}

TEST_CASE("a route is called by its name; without one, by its game, its dialect and where it listens") {
  relay::RouteOptions options = options_of(toy::stream());
  options.listen_dialect = 1;
  Place place(options);
  CHECK(place.route.route.named() == "toy little");
  place.route.route.listen_address = *net::Address::parse("192.0.2.9:77");
  CHECK(place.route.route.named() == "toy little 192.0.2.9:77");
  options.name = "public";
  CHECK(Place(options).route.route.named() == "public");
}

TEST_CASE("players are told the operator's words for a server that is down and for a drain, and for nothing else") {
  relay::SharedTexts texts;
  Place place(options_of(toy::stream()));
  const auto words = [&](Reason why) { return place.route.route.words_for(why, Fault{""}); };
  const std::string down = words(Reason::kServerUnreachable), draining = words(Reason::kDraining);
  place.route.route.texts = &texts;
  CHECK(words(Reason::kServerUnreachable) == down);
  relay::Texts own;
  own.server_down = "gone fishing";
  own.draining = "closing time";
  texts.set(own);
  for (const Reason why : {Reason::kServerUnreachable, Reason::kServerTimeout})
    CHECK(words(why).starts_with("gone fishing"));
  CHECK(words(Reason::kDraining).starts_with("closing time"));
  CHECK(words(Reason::kTooMany) == relay::words_for_player(Reason::kTooMany, Fault{""}));
  texts.set({});
  CHECK(words(Reason::kDraining) == draining);
}

TEST_CASE("a server's ban counts where the server sees our address, and only there") {
  const auto bans_of = [](const std::function<void(relay::RouteOptions&)>& change, const std::string& server) {
    relay::Bans bans(60);
    relay::RouteOptions options = options_of(toy::stream());
    options.bans = &bans;
    change(options);
    Place place(options);
    place.here().server_banned(server, kClient, "cheating");
    place.here().server_banned(server, kClient, "cheating");  // it is known already
    const std::size_t count = bans.all().size();
    CHECK(place.here().counters.server_bans.read() == count);
    CHECK(place.route.heard.told("banned the player from 192.0.2.7 (cheating)") == count);
    return count;
  };
  const auto same = [](relay::RouteOptions&) {};
  CHECK(bans_of(same, "192.0.2.1:5") == 1);
  CHECK(bans_of(same, "") == 0);
  CHECK(bans_of([](auto& options) { options.source = relay::SourceMode::kTransparent; }, "192.0.2.1:5") == 0);
  CHECK(bans_of([](auto& options) { options.send_proxy = net::ProxyVersion::kV2; }, "192.0.2.1:5") == 0);
}

TEST_CASE("a server's ban keeps the player from that server alone, for as long as the server says") {
  relay::Bans bans(60);
  relay::RouteOptions options = options_of(toy::stream());
  options.bans = &bans;
  Place place(options);
  place.here().server_banned("192.0.2.1:5", kClient, "cheating (2 hours remaining)");
  CHECK(bans.bans_from("192.0.2.1:5", kClient));
  CHECK_FALSE(bans.bans_from("192.0.2.2:5", kClient));
  CHECK_FALSE(bans.find(kClient));  // not from everywhere
  CHECK(bans.bans_from("192.0.2.1:5", kClient, steady_seconds() + 7'100));
  CHECK_FALSE(bans.bans_from("192.0.2.1:5", kClient, steady_seconds() + 7'300));
}

TEST_CASE("a ban by a rule of the game holds at its listener alone, for half a minute") {
  relay::Bans bans(3'600);
  relay::RouteOptions options = options_of(toy::stream());
  options.bans = &bans;
  Place place(options);
  place.route.route.listen_address = *net::Address::parse("192.0.2.9:77");
  place.here().front_banned(kClient, "cheating");
  const auto in = [&](const char* listener, std::time_t later) {
    return bans.find(kClient, steady_seconds() + later, {{}, listener}).has_value();
  };
  CHECK(in("192.0.2.9:77", 0));
  CHECK(in("192.0.2.9:77", 25));
  CHECK_FALSE(in("192.0.2.9:77", 31));
  CHECK_FALSE(in("192.0.2.9:78", 0));
  CHECK(place.route.heard.told("is refused at 192.0.2.9:77 for 30 s") == 1);
  CHECK(place.here().counters.server_bans.read() == 1);
}

TEST_CASE("who is banned is told why, if that is known") {
  relay::Bans bans(60);
  relay::RouteOptions options = options_of(toy::stream());
  options.bans = &bans;
  Place place(options);
  const net::Network who = *net::Network::parse("192.0.2.7");
  CHECK(place.here().why_banned(kClient) == "nobody may come from your address");
  bans.add({who, Ban::kForGood, "", false});
  CHECK(place.here().why_banned(kClient) == "you are banned");
  bans.add({who, Ban::kForGood, "", true});
  CHECK(place.here().why_banned(kClient) == "the server banned you a while ago");
  bans.add({who, Ban::kForGood, "no cheats", false});
  CHECK(place.here().why_banned(kClient) == "no cheats");
}

TEST_CASE("a route is over once it is retired, and its last session and client on the way are gone") {
  Place place(options_of(toy::stream()));
  relay::Route& route = place.route.route;
  relay::Route::Ref first(route), second(route);
  CHECK_FALSE(route.is_empty());
  route.retired = true;
  CHECK_FALSE(route.is_over());
  relay::Route::Ref moved = std::move(first);
  second = relay::Route::Ref();
  CHECK_FALSE(route.is_over());
  moved = relay::Route::Ref();
  CHECK(route.is_over());
  route.retired = false;
  CHECK(route.is_empty());
  CHECK_FALSE(route.is_over());
}

TEST_CASE("sessions are numbered by their route in the order in which they enter its lab") {
  Place place(options_of(toy::stream()));
  struct Nobody final : relay::LabLine::User {
    void lab_passes(relay::LabLine&, const relay::LabUnit&) override {}
    void lab_keeps(relay::LabLine&, Bytes, std::uint32_t, bool) override {}
  } nobody;
  const relay::LinkInfo session = place.session();
  for (const std::uint64_t number : {1U, 2U, 3U})
    CHECK(place.here().make_lab(nobody, relay::LabLine::Of::kStream, session, 1'000)->report().number == number);
}

}  // namespace
}  // namespace entente::testing::worker_route_test
