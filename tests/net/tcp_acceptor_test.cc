// Connections that wait at a listening socket are accepted for a bounded time in each turn of the loop.
#include "proxy/net/tcp_acceptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <functional>
#include <utility>
#include <vector>

#include "proxy/net/socket.h"
#include "tests/support/connection.h"
#include "tests/support/no_files_left.h"

namespace entente::net::tcp_acceptor_test {
namespace {

/// Counts the connections. Each takes `cost` nanoseconds.
struct Door final : TcpAcceptor::User {
  void accepted(Fd fd, const Address& from) override {
    ++count;
    nanos += cost;
    last = std::move(fd);
    last_from = from;
    on_accepted();
  }
  void starved(Fd, const Address&) override { FAIL("a descriptor is left"); }

  std::uint64_t nanos = 0, cost = 0;
  std::size_t count = 0;
  Fd last;
  Address last_from;
  std::function<void()> on_accepted = [] {};
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

TEST_CASE(
    "an acceptor that is paused accepts nobody when it is told to try again, and stops at once in the middle of many") {
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
  std::vector<Fd> coming;
  for (int i = 0; i < 3; ++i) coming.push_back(testing::connect_to(at));
  door.on_accepted = [&] { acceptor.pause(true); };
  turns();
  CHECK(door.count == 1);
  acceptor.resume();
  turns();
  CHECK(door.count == 1);
  door.on_accepted = [] {};
  acceptor.pause(false);
  turns();
  CHECK(door.count == 3);
  acceptor.close();
  acceptor.pause(false);  // no effect
  loop.run();
}

TEST_CASE("an acceptor that is paused and told to try again does not keep the loop awake while a connection waits") {
  struct Bell final : Alarm::User {
    void rang() override { rings = true; }
    bool rings = false;
  } bell;
  Door door;
  Loop loop;
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = listening->address;
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  acceptor.pause(true);
  acceptor.resume();
  const Fd coming = testing::connect_to(at);
  {
    Alarm alarm(loop, bell);
    alarm.set(loop.nanos() + 20'000'000);
    int turns = 0;
    for (; !bell.rings; ++turns) uv_run(loop.raw(), UV_RUN_ONCE);
    CHECK(turns < 20);
  }
  CHECK(door.count == 0);
  acceptor.close();
  loop.run();
}

TEST_CASE("at most 16 connections are accepted in one turn, however quickly it goes") {
  Door door;
  Loop loop([] { return std::uint64_t{0}; });
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = listening->address;
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  std::vector<Fd> coming;
  for (int i = 0; i < 20; ++i) coming.push_back(testing::connect_to(at));
  uv_run(loop.raw(), UV_RUN_ONCE);
  CHECK(door.count == 16);
  uv_run(loop.raw(), UV_RUN_ONCE);
  CHECK(door.count == 20);
  acceptor.close();
  loop.run();
}

TEST_CASE(
    "connections for which there is no descriptor are handed over in the reserve, each of them, and later ones as "
    "always") {
  struct Poor final : TcpAcceptor::User {
    void accepted(Fd, const Address&) override { ++count; }
    void starved(Fd fd, const Address& from) override {
      starving.push_back(from);
      CHECK(peer_address(fd.get()) == from);
    }
    std::size_t count = 0;
    std::vector<Address> starving;
  } door;
  Loop loop;
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = listening->address;
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  const auto turns = [&] {
    for (int i = 0; i < 10; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  };
  turns();
  const Fd first = testing::connect_to(at), second = testing::connect_to(at), third(::socket(AF_INET, SOCK_STREAM, 0));
  {
    const testing::NoFilesLeft none;
    turns();
  }
  CHECK(door.starving == std::vector{local_address(first.get()), local_address(second.get())});
  CHECK(door.count == 0);
  REQUIRE(::connect(third.get(), at.raw(), at.size()) == 0);
  turns();
  CHECK(door.count == 1);
  acceptor.close();
  loop.run();
}

/// No descriptor can be opened, not even in place of one that was closed, as long as it lives.
class NoFilesAtAll {
 public:
  NoFilesAtAll() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~NoFilesAtAll() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE("an acceptor that has lost even its reserve does not watch its socket until it is told to try again") {
  struct Poor final : TcpAcceptor::User {
    void accepted(Fd, const Address&) override { ++count; }
    void starved(Fd, const Address&) override { ++starving; }
    std::size_t count = 0, starving = 0;
  } door;
  Loop loop;
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = listening->address;
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  const auto turns = [&] {
    for (int i = 0; i < 10; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  };
  turns();
  const Fd coming = testing::connect_to(at);
  const Fd later(::socket(AF_INET, SOCK_STREAM, 0));
  {
    const NoFilesAtAll none;
    turns();
    CHECK(door.starving == 0);
    acceptor.resume();  // in vain
    turns();
  }
  turns();
  CHECK(door.count == 0);
  acceptor.resume();
  turns();
  CHECK(door.count == 1);
  CHECK(door.starving == 0);
  // It has a reserve again.
  REQUIRE(::connect(later.get(), at.raw(), at.size()) == 0);
  {
    const testing::NoFilesLeft none;
    turns();
  }
  CHECK(door.starving == 1);
  acceptor.close();
  acceptor.resume();  // no effect
  loop.run();
}

TEST_CASE("an acceptor that is closed at a connection accepts none of the others, and refuses those that come later") {
  Door door;
  Loop loop;
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = listening->address;
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  std::vector<Fd> coming;
  for (int i = 0; i < 3; ++i) coming.push_back(testing::connect_to(at));
  door.on_accepted = [&] { acceptor.close(); };
  loop.run();  // ends: it watches nothing any more
  CHECK(door.count == 1);
  const Fd late(::socket(AF_INET, SOCK_STREAM, 0));
  CHECK(::connect(late.get(), at.raw(), at.size()) != 0);
}

TEST_CASE("a connection that is accepted does not block and is closed on exec; an IPv4 client has its IPv4 address") {
  Door door;
  Loop loop;
  auto listening = listen(*Address::parse("[::]:0"), false);
  REQUIRE(listening.ok());
  TcpAcceptor acceptor(loop, door);
  const Address at = *Address::parse("127.0.0.1", listening->address.port());
  REQUIRE(acceptor.open(std::move(listening->tcp)));
  const Fd copy = acceptor.copy();
  CHECK(local_address(copy.get()).port() == at.port());
  const Fd client = testing::connect_to(at);
  while (door.count == 0) uv_run(loop.raw(), UV_RUN_ONCE);
  CHECK(door.last_from == local_address(client.get()));
  CHECK((::fcntl(door.last.get(), F_GETFL) & O_NONBLOCK) != 0);
  CHECK((::fcntl(door.last.get(), F_GETFD) & FD_CLOEXEC) != 0);
  acceptor.close();
  CHECK_FALSE(acceptor.copy());
  loop.run();
}

}  // namespace
}  // namespace entente::net::tcp_acceptor_test
