// A client of a shared room whose time the test sets: what it is heard to say and when, why it ends, and what its
// player is told.
#include "proxy/relay/sessions/room_guest.h"

#include <doctest/doctest.h>

#include "tests/relay/native_lines.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/sessions/one_shared_room.h"
#include "tests/relay/sessions/quiet_owner.h"

namespace entente::testing::room_guest_test {
namespace {

using relay::Reason;

constexpr std::uint32_t kIdleMs = 60'000, kGreetMs = 5'000, kLingerMs = 3'000, kStallMs = 7'000;
const std::string kBye{"\0\x09", 2};

Limits timed() {
  Limits limits = no_limits();
  limits.idle_ms = kIdleMs;
  limits.greet_ms = kGreetMs;
  limits.linger_ms = kLingerMs;
  limits.stall_ms = kStallMs;
  return limits;
}

std::string said(std::string_view text) { return std::string(as_text(frame(text, toy::kSay))); }

struct Owner : QuietOwner {
  void new_player(relay::Session&) override { ++players; }
  std::optional<relay::SessionRef> claim(relay::Session&, std::uint32_t number) override {
    return number == claims ? std::optional(relay::SessionRef{77, 0}) : std::nullopt;
  }
  void hand_over(relay::SessionRef to, net::Fd client, const net::Address&) override {
    handed_to = to.link;
    handed = static_cast<bool>(client);
  }
  int players = 0;
  std::uint32_t claims = 0;
  relay::LinkId handed_to = 0;
  bool handed = false;
};

using With = std::function<void(relay::RouteOptions&)>;

/// A client has connected to a listener of the room.
struct Seat : OneSharedRoom {
  explicit Seat(const Limits& limits = timed(), const With& with = nullptr,
                const std::function<void(relay::AcceptedClient&)>& as = nullptr)
      : route(loop, options_with(limits, with), {loopback()}, &tapped.sink(0)) {
    owner.only = &*route.here;
    auto door = net::listen(loopback(), false);
    REQUIRE(door.ok());
    client = Stream::to(door->address);
    REQUIRE(wait_readable(door->tcp.get()));
    relay::AcceptedClient newcomer;
    newcomer.link = 9;
    newcomer.client = client.here();
    newcomer.limits = limits;
    if (as) as(newcomer);
    relay::Session::Owner& its_owner = owner;
    began = loop.now();
    session = std::make_unique<relay::RoomGuest>(*route.here, its_owner, *room, newcomer);
    session->start(net::Fd(::accept4(door->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)));
  }
  ~Seat() override {  // a guest leaves its room before it is destroyed
    if (!session->has_ended()) session->send_away(Reason::kKicked, "");
    settle();
    room->leave_queues(*session);
  }

  static relay::RouteOptions options_with(const Limits& limits, const With& with) {
    relay::RouteOptions options = options_of(toy::stream());
    options.limits = limits;
    options.servers.front().host = "a test";
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->shared_room = 0;
    if (with) with(options);
    return options;
  }
  std::string read(std::size_t size) {
    std::string all;
    while (all.size() < size) {
      until([&] { return client.readable(0); });
      const Buffer some = client.read_some(size - all.size());
      if (some.empty()) break;
      all += as_text(some);
    }
    return all;
  }
  std::string read_to_end() { return read(1'000'000); }
  /// Its player is in.
  void open() {
    client.send(kHello);
    CHECK(read(4) == kWelcome);
    client.send(said("in"));
    CHECK(read(4) == said("in"));
  }
  /// For Admission, this address has a health check.
  void calls(const net::Address& from) {
    REQUIRE_FALSE(route.listener.admission.call_for_check(from, no_limits(), loop.now()));
  }
  void pass_some_time() {
    const Millis then = loop.now();
    until([&] { return loop.now() >= then + 20; });
  }
  const relay::Counters& counters() const { return route.here->counters; }

  OneRoute route;
  Owner owner;
  Stream client;
  Millis began = 0;
  std::unique_ptr<relay::RoomGuest> session;
};

void ends_between(Seat& seat, Reason why, Millis early, Millis late) {
  seat.session->tick(early);
  CHECK_FALSE(seat.session->has_ended());
  seat.session->tick(late);
  CHECK(seat.session->has_ended());
  CHECK(seat.route.ended(why) == 1);
}

TEST_CASE("room guest: a client has greet_ms for its first words, from when it has its seat") {
  Seat seat;
  seat.until([&] { return seat.session->seat_id() != 0; });
  const Millis seated = seat.loop.now();
  ends_between(seat, Reason::kGreetTimeout, seat.began + kGreetMs, seated + kGreetMs + 1);
  CHECK(seat.read_to_end() == kBye);
}

TEST_CASE("room guest: who has said something may be silent for longer, and is idle after idle_ms") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.session->tick(before + kGreetMs + 1);
  CHECK_FALSE(seat.session->has_ended());
  ends_between(seat, Reason::kIdle, before + kIdleMs - 1'000, seat.loop.now() + kIdleMs + 1);
  CHECK(seat.read_to_end() == kBye);
}

TEST_CASE("room guest: what the room says to it is a sign of life, too") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.pass_some_time();
  words::Said word;
  word.set_text("x");
  seat.tell(word);
  CHECK(seat.read(3) == said("x"));
  ends_between(seat, Reason::kIdle, before + kIdleMs + 10, seat.loop.now() + kIdleMs + 1);
}

TEST_CASE("room guest: what it sends before it has its seat is heard then, in order, and counted once") {
  Seat seat;
  seat.client.send(std::string(kHello) + said("one") + said("two"));
  CHECK(seat.read(4 + 5 + 5) == std::string(kWelcome) + said("one") + said("two"));
  CHECK(seat.counters().to_server.bytes.read() == 4 + 5 + 5);
  CHECK(seat.counters().to_server.frames.read() == 3);
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.owner.players == 1);
  CHECK(seat.session->report().player == "toy");
  CHECK(seat.route.heard.told("opened ") == 1);
}

TEST_CASE("room guest: when its client hangs up, the room is told, and it is gone") {
  for (const bool reset : {false, true}) {
    CAPTURE(reset);
    Seat seat;
    seat.open();
    Actor& anna = seat.enters("anna");
    const core::Id id = seat.session->seat_id();
    reset ? seat.client.reset() : seat.client.close();
    seat.until([&] { return seat.owner.times_done == 1; });
    seat.until([&] { return anna.heard("PlayerGone"); });
    CHECK(seat.route.ended(reset ? Reason::kClientReset : Reason::kClientLeft) == 1);
    CHECK_FALSE(seat.room->is_seated(id));
    CHECK(seat.room->client_of(id) == nullptr);
    CHECK(seat.tapped.record(9).closed == relay::text(reset ? Reason::kClientReset : Reason::kClientLeft));
  }
}

TEST_CASE("room guest: who is kicked gets the goodbye of its game, and the room is told at once") {
  Seat seat;
  seat.open();
  Actor& anna = seat.enters("anna");
  seat.session->send_away(Reason::kKicked, "no cheats");
  CHECK(seat.session->has_ended());
  CHECK(seat.read_to_end() == kBye);
  CHECK(seat.route.ended(Reason::kKicked) == 1);
  seat.until([&] { return anna.heard("PlayerGone"); });
  CHECK(seat.owner.times_done == 0);  // its client has not closed yet
  seat.client.close();
  seat.until([&] { return seat.owner.times_done == 1; });
  CHECK(seat.route.heard.lines().back().find("toy") != std::string::npos);
}

TEST_CASE("room guest: who is kicked and does not close is closed after linger_ms") {
  Seat seat;
  seat.open();
  const Millis before = seat.loop.now();
  seat.session->send_away(Reason::kKicked, "no cheats");
  seat.session->tick(before + kLingerMs - 1);
  CHECK(seat.owner.times_done == 0);
  seat.session->tick(seat.loop.now() + 2 * kLingerMs);
  CHECK(seat.owner.times_done == 1);
}

TEST_CASE("room guest: a front that does not say goodbye in time is hung up, and its player leaves") {
  Seat seat;
  seat.open();
  Actor& anna = seat.enters("anna");
  seat.client.send(Buffer{0, toy::kStay});
  seat.settle();
  seat.client.send(said("x"));
  CHECK(seat.read(3) == said("x"));
  const core::Id id = seat.session->seat_id();
  seat.session->send_away(Reason::kKicked, "no cheats");
  seat.settle();
  CHECK(seat.room->is_seated(id));
  seat.session->tick(seat.loop.now() + 2 * kLingerMs);
  seat.until([&] { return !seat.room->is_seated(id); });
  CHECK(seat.route.ended(Reason::kKicked) == 1);
  CHECK(anna.script.goodbye.empty());
  CHECK(seat.owner.times_done == 1);
}

TEST_CASE("room guest: a client that breaks its game's rules is told goodbye, with the field") {
  Seat seat;
  seat.open();
  seat.client.send(Buffer{0, toy::kWrong});
  (void)seat.read_to_end();
  CHECK(seat.route.ended(Reason::kProtocolFault) == 1);
  CHECK(seat.route.heard.line("unknown code/code"));
}

TEST_CASE("room guest: a client whose dialect has no front is refused, and the log says so") {
  Seat seat(timed(), [](relay::RouteOptions& options) {
    options.bridge->front = [](std::size_t) { return std::unique_ptr<core::Front>(); };
  });
  (void)seat.read_to_end();
  CHECK(seat.route.ended(Reason::kBadRequest) == 1);
  CHECK(seat.route.heard.line("which has no front yet"));
}

TEST_CASE("room guest: who is sent away before it has a seat is told why in the words of its game") {
  Seat seat(timed(), [](relay::RouteOptions& options) {
    options.game = &native::game();
    options.listen_dialect = kJson;
    options.clients_name_dialect = true;  // so it must speak first
    options.bridge->front = kNativeFront;
  });
  seat.settle();
  CHECK(seat.session->seat_id() == 0);
  seat.session->send_away(Reason::kKicked, "be nice");
  const std::string told = seat.read_to_end();
  CHECK(told.find(R"("refused")") != std::string::npos);
  CHECK(told.find("be nice") != std::string::npos);
  CHECK(seat.route.ended(Reason::kKicked) == 1);
}

TEST_CASE("room guest: a client that waits for its seat when the room ends is refused at once") {
  Seat seat;
  seat.room->retire();
  seat.settle();
  CHECK(seat.room->over());
  CHECK(seat.route.ended(Reason::kServerUnreachable) == 1);
  (void)seat.read_to_end();
  seat.client.close();
  seat.until([&] { return seat.owner.times_done == 1; });
}

TEST_CASE("room guest: when the room ends, its reason is that of the session") {
  Seat seat;
  seat.open();
  seat.room->retire();
  CHECK(seat.read_to_end() == kBye);
  CHECK(seat.route.ended(Reason::kDrained) == 1);
}

TEST_CASE("room guest: the operator's message reaches who is in, and the result says if it does not") {
  Seat seat;
  CHECK(seat.session->say("hello") == relay::AnnounceResult::kNotIn);
  seat.open();
  CHECK(seat.session->say("hello") == relay::AnnounceResult::kYes);
  CHECK(seat.read(said("hello").size()) == said("hello"));
  seat.session->send_away(Reason::kKicked, "");
  CHECK(seat.session->say("too late") == relay::AnnounceResult::kNotIn);
}

TEST_CASE("room guest: a client that came for a kept seat during a drain may not become a new player while it lasts") {
  for (const bool drains : {true, false}) {
    CAPTURE(drains);
    Seat seat(timed(), nullptr, [](relay::AcceptedClient& newcomer) { newcomer.only_resumes = true; });
    seat.route.listener.draining = drains;
    seat.client.send(kHello);
    if (drains) {
      CHECK(seat.read_to_end() == std::string(kWelcome) + kBye);
      CHECK(seat.route.ended(Reason::kDraining) == 1);
      CHECK(seat.owner.players == 0);
    } else {
      CHECK(seat.read(4) == kWelcome);
      seat.until([&] { return seat.owner.players == 1; });
      CHECK_FALSE(seat.session->has_ended());
    }
  }
}

TEST_CASE("room guest: a health check is neither counted nor logged, until it enters") {
  Seat seat(timed(), nullptr, [](relay::AcceptedClient& newcomer) { newcomer.health_check = true; });
  seat.calls(seat.client.here());
  seat.until([&] { return seat.session->seat_id() != 0; });
  CHECK(seat.session->is_health_check());
  CHECK(seat.counters().begun.read() == 0);
  CHECK(seat.route.heard.told("opened ") == 0);
  CHECK_FALSE(seat.session->listed());
  seat.open();
  CHECK_FALSE(seat.session->is_health_check());
  CHECK_FALSE(seat.session->calls());
  CHECK(seat.counters().begun.read() == 1);
  CHECK(seat.route.heard.told("opened ") == 1);
  CHECK(seat.session->listed());
}

TEST_CASE("room guest: a health check that enters where no more sessions may be is told so") {
  Limits limits = timed();
  limits.sessions = 1;
  Seat seat(limits, nullptr, [](relay::AcceptedClient& newcomer) { newcomer.health_check = true; });
  const net::Address other = *net::Address::parse("192.0.2.1:1");
  for (const net::Address& one : {seat.client.here(), other}) seat.calls(one);
  REQUIRE_FALSE(seat.route.listener.admission.begin_session(other, limits));
  seat.client.send(kHello);
  (void)seat.read_to_end();
  CHECK(seat.route.ended(Reason::kTooMany) == 1);
  CHECK(seat.owner.players == 0);
}

TEST_CASE("room guest: who claims a session that has left the room hands its client over, and its own player is gone") {
  Seat seat(timed(), [](relay::RouteOptions& options) {
    options.bridge->front = [](std::size_t) { return toy::make_asking_front(toy::stream()); };
  });
  seat.owner.claims = 7;
  seat.client.send(kHello);
  CHECK(seat.read(4) == kWelcome);
  const core::Id id = seat.session->seat_id();
  seat.client.send(Buffer{1, toy::kBack, 7});
  seat.until([&] { return seat.owner.handed_to != 0; });
  CHECK(seat.owner.handed_to == 77);
  CHECK(seat.owner.handed);
  CHECK(seat.route.ended(Reason::kResumed) == 1);
  seat.until([&] { return !seat.room->is_seated(id); });
}

TEST_CASE("room guest: a viewer is told where to connect, and a player of an arena is moved only once it is in") {
  relay::RouteOptions other = Seat::options_with(timed(), nullptr);
  other.bridge.reset();
  {
    Seat seat;
    const net::Address there = *net::Address::parse("192.0.2.9:77");
    OneRoute to(seat.loop, other, {there});
    to.listener.address = to.route.listen_address = there;
    seat.owner.only = &*to.here;
    seat.open();
    const auto order = std::make_shared<relay::MoveOrder>(1);
    seat.session->move(order);
    CHECK(order->wait(0).how == relay::MoveOrder::How::kReferred);
    CHECK(order->wait(0).text == "moved to another server: connect to 192.0.2.9:77");
    CHECK(seat.route.ended(Reason::kReferred) == 1);
    CHECK(seat.read_to_end() == kBye);
  }
  Seat seat(timed(), [](relay::RouteOptions& options) {
    options.arena_faces.emplace(relay::BridgeOptions::ArenaPlace{"a test", nullptr, nullptr});
  });
  OneRoute to(seat.loop, other, {loopback()});
  seat.owner.only = &*to.here;
  const auto order = std::make_shared<relay::MoveOrder>(1);
  seat.session->move(order);
  CHECK(order->wait(0).how == relay::MoveOrder::How::kStays);
  CHECK(order->wait(0).text == "the player has not joined yet");
  CHECK_FALSE(seat.session->has_ended());
}

/// Sends more when it begins than may wait.
class Loud final : public core::Front {
 public:
  void opened(const core::Peer&, core::FrontOut& out) override {
    const std::string much(16 * 1024 * 1024, 'x');
    out.send(Lane::kStream, as_bytes(std::string_view(much)));
  }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const core::Fact&, core::FrontOut& out) override {
    out.send(Lane::kStream, as_bytes(std::string_view("x")));
  }
  void session_ends(std::string_view why, core::FrontOut& out) override { out.close(why, 0); }
};

TEST_CASE("room guest: what waits for a client from before it has its seat counts for the limit, too") {
  Limits limits = timed();
  limits.high_water = 1'000;
  Seat seat(limits, [](relay::RouteOptions& options) {
    options.bridge->front = [](std::size_t) { return std::make_unique<Loud>(); };
  });
  seat.until([&] { return seat.session->seat_id() != 0; });
  seat.tell(words::Said());
  CHECK(seat.session->has_ended());
  CHECK(seat.route.ended(Reason::kClientStalled) == 1);
}

TEST_CASE("room guest: a datagram that comes before the client has its seat is dropped, and what it sent stays") {
  Seat seat(timed(), [](relay::RouteOptions& options) { options.game = &toy::game(); });
  REQUIRE(seat.session->seat_id() == 0);
  seat.session->datagram(seat.client.here(), frame("early"));
  CHECK(seat.route.dropped(relay::Drop::kNotLinked) == 1);
  seat.open();
  CHECK(seat.counters().to_server.datagrams.read() == 0);
}

TEST_CASE("room guest: a viewer is told the address to which it has connected, if the other listener has no own") {
  relay::RouteOptions other = Seat::options_with(timed(), nullptr);
  other.bridge.reset();
  Seat seat;
  OneRoute to(seat.loop, other, {loopback()});
  to.listener.address = to.route.listen_address = *net::Address::parse("0.0.0.0:77");
  seat.owner.only = &*to.here;
  seat.open();
  const auto order = std::make_shared<relay::MoveOrder>(1);
  seat.session->move(order);
  CHECK(order->wait(0).text == "moved to another server: connect to 127.0.0.1:77");
}

TEST_CASE("room guest: who is kicked on the way to a server is not moved, and the operator is told so at once") {
  Seat seat(timed(), [](relay::RouteOptions& options) {
    options.arena_faces.emplace(relay::BridgeOptions::ArenaPlace{"a test", nullptr, nullptr});
  });
  const FakeServer server;
  relay::RouteOptions other = Seat::options_with(timed(), nullptr);
  other.bridge->shared_room.reset();
  OneRoute to(seat.loop, other, {server.address()});
  seat.owner.only = &*to.here;
  seat.open();
  const auto order = std::make_shared<relay::MoveOrder>(1);
  seat.session->move(order);
  CHECK(order->wait(0).how == relay::MoveOrder::How::kUnderWay);
  seat.session->send_away(Reason::kKicked, "no cheats");
  CHECK(order->wait(0).how == relay::MoveOrder::How::kStays);
  CHECK(order->wait(0).text == "the session has ended");
  CHECK(seat.owner.times_done == 0);  // its client has not closed yet
  seat.client.close();
  seat.until([&] { return seat.owner.times_done == 1; });
}

}  // namespace
}  // namespace entente::testing::room_guest_test
