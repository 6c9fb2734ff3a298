// Fronts that play by themselves: no listener, one comes in each tick, and all leave when told to.
#include <doctest/doctest.h>

#include "tests/relay/bridging.h"

namespace entente::testing {
namespace {

using relay::Reason;

/// Enters, says one line, and leaves when it hears one.
class Shy final : public core::Front {
 public:
  void opened(const core::Peer& peer, core::FrontOut& out) override {
    CHECK(peer.address.empty());
    out.send(Lane::kStream, as_bytes("to nobody"));
    words::Say say;
    say.set_text("hello");
    out.say(say);
  }
  void receive(Lane, Bytes, core::FrontOut&) override { FAIL("nobody speaks to it"); }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    if (core::as<words::Said>(fact)) out.close("was spoken to");
  }
};

struct Bots : Serving {
  Bots(const net::Address& server, std::uint32_t count) : Serving(1) {
    relay::RelayOptions options;
    options.game = &toy::stream();
    options.server_dialect = 0;
    options.bridge = toy_bridge(toy::stream(), toy::stream());
    options.bridge->front = [](std::size_t) { return std::make_unique<Shy>(); };
    options.bridge->bots = count;
    serve(std::move(options), server, no_limits(), nullptr);
  }
  bool left(std::uint64_t count) {
    return eventually([&] { return totals().by(Reason::kClientLeft) == count; });
  }
};

Stream greeted(const FakeServer& fake) {
  Stream server = fake.accept();
  CHECK(server.read_text(4) == kHello);
  server.send(kWelcome);
  CHECK(server.read_text(7) == as_text(frame("hello", toy::kSay)));
  return server;
}

TEST_CASE("bots come by themselves, one connection each, and go one by one") {
  FakeServer fake;
  Bots bots(fake.address(), 3);
  const Stream first = greeted(fake), second = greeted(fake), third = greeted(fake);
  second.send(as_text(frame("you", toy::kSay)));
  CHECK(bots.left(1));
  CHECK(second.read_all().size() == 2);  // the toy's goodbye
  CHECK(eventually([&] { return bots.totals().now() == 2; }));
}

TEST_CASE("bots say goodbye when they are stopped") {
  FakeServer fake;
  Stream server = [&] {
    Bots bots(fake.address(), 1);
    return greeted(fake);
  }();
  CHECK(server.read_all().size() == 2);
}

TEST_CASE("a server that is not there ends its bots with the reason") {
  net::Address nowhere;
  {
    const FakeServer gone;
    nowhere = gone.address();
  }
  Bots bots(nowhere, 2);
  CHECK(eventually([&] { return bots.totals().by(Reason::kServerRefused) == 2; }));
}

}  // namespace
}  // namespace entente::testing
