// Another process takes over the listeners, or does not: newcomers go to it from then on, and sessions stay here. The
// test acts as the other process.
#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/toy.h"

namespace entente::testing::take_over_test {
namespace {

bool is_stream(const net::Fd& fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd.get(), SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

/// What a process gets that asks for the listeners.
struct Offered {
  explicit Offered(relay::ProxyServer& server) {
    auto all = server.offer_listeners();
    REQUIRE(all.ok());
    for (relay::OfferedSocket& one : *all) {
      at.push_back(one.bound);
      if (is_stream(one.fd))
        tcp = std::move(one.fd);
      else
        udp.emplace(std::move(one.fd));
    }
  }
  net::Fd tcp;
  std::optional<Datagrams> udp;
  std::vector<net::Address> at;
};

void goes_on(const Pair& pair, std::string_view text) {
  pair.client.send(frame(text));
  CHECK(pair.server.read(frame(text).size()) == frame(text));
}

TEST_CASE("take-over: newcomers go to the other process, and come here again if it does not take over") {
  FakeServer fake(true);
  Running running(toy::game(), fake.address());
  relay::ProxyServer& server = running.server();
  const Datagrams server_side = fake.take_datagrams();
  const net::Address from = free_for_both();
  const Pair before(running, fake, &from);
  const Datagrams client_side(from);
  const auto meet = [&] {
    goes_on(before, "still here");
    client_side.send(running.address, frame("ping"));
    CHECK(server_side.receive().bytes == frame("ping"));
  };
  for (const bool takes_over : {false, true}) {
    CAPTURE(takes_over);
    Offered other(server);
    CHECK(other.at == std::vector{running.address, running.address});
    REQUIRE(server.release_newcomers().ok());
    const Stream newcomer = Stream::to(running.address);
    REQUIRE(wait_readable(other.tcp.get()));
    const net::Fd taken(::accept4(other.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
    CHECK(net::peer_address(taken.get()) == newcomer.here());
    const Datagrams stranger(loopback());
    stranger.send(running.address, frame("hello"));
    CHECK(other.udp->receive().from == stranger.here());
    meet();
    takes_over ? server.complete_take_over() : server.cancel_take_over();
    meet();
    if (takes_over) {
      const Stream late = Stream::to(running.address);
      CHECK(wait_readable(other.tcp.get()));
    } else {
      other.tcp.reset();
      const Pair after(running, fake);
      goes_on(after, "here again");
    }
  }
  CHECK(running.totals().begun == 2);
}

TEST_CASE("take-over: over ENet, newcomers go to the other process, and come here again if it does not take over") {
  for (const EnetMode mode : {EnetMode::kPackets, EnetMode::kDatagrams}) {
    Scene scene(aos::game(), no_limits(), mode);
    scene.join(3);
    relay::ProxyServer& server = scene.running.server();
    const auto goes_on = [&] {
      scene.server.log.clear();
      scene.client.say(0, "0901000002000000006f6f6f616200", EnetDelivery::kReliable);
      scene.until([&] { return scene.server.heard("0/1 0901000002000000"); });
    };
    for (const bool takes_over : {false, true}) {
      CAPTURE(takes_over);
      Offered other(server);
      CHECK(other.at == std::vector{scene.running.address});
      REQUIRE(server.release_newcomers().ok());
      const Datagrams stranger(loopback());
      stranger.send(scene.running.address, frame("hello"));
      CHECK(other.udp->receive().from == stranger.here());
      goes_on();
      takes_over ? server.complete_take_over() : server.cancel_take_over();
      goes_on();
      End late(scene.loop);
      REQUIRE(late.host.open({8, scene.settings.channels, scene.settings.range_coder, 8U << 20U}).ok());
      late.host.connect(scene.running.address, 1, 3);
      if (takes_over)
        scene.until([&] { return other.udp->readable(0); });
      else
        scene.until([&] { return late.ups > 0; });
      late.host.close();
    }
  }
}

TEST_CASE("take-over: it fails if routes have changed since the listeners were offered") {
  FakeServer fake;
  Running running(toy::stream(), fake.address());
  relay::ProxyServer& server = running.server();
  const Offered other(server);
  REQUIRE(server.change({.retired = {0}}).ok());
  const auto released = server.release_newcomers();
  REQUIRE_FALSE(released.ok());
  CHECK(released.error().text.find("was reloaded meanwhile") != std::string::npos);
  server.cancel_take_over();
}

TEST_CASE("take-over: a new process numbers its links after those of the process before it") {
  FakeServer fake;
  Running running(toy::stream(), fake.address());
  const Pair first(running, fake);
  CHECK(running.server().last_link() == 1);
  running.server().begin_links_after(100);
  const Pair second(running, fake);
  CHECK(running.sessions().back().info.link == 101);
  CHECK(running.server().last_link() == 101);
}

}  // namespace
}  // namespace entente::testing::take_over_test
