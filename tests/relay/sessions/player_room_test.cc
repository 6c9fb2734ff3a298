// The room of a bridge's player: what a session learns from the words of its server, and what follows for the player,
// for the servers of the route and for the log.
#include "proxy/relay/sessions/player_room.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/relay/sessions/bridge_session.h"
#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/quiet_owner.h"

namespace entente::testing::player_room_test {
namespace {

using relay::NewsKind, relay::Reason;

constexpr std::uint32_t kReadyMs = 9'000, kLobbyMs = 50'000;

using Words = std::vector<std::function<core::Fact(core::Id player)>>;

/// Says what the test wants each time that its server has said something.
class Prompted final : public core::Back {
 public:
  explicit Prompted(Words& words) : words_(words) {}
  void opened(const core::Peer&, core::BackOut& out) override { out.send(wire::Lane::kStream, as_bytes(kHello)); }
  void hear(const core::Intent&, core::BackOut&) override {}
  void receive(const Frames&, core::BackOut& out) override {
    for (const auto& one : std::exchange(words_, {})) out.say(one(out.me()));
  }

 private:
  Words& words_;
};

core::Fact player_named(core::Id id, const std::string& name) {
  words::Player player;
  player.set_id(id);
  player.set_name(name);
  return player;
}

core::Fact refusal(core::Id id, words::Refused::Code code, const std::string& why) {
  words::Refused refused;
  refused.set_code(code);
  refused.set_text(why);
  return {id, refused};
}

/// A client's player has asked to enter, and its server has accepted the connection.
struct Seat : Turning {
  explicit Seat(const Limits& limits = no_limits(), std::uint32_t hold_ms = 0)
      : route(loop, with(limits, hold_ms), {fake.address()}, &tapped.sink(0)) {
    owner.only = &*route.here;
    route.heard.wants_news = true;
    auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    client = Stream::to(door->address);
    REQUIRE(wait_readable(door->tcp.get()));
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = client.here();
    newcomer.limits = limits;
    newcomer.choose_server(route.route.upstreams, loop.now());
    relay::Session::Owner& its_owner = owner;
    session = std::make_unique<relay::BridgeSession>(*route.here, its_owner, newcomer);
    session->start(net::Fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
    client.send(kHello);
    accept();
  }
  void accept() {
    until([&] { return fake.called(0); });
    server = fake.accept();
    until([&] { return server.readable(0); });
    CHECK(server.read_text(4) == kHello);
    greeted_ = false;
  }
  relay::RouteOptions with(const Limits& limits, std::uint32_t hold_ms) {
    relay::RouteOptions options = options_of(toy::stream());
    options.limits = limits;
    options.upstream.hold_ms = hold_ms;
    options.bans = &bans;
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->back = [this](std::size_t) { return std::make_unique<Prompted>(words); };
    return options;
  }
  /// The server says this.
  void says(Words its) {
    words = std::move(its);
    server.send(greeted_ ? frame("x") : Buffer(kWelcome.begin(), kWelcome.end()));
    greeted_ = true;
    until([&] { return words.empty(); });
    settle();
  }
  void lets_in(const std::string& name = "anna") {
    says({[name](core::Id id) { return player_named(id, name); }, [](core::Id) { return words::Ready(); }});
  }
  bool is_banned() { return bans.bans_from(route.server().name, client.here()); }

  relay::Bans bans{60};
  Words words;
  FakeServer fake;
  Tapped tapped;
  OneRoute route;
  QuietOwner owner;
  Stream client, server;
  std::unique_ptr<relay::BridgeSession> session;

 private:
  bool greeted_ = false;
};

TEST_CASE("player room: the player has the name that its server gives it, and hooks hear once that it has joined") {
  Seat seat;
  CHECK(seat.session->report().player.empty());
  CHECK(seat.route.heard.count_news(NewsKind::kJoin) == 0);
  seat.says({[](core::Id id) { return player_named(id + 1, "another"); }});
  CHECK(seat.session->report().player.empty());
  seat.lets_in("anna");
  CHECK(seat.session->report().player == "anna");
  seat.says({[](core::Id id) { return player_named(id, "anna2"); }});
  CHECK(seat.session->report().player == "anna2");
  CHECK(seat.route.heard.count_news(NewsKind::kJoin) == 1);
  CHECK(seat.route.heard.first_news(NewsKind::kJoin).text(relay::NewsField::kPlayer) == "anna");
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.route.heard.count_news(NewsKind::kLeave) == 1);
}

TEST_CASE("player room: a server that bans the player, and only that, keeps it from this server for a while") {
  for (const auto code : {words::Refused::BANNED, words::Refused::FULL, words::Refused::OTHER}) {
    CAPTURE(code);
    Seat seat;
    seat.says({[code](core::Id id) { return refusal(id, code, "no"); }});
    CHECK(seat.is_banned() == (code == words::Refused::BANNED));
    CHECK(seat.route.server().is_scarce(seat.loop.now()) == (code == words::Refused::FULL));
  }
}

TEST_CASE("player room: a player who is refused was declined by its server; any other has lost it") {
  struct Row {
    Reason why;
    std::function<core::Fact(core::Id)> last;
  };
  const Row rows[] = {
      {Reason::kServerDeclined, [](core::Id id) { return refusal(id, words::Refused::OTHER, "no"); }},
      {Reason::kServerLeft, [](core::Id) { return words::Notice(); }},
  };
  for (const Row& row : rows) {
    CAPTURE(relay::text(row.why));
    Seat seat;
    seat.lets_in();
    seat.says({row.last});
    if (!seat.session->has_ended()) seat.server.finish();
    seat.until([&] { return seat.session->has_ended(); });
    seat.client.close();
    seat.server.close();
    seat.until([&] { return seat.owner.times_done == 1; });
    CHECK(seat.route.ended(row.why) == 1);
  }
}

TEST_CASE(
    "player room: a server has ready_ms again with each part of its world, and lobby_ms once the player waits there") {
  Limits limits = no_limits();
  limits.ready_ms = kReadyMs;
  limits.lobby_ms = kLobbyMs;
  const auto ends_between = [](Seat& seat, Millis early, Millis late) {
    seat.session->tick(early);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(late + 1);
    CHECK(seat.session->has_ended());
    CHECK(seat.route.ended(Reason::kServerTimeout) == 1);
  };
  {
    Seat seat(limits);
    const Millis before = seat.loop.now();
    seat.says({[](core::Id) { return words::WorldProgress(); }});
    ends_between(seat, before + kReadyMs, seat.loop.now() + kReadyMs);
  }
  {
    Seat seat(limits);
    seat.says({[](core::Id id) { return core::Fact(id, words::Waiting()); }});
    seat.session->tick(seat.loop.now() + kReadyMs + 1);
    CHECK_FALSE(seat.session->has_ended());
    seat.session->tick(seat.loop.now() + kLobbyMs + 1);
    CHECK(seat.session->has_ended());
  }
  Seat seat(limits);
  seat.lets_in();
  seat.session->tick(seat.loop.now() + kLobbyMs + 1);
  CHECK_FALSE(seat.session->has_ended());  // it plays
}

TEST_CASE("player room: a fact that the world does not keep is counted once") {
  Seat seat;
  seat.lets_in();
  const std::uint64_t before = seat.route.here->counters.orphaned.read();
  words::Pose pose;
  pose.set_unit(1'000);
  seat.says({[pose](core::Id) { return pose; }});
  CHECK(seat.route.here->counters.orphaned.read() == before + 1);
  seat.says({[](core::Id) { return words::Notice(); }});
  CHECK(seat.route.here->counters.orphaned.read() == before + 1);
}

TEST_CASE("player room: a player whose server is lost is held once, and is back once the next one has let it in") {
  Seat seat(no_limits(), 600'000);
  seat.lets_in();
  seat.server.close();
  seat.until([&] { return seat.route.here->counters.held.read() == 1; });
  CHECK(seat.route.here->counters.holds_ended.read() == 0);
  seat.accept();
  seat.lets_in("anna");
  seat.until([&] { return seat.route.here->counters.brought_back.read() == 1; });
  CHECK(seat.route.here->counters.held.read() == 1);
  CHECK(seat.route.here->counters.holds_ended.read() == 1);
  CHECK(seat.session->report().player == "anna");
  CHECK(seat.route.heard.count_news(NewsKind::kJoin) == 1);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.route.here->counters.holds_ended.read() == 1);
}

TEST_CASE("player room: the operator's message reaches the player, until its session ends") {
  Seat seat;
  seat.lets_in();
  CHECK(seat.session->say("again") == relay::AnnounceResult::kYes);
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.session->say("late") == relay::AnnounceResult::kNotIn);
}

}  // namespace
}  // namespace entente::testing::player_room_test
