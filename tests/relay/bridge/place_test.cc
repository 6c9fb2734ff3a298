// How long a player of a bridge waits for a place.
#include "proxy/relay/sessions/place.h"

#include <doctest/doctest.h>

#include <memory>

#include "tests/support/toy_game.h"

namespace entente::testing::place_test {
namespace {

using relay::End;

struct Nobody final : End::User {
  void opened(End&, const core::Peer&) override {}
  void on_frames(End&, const wire::Frames&) override {}
  void wrote(End&) override {}
  void departed(End&, const End::Departure&) override {}
  void over(End&) override {}
  relay::WorkerRoute* route_for(std::string_view) override { return nullptr; }
};

struct FakeEnd final : End {
  FakeEnd(User& user, const Millis& received) : End(user), received_(received) {}
  bool adopt(net::Fd) override { return true; }
  int connect(const net::Address&, relay::Outgoing) override { return 0; }
  void send(wire::Lane, Bytes) override {}
  std::size_t waiting() const override { return 0; }
  void set_reading(bool on) override { reads = on; }
  Millis last_received() const override { return received_; }
  void shut_down(std::string_view, std::uint32_t) override {}
  void hang_up() override {}
  bool is_open() const override { return true; }
  net::Address local_address() const override { return {}; }

  const Millis& received_;
  bool reads = true;
};

TEST_CASE("a server that sends a message in pieces is not silent, but has to let the player in within lobby_ms") {
  Nobody user;
  Millis received = 0;
  relay::LinkInfo link;
  link.game = &toy::stream();
  relay::Place place(link, 1, std::make_unique<FakeEnd>(user, received), nullptr, false);
  Limits limits;
  limits.ready_ms = 300;
  limits.lobby_ms = 1'000;
  place.come_up(10'000);
  received = 10'200;  // a part of a message
  CHECK_FALSE(place.too_late(10'500, limits));
  CHECK(place.too_late(10'501, limits) == "the server did not answer within 300 ms");
  place.said_something(10'450);
  CHECK_FALSE(place.too_late(10'750, limits));
  received = 10'900;
  CHECK_FALSE(place.too_late(11'000, limits));
  CHECK(place.too_late(11'001, limits) == "the server did not let the player in within 1 s");
}

TEST_CASE("a server that is connected while the player reads slowly is not read until the player has caught up") {
  Nobody user;
  const Millis never = 0;
  relay::LinkInfo link;
  link.game = &toy::stream();
  auto made = std::make_unique<FakeEnd>(user, never);
  const FakeEnd& end = *made;
  relay::Place place(link, 1, std::move(made), nullptr, false);
  place.pause(relay::kOtherSlow);
  place.come_up(10'000);
  CHECK_FALSE(end.reads);
  place.resume(relay::kOtherSlow);
  CHECK(end.reads);
}

}  // namespace
}  // namespace entente::testing::place_test
