// How long a player waits for a place: what counts as progress, and when the log says that the player waits.
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "proxy/relay/sessions/place.h"
#include "tests/relay/route/one_route.h"
#include "tests/support/toy_game.h"

namespace entente::testing::place_times_test {
namespace {

using relay::End, relay::Place;

/// A link that the test moves.
struct Link : End, End::User {
  Link() : End(static_cast<End::User&>(*this)) {}
  bool adopt(net::Fd) override { return true; }
  int connect(const net::Address&, relay::Outgoing) override { return 0; }
  void send(wire::Lane, Bytes) override {}
  std::size_t waiting() const override { return 0; }
  void set_reading(bool on) override { reads = on; }
  void set_peer_dialect(std::size_t dialect) override { speaks = dialect; }
  Millis last_received() const override { return received; }
  void shut_down(std::string_view, std::uint32_t) override {}
  void hang_up() override {}
  bool is_open() const override { return true; }
  net::Address local_address() const override { return {}; }
  void opened(End&, const core::Peer&) override {}
  void on_frames(End&, const Frames&) override {}
  void wrote(End&) override {}
  void departed(End&, const Departure&) override {}
  void over(End&) override {}
  relay::WorkerRoute* route_for(std::string_view) override { return nullptr; }

  Millis received = 0;
  bool reads = false;
  std::optional<std::size_t> speaks;
};

constexpr Millis kNow = 100'000;

struct Rig {
  explicit Rig(bool finds_dialect = false) {
    relay::LinkInfo info;
    info.game = &toy::game();
    info.dialect = 1;
    auto end = std::make_unique<Link>();
    link = end.get();
    place = std::make_unique<Place>(info, core::kBackId, std::move(end), nullptr, finds_dialect);
    limits.ready_ms = 20'000;
    limits.lobby_ms = 120'000;
    place->come_up(kNow);
  }
  bool late(Millis after) { return place->too_late(kNow + after, limits).has_value(); }

  Limits limits;
  Link* link = nullptr;
  std::unique_ptr<Place> place;
};

TEST_CASE("place: a silent server has ready_ms to let the player in, and one that goes on speaking lobby_ms") {
  Rig rig;
  CHECK_FALSE(rig.late(20'000));
  CHECK(rig.place->too_late(kNow + 20'001, rig.limits) == "the server did not answer within 20 s");
  for (Millis after = 0; after <= 120'000; after += 15'000) {
    rig.place->said_something(kNow + after);
    CHECK_FALSE(rig.late(after));
  }
  CHECK(rig.place->too_late(kNow + 120'001, rig.limits) == "the server did not let the player in within 120 s");
}

TEST_CASE("place: bytes of a message that is not whole yet are a sign of life, too") {
  Rig rig;
  rig.link->received = kNow + 19'000;
  CHECK_FALSE(rig.late(39'000));
  CHECK(rig.late(39'001));
}

TEST_CASE("place: a server that is not read may be silent") {
  Rig rig;
  rig.place->pauses.add(relay::kOtherSlow);
  CHECK_FALSE(rig.late(50'000));
  CHECK_FALSE(rig.late(100'000));
  rig.place->pauses.remove(relay::kOtherSlow);
  CHECK_FALSE(rig.late(119'999));  // its time begins anew
  CHECK(rig.late(120'001));
}

TEST_CASE("place: a server whose player waits in a lobby may be silent for lobby_ms") {
  Rig rig;
  rig.place->set_in_lobby();
  CHECK_FALSE(rig.late(120'000));
  CHECK(rig.late(120'001));
}

TEST_CASE("place: each part of the world, and each new wait, begins the time anew") {
  Rig rig;
  rig.place->progressed(kNow + 15'000);
  CHECK_FALSE(rig.late(35'000));
  CHECK(rig.late(35'001));
  rig.place->owes_from(kNow + 50'000);
  CHECK_FALSE(rig.late(70'000));
  CHECK(rig.late(70'001));
}

TEST_CASE("place: a limit of 0 is none, and a limit is told as it is") {
  Rig rig;
  rig.limits.ready_ms = rig.limits.lobby_ms = 0;
  CHECK_FALSE(rig.late(1'000'000'000));
  rig.limits.ready_ms = 1'500;
  CHECK(rig.place->too_late(kNow + 1'501, rig.limits) == "the server did not answer within 1500 ms");
}

TEST_CASE("place: that a player waits is said once after ten seconds, or after half of ready_ms, for each wait") {
  Rig rig;
  const auto slow = [&](Millis after) { return rig.place->is_newly_slow(kNow + after, rig.limits); };
  CHECK_FALSE(slow(9'999));
  CHECK(slow(10'000));
  CHECK_FALSE(slow(10'000));
  CHECK_FALSE(slow(100'000));
  rig.place->progressed(kNow + 100'000);  // no new wait
  CHECK_FALSE(slow(110'000));
  rig.place->owes_from(kNow + 100'000);
  rig.limits.ready_ms = 4'000;
  CHECK_FALSE(slow(101'999));
  CHECK(slow(102'000));
  rig.place->owes_from(kNow);
  rig.limits.ready_ms = 0;
  CHECK_FALSE(slow(9'999));
  CHECK(slow(10'000));
}

TEST_CASE("place: a server whose dialect is detected may speak any, until it has shown one, and is told it once") {
  Rig rig(true);
  CHECK(rig.place->finds_dialect());
  CHECK_FALSE(rig.place->wanted_dialect());
  rig.place->speak(0);
  CHECK_FALSE(rig.place->finds_dialect());
  CHECK(rig.place->wanted_dialect() == 0U);
  CHECK(rig.place->info.dialect == 0);
  CHECK_FALSE(rig.link->speaks);  // it detected the dialect itself
  Rig known;
  CHECK(known.place->wanted_dialect() == 1U);
  known.place->speak(0);
  CHECK(known.link->speaks == 0U);
  CHECK(known.place->wanted_dialect() == 0U);
}

TEST_CASE("place: once it is up, the time in which its server must read begins") {
  Rig rig;
  CHECK(rig.place->last_progress == kNow);
  CHECK(rig.place->up);
}

TEST_CASE("place: a recording has the end of a link only if it has its beginning: it was up, and its dialect known") {
  Tapped tapped;
  net::Loop loop;
  OneRoute route(loop, options_of(toy::game()), {}, &tapped.sink(0));
  for (const bool finds_dialect : {true, false}) {
    CAPTURE(finds_dialect);
    Rig rig(finds_dialect);
    rig.place->info.link = 5;
    if (!finds_dialect) rig.place->open_tap(*route.here);
    rig.place->close_tap(*route.here, "over", {});
    CHECK(tapped.record(5).closed == (finds_dialect ? "" : "over"));
  }
  loop.run();
}

/// A place that counts how many there are.
std::unique_ptr<Place> counted(int& alive) {
  struct Watched final : Link {
    explicit Watched(int& counter) : alive(counter) { ++alive; }
    ~Watched() override { --alive; }
    int& alive;
  };
  relay::LinkInfo info;
  info.game = &toy::game();
  return std::make_unique<Place>(info, core::kBackId, std::make_unique<Watched>(alive), nullptr, false);
}

TEST_CASE("place: places that were left stay for a second after the last of them was, and are at most eight") {
  int alive = 0;
  relay::PastPlaces past;
  CHECK(past.empty());
  past.keep(counted(alive), 1'000);
  past.tick(2'000);
  CHECK(alive == 1);
  past.keep(counted(alive), 2'000);
  past.tick(3'000);
  CHECK(alive == 2);
  CHECK_FALSE(past.empty());
  past.tick(3'001);
  CHECK(alive == 0);
  CHECK(past.empty());
  for (int i = 0; i < 20; ++i) past.keep(counted(alive), 4'000);
  CHECK(alive == 8);
}

}  // namespace
}  // namespace entente::testing::place_times_test
