// A bridge's player whose server is down and who is sent to an arena, with the time and the arena's answers set by the
// test: when it is sent there and when again, and what happens to it if the arena or the server is not ready for it.
#include "proxy/relay/sessions/meanwhile.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "proxy/relay/ends/arena_end.h"
#include "proxy/relay/sessions/bridge_session.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/native_lines.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/quiet_owner.h"

namespace entente::testing::meanwhile_test {
namespace {

using relay::Reason;

constexpr std::uint32_t kHold = 60'000, kReady = 6'000, kStall = 7'000;
constexpr Millis kRetry = 250, kVisitAgain = 10'000;
constexpr std::size_t kArena = 3;

/// Has an arena, unless it is closed.
struct Owner : QuietOwner {
  std::unique_ptr<relay::ArenaEnd> visit(relay::Session& session, relay::End::User& user, std::size_t arena,
                                         std::function<std::unique_ptr<core::Front>()>) override {
    CHECK(arena == kArena);
    ++asked;
    if (closed) return nullptr;
    passage = std::make_shared<relay::Passage>();
    return std::make_unique<relay::ArenaEnd>(*loop, session.party(), user, passage, [] {});
  }
  net::Loop* loop = nullptr;
  bool closed = false;
  int asked = 0;
  std::shared_ptr<relay::Passage> passage;
};

/// Enters at once, and stays when its session ends.
class Stayer final : public core::Front {
  void opened(const core::Peer&, core::FrontOut& out) override { out.say(words::Enter()); }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const core::Fact&, core::FrontOut&) override {}
  void session_ends(std::string_view, core::FrontOut&) override {}
  bool takes_another_world() const override { return true; }
};

/// A client of native, whose server is down.
struct Seat : Turning {
  explicit Seat(const std::string& says, bool arena_closed = false, bool front_stays = false)
      : at(free_for_both()), began(loop.now()), route(loop, options(front_stays), {at}, &tapped.sink(0)) {
    route.route.while_down_room = kArena;
    owner.only = &*route.here;
    owner.loop = &loop;
    owner.closed = arena_closed;
    auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    Stream stream = Stream::to(door->address);
    REQUIRE(wait_readable(door->tcp.get()));
    relay::AcceptedClient newcomer;
    newcomer.link = 1;
    newcomer.client = stream.here();
    newcomer.limits = route.route.options->limits;
    newcomer.choose_server(route.route.upstreams, loop.now());
    client.emplace(std::move(stream));
    relay::Session::Owner& its_owner = owner;
    session = std::make_unique<relay::BridgeSession>(*route.here, its_owner, newcomer);
    session->start(net::Fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
    client->say(says);
    ticks_until([&] { return owner.asked != 0; });
    sent = loop.now();
  }
  static relay::RouteOptions options(bool front_stays) {
    relay::RouteOptions made = held(kHold, native::game(), true);
    made.limits = no_limits();
    made.limits.ready_ms = kReady;
    made.limits.stall_ms = kStall;
    if (front_stays) made.bridge->front = [](std::size_t) { return std::make_unique<Stayer>(); };
    made.bridge->while_down = relay::BridgeOptions::ArenaPlace{"lobby",
                                                               [] {
                                                                 return native::make_front({kJson, {}});
                                                               },
                                                               [] {
                                                                 return native::make_back({kJson, {}});
                                                               }};
    return made;
  }
  /// At this time; 0: now.
  void tick(Millis now) {
    if (now != 0) pretend(now);
    session->tick(loop.now());
  }
  void ticks_until(const std::function<bool()>& done, Millis now = 0) {
    until([&] {
      if (!done()) tick(now);
      return done();
    });
  }
  void arena_says(std::initializer_list<const char*> lines) {
    relay::WaitingFrames all;
    for (const char* one : lines) all.add(as_bytes(std::string(one) + "\n"));
    (void)owner.passage->to_session.put(all);
    session->look_into_arena();
    settle();
  }
  /// The arena lets the player in.
  void comes_in() {
    owner.passage->entered = true;
    arena_says({R"({"you":{"player":1}})", R"({"world":{"hash":"a","west":-50,"east":50,"south":-50,"north":50}})",
                R"({"player":{"id":1,"name":"anna"}})", R"({"ready":{}})"});
    CHECK(route.heard.told("plays in the arena 'lobby' meanwhile") == 1);
  }
  void arena_closes(const char* why) {
    (void)owner.passage->to_session.close(why);
    session->look_into_arena();
  }
  std::size_t waiting() { return route.route.upstreams.waiting(); }

  const net::Address at;
  const Millis began;
  Tapped tapped;
  OneRoute route;
  Owner owner;
  std::optional<Lines> client;
  Millis sent = 0;  // to the arena
  std::unique_ptr<relay::BridgeSession> session;
};

constexpr const char* kEnters = R"({"enter":{"name":"anna"}})";
constexpr const char* kLooks = R"({"want_world":{}})";

TEST_CASE(
    "meanwhile: a server that accepts a player on the way into the arena is hung up, and nobody waits behind it") {
  Seat seat(kLooks);
  CHECK(seat.waiting() == 1);
  const LateServer server(seat.at);
  seat.tick(seat.sent + 2 * kRetry);
  const Stream called = server.accept();
  seat.until([&] { return called.readable(0); });
  CHECK(called.read_all().empty());
  CHECK(seat.waiting() == 0);
  CHECK_FALSE(seat.session->has_ended());
  CHECK(seat.session->report().arena == "lobby");
  CHECK_FALSE(server.is_wanted(0));
}

TEST_CASE("meanwhile: an arena that does not keep its player is asked again after ten seconds") {
  Seat seat(kEnters);
  seat.comes_in();
  seat.arena_closes("closed for now");
  seat.until([&] { return seat.session->report().arena.empty(); });
  const Millis lost = seat.loop.now();
  for (int i = 0; i < 5; ++i) {  // also while no call of the server is under way
    seat.tick(seat.sent + kVisitAgain - 1);
    seat.settle();
  }
  CHECK(seat.owner.asked == 1);
  seat.ticks_until([&] { return seat.owner.asked == 2; }, lost + kVisitAgain);
  CHECK(seat.session->report().arena == "lobby");
}

TEST_CASE("meanwhile: an arena that takes nobody is asked again after a second") {
  Seat seat(kEnters, true);
  seat.tick(seat.sent + 900);
  CHECK(seat.owner.asked == 1);
  CHECK(seat.session->report().arena.empty());
  seat.ticks_until([&] { return seat.owner.asked == 2; }, seat.sent + 1'000);
}

TEST_CASE("meanwhile: who was in the arena waits for all of hold_s after it, who was not for what is left of it") {
  for (const bool was_in : {true, false}) {
    CAPTURE(was_in);
    Seat seat(kEnters);
    if (was_in) seat.comes_in();
    const Millis lost = seat.sent + (was_in ? kHold : 0) + kStall + 1'000;
    seat.tick(lost);  // the arena takes nothing of what the player says, or has not let it in yet
    CHECK(seat.session->report().arena.empty());
    seat.settle();
    seat.tick((was_in ? lost : seat.began) + kHold - 1);
    seat.settle();
    CHECK_FALSE(seat.session->has_ended());
    seat.ticks_until([&] { return seat.session->has_ended(); }, (was_in ? lost : seat.sent) + kHold);
    CHECK(seat.waiting() == 0);
    CHECK(seat.route.ended(Reason::kServerUnreachable) == 1);
  }
}

TEST_CASE("meanwhile: who was never let into the arena does not wait after it if hold_s is over") {
  Seat seat(kEnters);
  seat.tick(seat.sent + kHold);
  CHECK(seat.session->has_ended());
}

TEST_CASE("meanwhile: a player in the arena whose session is about to end is not taken to a server any more") {
  Seat seat(kEnters, false, true);
  CHECK(seat.waiting() == 1);
  const LateServer server(seat.at);
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.route.ended(Reason::kKicked) == 0);  // its front has not closed yet
  CHECK(seat.waiting() == 0);
  seat.tick(seat.sent + 2 * kRetry);
  CHECK(seat.waiting() == 0);
  CHECK_FALSE(server.is_wanted(0));
  CHECK(seat.owner.times_done == 0);  // its front has not closed yet
}

}  // namespace
}  // namespace entente::testing::meanwhile_test
