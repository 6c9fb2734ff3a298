// Which TLS handshakes of clients a loop computes. Steps are counted instead of time: each use of the private key takes
// 5 ms on the loop's clock.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/socket.h"
#include "proxy/net/web/web_link.h"
#include "tests/support/certificate.h"

namespace entente::net::handshake_test {
namespace {

/// A server's link that ends when its client does.
struct Served final : WebUser {
  explicit Served(Loop& loop) : link(loop, WebSocket::Role::kServer, 1'000, *this) {}
  void received(WebLink&, Opcode, Bytes) override {}
  void close_frame(WebLink&, const CloseFrame&) override {}
  void protocol_error(WebLink&, const Fault&, const std::string&) override { link.hang_up(); }
  void wrote(WebLink&) override {}
  void ended(WebLink&) override { link.hang_up(); }
  void broken(WebLink&, int) override {}

  WebLink link;
};

/// Tells when a client hears the server's part of the handshake.
struct Ear final : TcpUser {
  void received(Tcp&, wire::Lane, Bytes) override { heard(); }
  void wrote(Tcp&) override {}
  void ended(Tcp&) override {}
  void broken(Tcp&, int) override {}
  std::function<void()> heard = [] {};
};

class Yard {
  std::uint64_t steps_ = 0;

 public:
  /// Connects a client of that address, which sends its greeting. Returns its connection.
  Fd connect(const char* address) {
    const Address from = *Address::parse(address, 0);
    Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(client.get(), from.raw(), from.size()) == 0);
    REQUIRE(::connect(client.get(), listening_.address.raw(), listening_.address.size()) == 0);
    Tls tls(*trusting_, "localhost");
    Buffer hello;
    tls.start(hello);
    REQUIRE(::send(client.get(), hello.data(), hello.size(), 0) == static_cast<ssize_t>(hello.size()));
    Served& served = served_.emplace_back(loop);
    served.link.set_party(loop.client_party(from));
    REQUIRE(served.link.adopt(Fd(::accept4(listening_.tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)),
                              server_.get(), from));
    served.link.set_reading(true);
    return client;
  }
  void decline() {
    for (Served& one : served_) one.link.decline(408, "too slow");
  }
  void hang_up() {
    for (Served& one : served_) one.link.hang_up();
  }
  void reset() {
    for (Served& one : served_) one.link.reset();
  }

  Loop loop{[this] { return ++steps_ + loop.handshakes().counted() * 5'000'000; }};

 private:
  const Certificate certificate_;
  const std::shared_ptr<TlsContext> server_ = *TlsContext::server(certificate_.file(), certificate_.file());
  const std::shared_ptr<TlsContext> trusting_ = *TlsContext::client(certificate_.file(), true);
  const Sockets listening_ = std::move(*listen(*Address::parse("0.0.0.0:0"), false));
  std::list<Served> served_;
};

TEST_CASE("the handshake of a client who has left is not computed") {
  Yard yard;
  for (int i = 0; i < 100; ++i) yard.connect("127.0.0.1");
  yard.loop.run();
  CHECK(yard.loop.handshakes().counted() == 0);
}

TEST_CASE("a newcomer of another address waits for a few handshakes of those who crowd in, not for all") {
  Yard yard;
  std::vector<Fd> crowd;
  for (int i = 0; i < 60; ++i) crowd.push_back(yard.connect("127.0.0.1"));
  Ear ear;
  Tcp newcomer(yard.loop, ear);
  REQUIRE(newcomer.adopt(yard.connect("127.0.0.2")));
  newcomer.set_reading(true);
  std::uint64_t before = 0;
  ear.heard = [&] {
    before = yard.loop.handshakes().counted();
    newcomer.hang_up();
    yard.hang_up();
  };
  yard.loop.run();
  CHECK(before >= 1);
  CHECK(before <= 6);
}

TEST_CASE("an address has a burst of handshakes, and then a rate") {
  HandshakeRate rate;
  const Address anna = *Address::parse("2001:db8::1", 0), mate = *Address::parse("2001:db8::2", 9),
                other = *Address::parse("192.0.2.1", 0);
  for (Millis i = 0; i < HandshakeRate::kBurst; ++i) CHECK(rate.reserve(i % 2 == 0 ? anna : mate, 5'000) == 5'000);
  CHECK(rate.reserve(anna, 5'000) == 5'010);
  CHECK(rate.reserve(mate, 5'000) == 5'020);
  CHECK(rate.reserve(other, 5'000) == 5'000);
  CHECK(rate.reserve(anna, 9'000) == 9'000);
}

TEST_CASE("a handshake that will not be is left to others of its address, unless its time has come") {
  HandshakeRate rate;
  const Address anna = *Address::parse("192.0.2.1", 0), other = *Address::parse("192.0.2.2", 0);
  for (Millis i = 0; i < HandshakeRate::kBurst; ++i) rate.reserve(anna, 5'000);
  CHECK(rate.reserve(anna, 5'000) == 5'010);
  CHECK(rate.reserve(anna, 5'000) == 5'020);
  rate.give_back(anna, 5'020, 5'000);
  rate.give_back(other, 5'020, 5'000);
  CHECK(rate.known() == 1);
  CHECK(rate.reserve(anna, 5'000) == 5'020);
  rate.give_back(anna, 5'020, 5'020);
  CHECK(rate.reserve(anna, 5'020) == 5'030);
}

TEST_CASE("clients who leave, or are given up, before their handshakes were due delay no others of their address") {
  Yard yard;
  const Address from = *Address::parse("127.0.0.1", 0);
  const auto next = [&] { return yard.loop.handshakes().reserve(from, yard.loop.now()); };
  const auto turn = [&] {
    for (int i = 0; i < 200; ++i) uv_run(yard.loop.raw(), UV_RUN_NOWAIT);
  };
  for (int i = 0; i < 6'000; ++i) next();  // those of the crowd are due in a minute
  std::vector<Fd> crowd;
  for (int i = 0; i < 50; ++i) crowd.push_back(yard.connect("127.0.0.1"));
  const Millis before = next();
  turn();
  const Millis behind = next();
  CHECK(behind == before + 51 * 10);
  SUBCASE("they leave") { crowd.clear(); }
  SUBCASE("they are told that it took too long") { yard.decline(); }
  SUBCASE("their connections are closed") { yard.hang_up(); }
  SUBCASE("their connections are reset") { yard.reset(); }
  turn();
  CHECK(next() == before + 2 * 10);
  yard.hang_up();
  yard.loop.run();
  CHECK(yard.loop.handshakes().counted() == 0);
}

TEST_CASE("what is kept about addresses is forgotten, and grows only with those of the last seconds") {
  HandshakeRate rate;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::string address = "10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256);
    rate.reserve(*Address::parse(address, 0), 1'000 + i * 10);
    CHECK(rate.known() <= 512);
  }
}

TEST_CASE("above the rate a handshake waits, and is then computed") {
  Yard yard;
  for (Millis i = 0; i < HandshakeRate::kBurst + 29; ++i)
    yard.loop.handshakes().reserve(*Address::parse("127.0.0.1", 0), yard.loop.now());
  Ear ear;
  Tcp client(yard.loop, ear);
  REQUIRE(client.adopt(yard.connect("127.0.0.1")));
  client.set_reading(true);
  const Millis start = yard.loop.now();
  Millis heard_at = 0;
  ear.heard = [&] {
    heard_at = yard.loop.now();
    client.hang_up();
    yard.hang_up();
  };
  yard.loop.run();
  CHECK(heard_at >= start + 300);
  CHECK(yard.loop.handshakes().counted() == 1);
}

}  // namespace
}  // namespace entente::net::handshake_test
