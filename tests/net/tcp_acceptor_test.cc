// Connections that wait at a listening socket are accepted for a bounded time in each turn of the loop.
#include "proxy/net/tcp_acceptor.h"

#include <doctest/doctest.h>

#include <vector>

#include "proxy/net/socket.h"
#include "tests/support/connection.h"

namespace entente::net::tcp_acceptor_test {
namespace {

/// Counts the connections. Each takes `cost` nanoseconds.
struct Door final : TcpAcceptor::User {
  void accepted(Fd, const Address&) override {
    ++count;
    nanos += cost;
  }
  void starved(Fd, const Address&) override { FAIL("a descriptor is left"); }

  std::uint64_t nanos = 0, cost = 0;
  std::size_t count = 0;
};

TEST_CASE("connections are accepted until their time in the turn is over, at least one in each turn") {
  constexpr std::size_t kComing = 6;
  for (const std::size_t at_once : {std::size_t{1}, std::size_t{2}, kComing}) {
    CAPTURE(at_once);
    Door door;
    Loop loop([&door] { return door.nanos; });
    auto listening = listen(*Address::parse("127.0.0.1:0"), false);
    REQUIRE(listening.ok());
    TcpAcceptor acceptor(loop, door);
    const Address at = listening->address;
    REQUIRE(acceptor.open(std::move(listening->tcp)));
    std::vector<Fd> coming;
    for (std::size_t i = 0; i < kComing; ++i) coming.push_back(testing::connect_to(at));
    door.cost = at_once == kComing ? 0 : Schedule::kJobTime / at_once;
    for (std::size_t turn = 1; turn <= kComing / at_once; ++turn) {
      uv_run(loop.raw(), UV_RUN_ONCE);
      CHECK(door.count == turn * at_once);
    }
    acceptor.close();
    loop.run();
  }
}

TEST_CASE("while an acceptor is paused, connections wait; afterwards they are accepted") {
  Door door;
  Loop loop;
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = listening->address;
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  const auto turns = [&] {
    for (int i = 0; i < 10; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  };
  acceptor.pause(true);
  const Fd coming = testing::connect_to(at);
  turns();
  CHECK(door.count == 0);
  acceptor.pause(false);
  turns();
  CHECK(door.count == 1);
  acceptor.close();
  loop.run();
}

}  // namespace
}  // namespace entente::net::tcp_acceptor_test
