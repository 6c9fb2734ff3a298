// Two processes on one UDP port: the old one receives from its own peers, the new one from all others, and no datagram
// is lost.
#include "proxy/net/udp_twin.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "proxy/net/service_manager.h"
#include "proxy/net/socket.h"
#include "proxy/net/udp.h"

namespace entente::net::udp_twin_test {
namespace {

struct Ear : UdpReader::User {
  explicit Ear(Loop& loop) : reader(loop, *this) {}
  void datagram(const Address& from, Bytes bytes) override {
    heard.push_back(std::to_string(from.port()) + " " + std::string(as_text(bytes)));
    here.push_back(reader.local_address());
    sources.push_back(from);
    if (as_text(bytes) == "bye") reader.forget(from);
  }
  UdpReader reader;
  std::vector<std::string> heard;
  std::vector<Address> here, sources;
};

struct Client {
  explicit Client(const Address& server) : to(server) {
    auto made = datagrams_towards(server);
    REQUIRE(made.ok());
    fd = std::move(made->udp);
    address = local_address(fd.get());
  }
  std::string say(const std::string& text) const {
    REQUIRE(udp_send(fd.get(), as_bytes(text)));
    return std::to_string(address.port()) + " " + text;
  }
  Address to, address;
  Fd fd;
};

void turn(Loop& loop, const std::function<bool()>& done) {
  const auto stop = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done() && std::chrono::steady_clock::now() < stop) uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(done());
}

using Lines = std::vector<std::string>;

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST_CASE("udp twin: peers stay with the old socket, newcomers go to the newest, for each kind of address") {
  for (const auto& one :
       {std::pair{"127.0.0.1", "127.0.0.1"}, {"0.0.0.0", "127.0.0.1"}, {"::1", "::1"}, {"::", "::1"}}) {
    const char *const at = one.first, *const ip = one.second;
    CAPTURE(at);
    auto listening = listen_datagrams(*Address::parse(at, 0));
    REQUIRE(listening.ok());
    const int old_fd = listening->udp.get();
    const Address server = *Address::parse(ip, listening->address.port());
    Loop loop;
    Ear old(loop);
    REQUIRE(old.reader.open(old_fd));
    const Client anna(server), berta(server), clara(server), dora(server), late(server);

    const std::vector<UdpReader::Peer> peers = {{anna.address, *Address::parse(ip, 0)}};
    REQUIRE(old.reader.give_sockets([&] { return peers; }));
    const std::string first = late.say("1");
    Fd twin = udp_twin(server.family());
    REQUIRE(bind_twin(twin.get(), old_fd));
    // A sender whose datagram the old socket has received already is also its peer.
    old.reader.read_all();
    CHECK(old.heard == Lines{first});
    old.heard.clear(), old.here.clear();
    const std::vector<UdpReader::Peer> latecomers = {{late.address, *Address::parse(ip, 0)}};
    REQUIRE(old.reader.give_sockets([&] { return latecomers; }));
    refuse_twins(twin.get());
    Ear young(loop);
    REQUIRE(young.reader.open(twin.get(), listening->address));
    const Lines to_old = {anna.say("1"), late.say("2")}, to_young = {berta.say("1"), clara.say("1")};
    turn(loop, [&] { return old.heard.size() == 2 && young.heard.size() == 2; });
    CHECK(old.heard == to_old);
    CHECK(young.heard == to_young);
    CHECK(old.here.back() == server);
    CHECK(young.here.back() == server);

    // The next one, while the first still serves.
    const std::vector<UdpReader::Peer> more = {{berta.address, *Address::parse(ip, 0)}};
    REQUIRE(young.reader.give_sockets([&] { return more; }));
    Fd third = udp_twin(server.family());
    REQUIRE(bind_twin(third.get(), twin.get()));
    refuse_twins(third.get());
    Ear youngest(loop);
    REQUIRE(youngest.reader.open(third.get(), listening->address));
    CHECK_FALSE(bind_twin(udp_twin(server.family()).get(), -1));
    Fd stranger = udp_twin(server.family());
    const int on = 1;
    ::setsockopt(stranger.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    CHECK(::bind(stranger.get(), listening->address.raw(), listening->address.size()) != 0);
    anna.say("3"), berta.say("2"), clara.say("2"), dora.say("1");
    turn(loop, [&] { return old.heard.size() == 3 && young.heard.size() == 3 && youngest.heard.size() == 2; });

    // A peer that leaves and comes again is a newcomer.
    anna.say("bye");
    turn(loop, [&] { return old.heard.size() == 4; });
    anna.say("again");
    turn(loop, [&] { return youngest.heard.size() == 3; });
    CHECK(youngest.heard.back() == std::to_string(anna.address.port()) + " again");

    // The newest ends: the one before it gets newcomers again.
    youngest.reader.close();
    third.reset();
    dora.say("2");
    turn(loop, [&] { return young.heard.size() == 4; });
    old.reader.close(), young.reader.close();
    loop.run();
  }
}

TEST_CASE("udp twin: on a port for IPv4 and IPv6, newcomers of both go to the new socket, and peers of both stay") {
  auto listening = listen(*Address::parse("[::]:0"), true);
  REQUIRE(listening.ok());
  const int old_fd = listening->udp.get();
  const std::uint16_t port = listening->address.port();
  const Address four = *Address::parse("127.0.0.1", port), six = *Address::parse("::1", port);
  Loop loop;
  Ear old(loop);
  REQUIRE(old.reader.open(old_fd));
  const Client anna(four), berta(six), clara(four), dora(six);
  const std::vector<UdpReader::Peer> peers = {{anna.address, four}, {berta.address, six}};
  REQUIRE(old.reader.give_sockets([&] { return peers; }));
  Fd twin = udp_twin(AF_INET6);
  REQUIRE(bind_twin(twin.get(), old_fd));
  refuse_twins(twin.get());
  Ear young(loop);
  REQUIRE(young.reader.open(twin.get(), listening->address));
  const Lines to_old = {anna.say("1"), berta.say("1")}, to_young = {clara.say("1"), dora.say("1")};
  turn(loop, [&] { return old.heard.size() + young.heard.size() == 4; });
  CHECK(sorted(old.heard) == sorted(to_old));
  CHECK(sorted(young.heard) == sorted(to_young));
  CHECK(young.sources.front().family() == AF_INET);
  CHECK(young.here.front() == four);
  old.reader.close(), young.reader.close();
  loop.run();
}

TEST_CASE("udp twin: the twin of a socket for IPv6 alone leaves the IPv4 port to others") {
  auto listening = listen(*Address::parse("[::]:0"), true, /*only_v6=*/true);
  REQUIRE(listening.ok());
  const Fd twin = udp_twin(AF_INET6);
  REQUIRE(bind_twin(twin.get(), listening->udp.get()));
  refuse_twins(twin.get());
  const Fd other(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const Address at = *Address::parse("0.0.0.0", listening->address.port());
  CHECK(::bind(other.get(), at.raw(), at.size()) == 0);
}

TEST_CASE("udp twin: once a twin is silent, the old socket gets the newcomers again, although the twin is open") {
  for (const char* at : {"127.0.0.1", "0.0.0.0", "::1", "::"}) {
    CAPTURE(at);
    auto listening = listen_datagrams(*Address::parse(at, 0));
    REQUIRE(listening.ok());
    const bool v6 = listening->address.v6();
    const Client client(*Address::parse(v6 ? "::1" : "127.0.0.1", listening->address.port()));
    const Fd twin = udp_twin(listening->address.family());
    REQUIRE(bind_twin(twin.get(), listening->udp.get()));
    const auto hears = [](const Fd& fd) {
      char room[16];
      return ::recv(fd.get(), room, sizeof room, MSG_DONTWAIT) > 0;
    };
    client.say("1");
    CHECK(hears(twin));
    silence_twin(twin.get());
    client.say("2");
    CHECK_FALSE(hears(twin));
    CHECK(hears(listening->udp));
  }
}

TEST_CASE("udp twin: a copy is the same socket, and is closed on exec") {
  auto listening = listen_datagrams(*Address::parse("127.0.0.1", 0));
  REQUIRE(listening.ok());
  const Fd copy = copy_of(listening->udp.get());
  CHECK(copy.get() != listening->udp.get());
  CHECK(local_address(copy.get()) == listening->address);
  CHECK((::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC) != 0);
  CHECK_FALSE(copy_of(-1));
}

TEST_CASE("udp twin: no datagram of other senders is lost while the socket of a peer is created") {
  auto listening = listen_datagrams(*Address::parse("127.0.0.1", 0));
  REQUIRE(listening.ok());
  Loop loop;
  Ear old(loop);
  REQUIRE(old.reader.open(listening->udp.get()));
  std::vector<Client> crowd;
  std::vector<UdpReader::Peer> peers;
  for (int i = 0; i < 200; ++i) {
    crowd.emplace_back(listening->address);
    peers.push_back({crowd.back().address, listening->address});
  }
  // Each has a datagram queued in the old socket; all keep sending while the sockets are created.
  std::size_t sent = 0;
  for (const Client& one : crowd) one.say("before"), ++sent;
  std::atomic<bool> over{false};
  std::thread sender([&] {
    while (!over)
      for (const Client& one : crowd) {
        one.say("meanwhile");
        ++sent;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
  });
  REQUIRE(old.reader.give_sockets([&] { return peers; }));
  over = true;
  sender.join();
  turn(loop, [&] { return old.heard.size() == sent; });
  CHECK(old.heard.size() == sent);
  old.reader.close();
  loop.run();
}

/// A reader whose peer has a socket of its own.
struct WithPeer {
  explicit WithPeer(const char* at = "127.0.0.1") : listening(listen_datagrams(*Address::parse(at, 0))) {
    REQUIRE(listening.ok());
    REQUIRE(old.reader.open(listening->udp.get()));
  }
  ~WithPeer() {
    old.reader.close();
    loop.run();
  }
  void keep(const Client& client) {
    const std::vector<UdpReader::Peer> peers = {{client.address, client.to}};
    REQUIRE(old.reader.give_sockets([&] { return peers; }));
  }

  Outcome<Sockets> listening;
  Loop loop;
  Ear old{loop};
};

TEST_CASE("udp twin: a peer with a socket of its own that was gone for a moment is heard again") {
  WithPeer t;
  Client anna(t.listening->address);
  t.keep(anna);
  UdpBatch batch(t.loop, t.listening->udp.get(), false);
  for (int i = 0; i < 3; ++i) {
    anna.fd.reset();
    batch.push({}, anna.address, as_bytes(std::string_view("hello?")));  // is refused by ICMP
    for (int turns = 0; turns < 5; ++turns) uv_run(t.loop.raw(), UV_RUN_NOWAIT);
    anna.fd = Fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(anna.fd.get(), anna.address.raw(), anna.address.size()) == 0);
    REQUIRE(::connect(anna.fd.get(), anna.to.raw(), anna.to.size()) == 0);
    const std::string said = anna.say("back");
    const auto all = static_cast<std::size_t>(i) + 1;
    turn(t.loop, [&] { return t.old.heard.size() == all; });
    CHECK(t.old.heard.back() == said);
  }
}

TEST_CASE("udp twin: a peer that is forgotten at a datagram is not heard further, also of what came with it") {
  WithPeer t;
  const Client anna(t.listening->address), ben(t.listening->address);
  t.keep(anna);
  const Lines expected = {anna.say("bye"), ben.say("1")};
  anna.say("too late");
  turn(t.loop, [&] { return t.old.heard.size() >= 2; });
  for (int turns = 0; turns < 5; ++turns) uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  CHECK(sorted(t.old.heard) == sorted(expected));
  t.old.reader.forget(anna.address);  // no effect
}

TEST_CASE("udp twin: of each datagram of peers it is known to which of our addresses it came") {
  WithPeer t("0.0.0.0");
  const std::uint16_t port = t.listening->address.port();
  const Address first = *Address::parse("127.0.0.1", port), second = *Address::parse("127.0.0.2", port);
  const Client anna(first), ben(second), carl(first);
  t.keep(anna);
  t.keep(ben);
  std::vector<Address> expected;
  for (const Client* const one : {&anna, &ben, &carl, &ben, &anna}) {
    one->say("x");
    expected.push_back(one->to);
    turn(t.loop, [&] { return t.old.heard.size() == expected.size(); });
  }
  CHECK((t.old.here == expected));
}

TEST_CASE("udp twin: a peer's socket has the address that the peer talks to, whatever others talked to last") {
  WithPeer t("0.0.0.0");
  const std::uint16_t port = t.listening->address.port();
  const Address first = *Address::parse("127.0.0.1", port), second = *Address::parse("127.0.0.2", port);
  const Client anna(first), ben(second);
  ben.say("1");
  turn(t.loop, [&] { return t.old.heard.size() == 1; });
  anna.say("1");
  turn(t.loop, [&] { return t.old.heard.size() == 2; });
  t.keep(ben);
  t.keep(anna);
  Fd twin = udp_twin(AF_INET);
  REQUIRE(bind_twin(twin.get(), t.listening->udp.get()));
  refuse_twins(twin.get());
  Ear young(t.loop);
  REQUIRE(young.reader.open(twin.get(), t.listening->address));
  ben.say("2");
  anna.say("2");
  turn(t.loop, [&] { return t.old.heard.size() + young.heard.size() == 4; });
  CHECK(young.heard.empty());
  REQUIRE(t.old.here.size() == 4);
  CHECK(t.old.here[2].ip_text() != t.old.here[3].ip_text());
  young.reader.close();
}

TEST_CASE("udp twin: a socket that another process passed is found by its address before it is bound") {
  const Address at = *Address::parse("127.0.0.1", 40'001);
  add_passed(udp_twin(AF_INET), at);
  CHECK_FALSE(bool(take_passed_stream(at)));
  CHECK_FALSE(bool(take_passed_datagrams(at.with_port(40'002))));
  CHECK(passed_and_not_taken() == Lines{"UDP 127.0.0.1:40001"});
  auto listening = listen_datagrams(at);
  REQUIRE(listening.ok());
  CHECK(listening->address == at);
  CHECK(local_address(listening->udp.get()).port() == 0);
  CHECK(passed_and_not_taken().empty());
}

}  // namespace
}  // namespace entente::net::udp_twin_test
