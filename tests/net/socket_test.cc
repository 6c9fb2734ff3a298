// Sockets: one port for TCP and UDP, errors that say what to do, and ports that bzfs links.
#include "proxy/net/socket.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <vector>

namespace entente::net::socket_test {
namespace {

TEST_CASE("a listener with datagrams has one port for both, over IPv4 and IPv6") {
  for (const char* text : {"127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"}) {
    CAPTURE(text);
    for (int i = 0; i < 20; ++i) {
      const auto sockets = listen(*Address::parse(text), true);
      REQUIRE(sockets.ok());
      CHECK(sockets->address.port() != 0);
      CHECK(local_address(sockets->tcp.get()) == sockets->address);
      CHECK(local_address(sockets->udp.get()) == sockets->address);
    }
  }
}

TEST_CASE("an address that cannot be listened on is an error that says what to do") {
  const auto first = listen(*Address::parse("127.0.0.1:0"), true);
  const auto taken = listen(first->address, true);
  REQUIRE(!taken.ok());
  CHECK(taken.error().text == "cannot listen on " + first->address.text() +
                                  ": Address already in use; stop the program that has this port, or listen on another "
                                  "(port 0 takes any)");
  const auto foreign = listen(*Address::parse("192.0.2.1:0"), false);
  REQUIRE(!foreign.ok());
  CHECK(foreign.error().text.find("listen on an address that this machine has") != std::string::npos);
}

TEST_CASE("a UDP port that is in use is an error, even if the TCP port is free") {
  auto first = listen(*Address::parse("127.0.0.1:0"), true);
  first->tcp.reset();
  CHECK(!listen(first->address, true).ok());
  CHECK(listen(first->address, false).ok());
}

TEST_CASE("a socket pair to a server shares one local port, whose low byte is at least 4") {
  const auto server = listen(*Address::parse("127.0.0.1:0"), true);
  for (int i = 0; i < 500; ++i) {
    const auto pair = pair_towards(server->address);
    REQUIRE(pair.ok());
    const std::uint16_t port = local_address(pair->tcp.get()).port();
    CHECK(port == local_address(pair->udp.get()).port());
    CHECK((port & 0xFF) >= 4);
    CHECK(peer_address(pair->udp.get()) == server->address);
  }
}

TEST_CASE("an unreachable server is an error of connecting, not of creating sockets") {
  const Address nowhere = *Address::parse("255.255.255.255:5154");
  const auto pair = pair_towards(nowhere);
  REQUIRE(pair.ok());
  CHECK(::connect(pair->tcp.get(), nowhere.raw(), nowhere.size()) != 0);
  CHECK(errno != EINPROGRESS);
}

TEST_CASE("a peer that has closed its direction or its connection has ended, whatever it sent before") {
  std::vector<Fd> ours, theirs;
  std::vector<int> fds;
  for (int i = 0; i < 4; ++i) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    ours.emplace_back(ends[0]);
    theirs.emplace_back(ends[1]);
    fds.push_back(ends[0]);
  }
  for (const int i : {1, 2, 3}) REQUIRE(::send(theirs[static_cast<std::size_t>(i)].get(), "x", 1, 0) == 1);
  REQUIRE(::shutdown(theirs[2].get(), SHUT_WR) == 0);
  theirs[3].reset();
  const std::vector<bool> ended = peers_have_ended(fds);
  CHECK(ended == std::vector<bool>{false, false, true, true});
  for (std::size_t i = 0; i < fds.size(); ++i) CHECK(peer_has_ended(fds[i]) == ended[i]);
  CHECK(peers_have_ended({}).empty());
}

}  // namespace
}  // namespace entente::net::socket_test
