// Datagrams: batches arrive whole and in order, each at its address; one that is too large is detected.
#include "proxy/net/udp.h"

#include <doctest/doctest.h>

#include <vector>

#include "proxy/net/socket.h"

namespace entente::net::udp_test {
namespace {

struct Ear : UdpReader::User {
  void datagram(const Address& from, Bytes bytes) override {
    heard.emplace_back(bytes.begin(), bytes.end());
    sources.push_back(from);
    if (heard.size() == wanted) reader->close();
  }
  void datagrams_done() override { ++batches; }
  std::vector<Buffer> heard;
  std::vector<Address> sources;
  std::size_t wanted = 0;
  int batches = 0;
  UdpReader* reader = nullptr;
};

Fd bound(const char* ip) {
  auto sockets = listen(*Address::parse(ip, 0), true);
  REQUIRE(sockets.ok());
  return std::move(sockets->udp);
}

TEST_CASE("a batch goes out at the end of the turn, or when it is full, and is received with few calls") {
  for (const char* ip : {"127.0.0.1", "::1"}) {
    CAPTURE(ip);
    const Fd here = bound(ip), there = bound(ip);
    Loop loop;
    Ear ear;
    UdpReader reader(loop, ear);
    ear.reader = &reader;
    ear.wanted = 150;
    REQUIRE(reader.open(there.get()));
    UdpBatch batch(loop, here.get(), false);
    for (std::uint8_t i = 0; i < 150; ++i) batch.push({}, local_address(there.get()), Buffer(i, i));
    loop.run();
    REQUIRE(ear.heard.size() == 150);
    for (std::uint8_t i = 0; i < 150; ++i) CHECK(ear.heard[i] == Buffer(i, i));
    CHECK(ear.sources.front() == local_address(here.get()));
    CHECK(ear.batches < 20);
    CHECK(batch.lost() == 0);
  }
}

TEST_CASE("all datagrams that wait in a socket are read at once, however many batches they are") {
  constexpr std::size_t kMany = 3 * DatagramBuffers::kSlots + 1;
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  const Address to = local_address(there.get());
  Loop loop;
  Ear ear;
  UdpReader reader(loop, ear);
  ear.reader = &reader;
  REQUIRE(reader.open(there.get()));
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  for (std::size_t i = 0; i < kMany; ++i) REQUIRE(udp_send(here.get(), as_bytes(std::string_view("one"))));
  reader.read_all();
  CHECK(ear.heard.size() == kMany);
  CHECK(ear.batches >= 4);
  reader.close();
  loop.run();
}

TEST_CASE("a datagram that cannot be sent is counted, and later ones are sent") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  Loop loop;
  Ear ear;
  UdpReader reader(loop, ear);
  ear.reader = &reader;
  ear.wanted = 2;
  REQUIRE(reader.open(there.get()));
  UdpBatch batch(loop, here.get(), false);
  const Address good = local_address(there.get());
  batch.push({}, good, Buffer{1});
  batch.push({}, *Address::parse("[::1]:9"), Buffer{2});  // wrong address family for this socket
  batch.push({}, good, Buffer{3});
  loop.run();
  CHECK(ear.heard == std::vector<Buffer>{{1}, {3}});
  CHECK(batch.lost() == 1);
}

TEST_CASE("a batch from a wildcard socket is sent from the address that it names") {
  for (const bool v6 : {false, true}) {
    const char* const any = v6 ? "::" : "0.0.0.0";
    const char* const from = v6 ? "::1" : "127.0.0.5";
    CAPTURE(from);
    const Fd here = bound(any), there = bound(from);
    Loop loop;
    Ear ear;
    UdpReader reader(loop, ear);
    ear.reader = &reader;
    ear.wanted = 1;
    REQUIRE(reader.open(there.get()));
    UdpBatch batch(loop, here.get(), true);
    batch.push(*Address::parse(from, 1), local_address(there.get()), Buffer{1});
    loop.run();
    REQUIRE(ear.sources.size() == 1);
    CHECK(ear.sources.front().ip_text() == from);
  }
}

TEST_CASE("a reader on a wildcard address knows the local address of each datagram") {
  struct Host final : UdpReader::User {
    void datagram(const Address&, Bytes) override {
      came_to.push_back(reader->local_address());
      if (came_to.size() == wanted) reader->close();
    }
    UdpReader* reader = nullptr;
    std::size_t wanted = 0;
    std::vector<Address> came_to;
  };
  for (const auto& hosts : {std::vector{"127.0.0.1", "127.0.0.5", "127.0.0.1"}, std::vector{"::1"}}) {
    const bool v6 = hosts.size() == 1;
    CAPTURE(v6);
    const Fd here = bound(v6 ? "::" : "0.0.0.0"), there = bound(hosts.front());
    std::vector<Address> acceptors;
    for (const char* ip : hosts) acceptors.push_back(*Address::parse(ip, local_address(here.get()).port()));
    Loop loop;
    Host host;
    UdpReader reader(loop, host);
    host.reader = &reader;
    host.wanted = acceptors.size();
    REQUIRE(reader.open(here.get()));
    for (const Address& acceptor : acceptors)
      REQUIRE(::sendto(there.get(), "x", 1, 0, acceptor.raw(), acceptor.size()) == 1);
    loop.run();
    CHECK((host.came_to == acceptors));
  }
}

TEST_CASE("a datagram that is too large arrives as one byte more than the largest") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  const Address to = local_address(there.get());
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  Loop loop;
  Ear ear;
  UdpReader reader(loop, ear);
  ear.reader = &reader;
  ear.wanted = 2;
  REQUIRE(reader.open(there.get()));
  CHECK(udp_send(here.get(), Buffer(kLargestDatagram, 1)));
  CHECK(udp_send(here.get(), Buffer(9000, 1)));
  loop.run();
  CHECK(ear.heard[0].size() == kLargestDatagram);
  CHECK(ear.heard[1].size() == kLargestDatagram + 1);
}

TEST_CASE("an ICMP error costs at most the datagrams before it") {
  Fd gone = bound("127.0.0.1");
  const Address to = local_address(gone.get());
  gone.reset();
  const Fd here = bound("127.0.0.1");
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  for (int i = 0; i < 11; ++i) CHECK(udp_send(here.get(), Buffer{1}));
  const Fd back(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(back.get(), to.raw(), to.size()) == 0);
  CHECK(udp_send(here.get(), Buffer{2}));
  std::uint8_t room[16];
  CHECK(::recv(back.get(), room, sizeof room, MSG_DONTWAIT) == 1);
  CHECK(room[0] == 2);
}

TEST_CASE("a reader survives ICMP errors and receives the next datagram") {
  Fd gone = bound("127.0.0.1");
  const Address to = local_address(gone.get());
  gone.reset();
  const Fd here = bound("127.0.0.1");
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  Loop loop;
  Ear ear;
  UdpReader reader(loop, ear);
  ear.reader = &reader;
  ear.wanted = 1;
  REQUIRE(reader.open(here.get()));
  CHECK(udp_send(here.get(), Buffer{1}));
  for (int i = 0; i < 5; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(ear.heard.empty());
  const Fd back(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(back.get(), to.raw(), to.size()) == 0);
  const Address home = local_address(here.get());
  REQUIRE(::sendto(back.get(), "x", 1, 0, home.raw(), home.size()) == 1);
  loop.run();
  CHECK(ear.heard.size() == 1);
}

TEST_CASE("on a socket for both families, an IPv4 sender has its IPv4 address, and is answered from where it sent to") {
  auto sockets = listen(*Address::parse("[::]:0"), true);
  REQUIRE(sockets.ok());
  for (const char* ip : {"127.0.0.5", "::1"}) {
    CAPTURE(ip);
    const Address here = *Address::parse(ip, sockets->address.port());
    const Fd client = bound(here.v6() ? "::1" : "127.0.0.1");
    Loop loop;
    Ear ear;
    UdpReader reader(loop, ear);
    ear.reader = &reader;
    ear.wanted = 1;
    REQUIRE(reader.open(sockets->udp.get()));
    REQUIRE(::sendto(client.get(), "x", 1, 0, here.raw(), here.size()) == 1);
    loop.run();
    REQUIRE(ear.sources.size() == 1);
    CHECK(ear.sources.front() == local_address(client.get()));
    CHECK(reader.local_address() == here);
    UdpBatch batch(loop, sockets->udp.get(), true);
    batch.push(reader.local_address(), ear.sources.front(), Buffer{1});
    loop.run();
    CHECK(batch.lost() == 0);
    std::uint8_t room[16];
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    REQUIRE(::recvfrom(client.get(), room, sizeof room, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &size) == 1);
    CHECK(Address::from(reinterpret_cast<const sockaddr*>(&from)) == here);
  }
}

TEST_CASE("a reader that is closed at a datagram delivers none of those that came with it, and no end of them") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  const Address to = local_address(there.get());
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  Loop loop;
  Ear ear;
  UdpReader reader(loop, ear);
  ear.reader = &reader;
  ear.wanted = 1;
  REQUIRE(reader.open(there.get()));
  for (int i = 0; i < 3; ++i) REQUIRE(udp_send(here.get(), Buffer{1}));
  SUBCASE("in a turn") { loop.run(); }
  SUBCASE("when all are read") { reader.read_all(); }
  CHECK(ear.heard.size() == 1);
  CHECK(ear.batches == 0);
  loop.run();
}

TEST_CASE("an empty datagram arrives as one, also on a connected socket") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  const Address to = local_address(there.get()), from = local_address(here.get());
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  REQUIRE(::connect(there.get(), from.raw(), from.size()) == 0);
  Loop loop;
  Ear ear;
  UdpReader reader(loop, ear);
  ear.reader = &reader;
  REQUIRE(reader.open_connected(there.get()));
  CHECK(udp_send(here.get(), {}));
  CHECK(udp_send(here.get(), Buffer{1}));
  while (ear.heard.empty() || ear.heard.back().empty()) uv_run(loop.raw(), UV_RUN_ONCE);
  reader.close();
  loop.run();
  CHECK(ear.heard == std::vector<Buffer>{{}, {1}});
}

TEST_CASE("a datagram that the kernel does not take is reported, and the next one is sent") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  const Address to = local_address(there.get());
  REQUIRE(::connect(here.get(), to.raw(), to.size()) == 0);
  CHECK_FALSE(udp_send(here.get(), Buffer(70'000, 1)));
  CHECK(udp_send(here.get(), Buffer{1}));
  std::uint8_t room[16];
  CHECK(::recv(there.get(), room, sizeof room, MSG_DONTWAIT) == 1);
}

TEST_CASE("a batch that was full within a turn is not sent again at its end, and the next one begins empty") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  const Address to = local_address(there.get());
  Loop loop;
  UdpBatch batch(loop, here.get(), false);
  const auto received = [&] {
    std::size_t count = 0;
    for (std::uint8_t room[16]; ::recv(there.get(), room, sizeof room, MSG_DONTWAIT) > 0;) ++count;
    return count;
  };
  for (std::uint8_t i = 0; i < 64; ++i) batch.push({}, to, Buffer{i});
  CHECK(received() == 64);
  uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(received() == 0);
  batch.push({}, to, Buffer{1});
  CHECK(received() == 0);
  uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(received() == 1);
  CHECK(batch.lost() == 0);
  loop.run();
}

TEST_CASE("what a batch has collected is not sent if the batch goes before the turn ends") {
  const Fd here = bound("127.0.0.1"), there = bound("127.0.0.1");
  Loop loop;
  {
    UdpBatch batch(loop, here.get(), false);
    batch.push({}, local_address(there.get()), Buffer{1});
  }
  loop.run();
  std::uint8_t room[16];
  CHECK(::recv(there.get(), room, sizeof room, MSG_DONTWAIT) < 0);
}

}  // namespace
}  // namespace entente::net::udp_test
