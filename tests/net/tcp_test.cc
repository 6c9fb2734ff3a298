// A TCP link over real sockets: order, backpressure, half-close, resets, and no callback after close.
#include "proxy/net/tcp.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proxy/net/socket.h"
#include "tests/support/connection.h"

namespace entente::net::tcp_test {
namespace {

/// Records the events of a link. `on_*` may do more.
struct Ear : TcpUser {
  void connected(Tcp&) override { is_connected = true, on_any(); }
  void received(Tcp&, wire::Lane, Bytes bytes) override { append(heard, bytes), on_any(); }
  void go_on(Tcp&) override { append(heard, as_bytes("+")), on_any(); }
  void wrote(Tcp&) override { ++writes, on_any(); }
  void ended(Tcp&) override { is_ended = true, on_any(); }
  void broken(Tcp&, int error) override { why = error, on_any(); }

  std::string text() const { return std::string(as_text(heard)); }

  bool is_connected = false, is_ended = false;
  int writes = 0, why = 0;
  Buffer heard;
  std::function<void()> on_any = [] {};
};

/// A link on a loop, and the other end as a plain non-blocking socket.
struct LinkAndPeer {
  LinkAndPeer() { meet(); }
  /// Connects the link to a new peer.
  void meet() {
    int pair[2];
    auto listening = listen(*Address::parse("127.0.0.1:0"), false);
    pair[0] = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(::connect(pair[0], listening->address.raw(), listening->address.size()) == 0);
    pair[1] = ::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    peer = Fd(pair[0]);
    const timeval patience{8, 0};  // then the test fails
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    REQUIRE(link.adopt(Fd(pair[1])));
  }
  void say(std::string_view text) { REQUIRE(::send(peer.get(), text.data(), text.size(), 0) > 0); }
  std::string hear(std::size_t size) {
    Buffer text(size);
    text.resize(testing::receive_whole(peer.get(), text));
    return std::string(as_text(text));
  }

  Loop loop;
  Ear ear;
  Tcp link{loop, ear};
  Fd peer;
};

TEST_CASE("bytes go both ways in order, and each end is reported once") {
  LinkAndPeer t;
  t.link.set_reading(true);
  t.link.send(wire::Lane::kStream, as_bytes("hello "));
  t.link.send(wire::Lane::kStream, as_bytes("peer"));
  uv_run(t.loop.raw(), UV_RUN_NOWAIT);  // small writes go out at the end of a turn
  CHECK(t.hear(10) == "hello peer");
  t.say("hello link");
  ::shutdown(t.peer.get(), SHUT_WR);
  t.ear.on_any = [&] {
    if (!t.ear.is_ended) return;
    t.link.send(wire::Lane::kStream, as_bytes("bye"));  // our direction is still open
    t.link.shut_down();
    t.link.hang_up();
  };
  t.loop.run();
  CHECK(t.ear.text() == "hello link");
  CHECK(t.ear.is_ended);
  CHECK(t.ear.why == 0);
  CHECK(t.hear(100) == "bye");
}

TEST_CASE("bytes that the kernel does not accept wait and go out in order, before the end") {
  LinkAndPeer t;
  Buffer all;
  for (std::uint32_t i = 0; all.size() < (16u << 20); ++i)
    append(all, {reinterpret_cast<const std::uint8_t*>(&i), sizeof i});
  t.link.send(wire::Lane::kStream, all);
  CHECK(t.link.waiting() > 0);
  t.link.shut_down();
  Buffer got(all.size());
  std::size_t at = 0;
  const auto read_some = [&] {
    const ssize_t n = ::recv(t.peer.get(), got.data() + at, got.size() - at, MSG_DONTWAIT);
    if (n > 0) at += static_cast<std::size_t>(n);
  };
  while (at < got.size()) {
    read_some();
    uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  }
  CHECK(got == all);
  CHECK(t.link.waiting() == 0);
  CHECK(t.ear.writes > 1);
  CHECK(t.hear(1).empty());
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("a link that is paused leaves the bytes in the kernel") {
  LinkAndPeer t;
  t.say("wait");
  for (int i = 0; i < 10; ++i) uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  CHECK(t.ear.heard.empty());
  t.link.set_reading(true);
  t.ear.on_any = [&] { t.link.hang_up(); };
  t.loop.run();
  CHECK(t.ear.text() == "wait");
}

TEST_CASE("the bytes of one read can be limited; the rest is read in the next turns") {
  LinkAndPeer t;
  t.link.set_largest_read(4);
  t.say("hello link");
  t.link.set_reading(true);
  std::vector<std::string> reads;
  t.ear.on_any = [&] {
    reads.push_back(t.ear.text());
    t.ear.heard.clear();
    if (reads.size() == 3) t.link.hang_up();
  };
  t.loop.run();
  CHECK(reads == std::vector<std::string>{"hell", "o li", "nk"});
}

TEST_CASE("a user that has not dealt with everything is called again before more is read, and before the end") {
  LinkAndPeer t;
  t.link.set_largest_read(2);
  t.link.set_reading(true);
  t.say("abcd");
  ::shutdown(t.peer.get(), SHUT_WR);
  int again = 3;
  t.ear.on_any = [&] {
    if (t.ear.is_ended) return t.link.hang_up();
    if (again-- > 0) t.link.call_again();
  };
  t.loop.run();
  CHECK(t.ear.text() == "ab+++cd");
  CHECK(t.ear.is_ended);
}

TEST_CASE("a user that waits to be called again is not called while the link is not read") {
  LinkAndPeer t;
  t.link.set_reading(true);
  t.say("x");
  bool first = true;
  t.ear.on_any = [&] {
    if (!std::exchange(first, false)) return;
    t.link.set_reading(false);
    t.link.call_again();
  };
  while (t.ear.heard.empty()) uv_run(t.loop.raw(), UV_RUN_ONCE);
  t.say("y");
  for (int i = 0; i < 3; ++i) uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  CHECK(t.ear.text() == "x");
  t.link.set_reading(true);
  while (t.ear.heard.size() < 3) uv_run(t.loop.raw(), UV_RUN_ONCE);
  CHECK(t.ear.text() == "x+y");
  t.link.hang_up();
  t.loop.run();
}

/// Links whose peers have sent something. Each uses up the time that newcomers have in a turn.
struct Crowd {
  Crowd(Loop& its, std::size_t size) : loop(its), ears(size) {
    auto listening = listen(*Address::parse("127.0.0.1:0"), false);
    for (Ear& ear : ears) {
      peers.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      REQUIRE(::connect(peers.back().get(), listening->address.raw(), listening->address.size()) == 0);
      links.push_back(std::make_unique<Tcp>(loop, ear));
      REQUIRE(links.back()->adopt(Fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))));
      links.back()->set_reading(true);
      ear.on_any = [this] {
        const std::uint64_t until = loop.nanos() + Schedule::kNewcomersTime;
        while (loop.nanos() < until) continue;
      };
      REQUIRE(::send(peers.back().get(), "x", 1, 0) == 1);
    }
  }
  std::size_t heard() const {
    return static_cast<std::size_t>(
        std::count_if(ears.begin(), ears.end(), [](const Ear& ear) { return !ear.heard.empty(); }));
  }

  Loop& loop;
  std::vector<Ear> ears;
  std::vector<Fd> peers;
  std::vector<std::unique_ptr<Tcp>> links;
};

TEST_CASE("a crowd of new links is read one a turn, a player in every turn, and waiting bytes count as delayed") {
  LinkAndPeer t;
  t.link.set_reading(true);
  t.link.set_priority(Priority::kPlayer);
  constexpr std::size_t kCrowd = 30;
  Crowd crowd(t.loop, kCrowd);
  Tcp& last = *crowd.links.back();
  for (std::size_t turn = 1; crowd.heard() < kCrowd; ++turn) {
    t.say("x");
    uv_run(t.loop.raw(), UV_RUN_ONCE);
    CHECK(t.ear.heard.size() == turn);
    CHECK(crowd.heard() == turn);
    if (turn == 3)
      CHECK(std::any_of(crowd.links.begin(), crowd.links.end(), [](auto& one) { return one->is_unserved(); }));
  }
  CHECK_FALSE(last.is_unserved());
  Millis longest = 0;
  for (const auto& link : crowd.links) longest = std::max(longest, link->unserved_millis());
  CHECK(longest >= (kCrowd - 2) * Schedule::kNewcomersTime / 1'000'000);
  crowd.links.clear();
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("how long a link waited to be served counts from when it was connected") {
  /// Takes a turn of its own, longer than a turn may last.
  struct Slow final : Job {
    Slow() = default;
    void run() override {
      const auto over = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
      while (std::chrono::steady_clock::now() < over) continue;
    }
  } slow;
  LinkAndPeer t;
  t.link.set_reading(true);
  slow.set_priority(Priority::kNewcomer);
  slow.set_party(t.loop.client_party(*Address::parse("192.0.2.1:1")));
  t.link.set_party(t.loop.client_party(*Address::parse("192.0.2.2:1")));
  t.say("x");
  t.loop.serve(slow);
  while (t.ear.heard.empty()) uv_run(t.loop.raw(), UV_RUN_ONCE);
  CHECK(t.link.unserved_millis() >= 15);
  auto fd = t.link.release();
  REQUIRE(t.link.adopt(std::move(fd)));
  CHECK(t.link.unserved_millis() == 0);
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("a reset is reported after the peer's last bytes, even if a write detected it first") {
  LinkAndPeer t;
  t.say("last words");
  const linger now{1, 0};
  setsockopt(t.peer.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  t.peer.reset();
  t.link.send(wire::Lane::kStream, as_bytes("too late"));
  t.link.send(wire::Lane::kStream, as_bytes("even later"));
  t.link.set_reading(true);
  t.loop.run();  // ends because the link is closed
  CHECK(t.ear.text() == "last words");
  CHECK(t.ear.why != 0);
  CHECK(!t.link.is_open());
}

TEST_CASE("a patient link gets the peer's last bytes after a reset, however long it is not read") {
  LinkAndPeer t;
  t.link.set_patient();
  t.say("last words");
  const linger now{1, 0};
  setsockopt(t.peer.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  t.peer.reset();
  for (int i = 0; i < 3; ++i) {
    t.link.send(wire::Lane::kStream, as_bytes("too late"));
    uv_run(t.loop.raw(), UV_RUN_NOWAIT);
    REQUIRE(t.link.is_open());
    REQUIRE(t.ear.why == 0);
  }
  t.link.set_reading(true);
  t.loop.run();  // ends because the link is closed
  CHECK(t.ear.text() == "last words");
  CHECK(t.ear.why != 0);
}

TEST_CASE("a reset of a link that only writes is reported") {
  LinkAndPeer t;
  const linger now{1, 0};
  setsockopt(t.peer.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  t.peer.reset();
  t.link.send(wire::Lane::kStream, as_bytes("too late"));
  t.loop.run();
  CHECK(t.ear.why != 0);
}

TEST_CASE("a link whose peer has ended works with the next peer") {
  LinkAndPeer t;
  t.link.set_reading(true);
  t.peer.reset();
  t.ear.on_any = [&] {
    if (t.ear.is_ended) t.link.hang_up();
  };
  t.loop.run();
  REQUIRE(t.ear.is_ended);
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(t.link.connect(std::move(stream_towards(listening->address)->tcp), listening->address) == 0);
  t.link.set_reading(true);
  Fd peer;
  t.ear.on_any = [&] {
    if (!peer) peer = Fd(::accept(listening->tcp.get(), nullptr, nullptr)), ::send(peer.get(), "again", 5, 0);
    if (t.ear.text() == "again") t.link.hang_up();
  };
  t.loop.run();
  CHECK(t.ear.text() == "again");
}

TEST_CASE("connecting succeeds, or fails with the reason, and the same link may try again") {
  Loop loop;
  Ear ear;
  Tcp link(loop, ear);
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  const Address there = listening->address;
  SUBCASE("and bytes sent meanwhile arrive") {
    REQUIRE(link.connect(std::move(stream_towards(there)->tcp), there) == 0);
    link.send(wire::Lane::kStream, as_bytes("early"));
    link.shut_down();
    ear.on_any = [&] {
      if (link.waiting() == 0 && ear.writes) link.hang_up();
    };
    loop.run();
    CHECK(ear.is_connected);
    const Fd peer(::accept(listening->tcp.get(), nullptr, nullptr));
    std::array<std::uint8_t, 16> text;
    CHECK(testing::receive_whole(peer.get(), text) == 5);
  }
  SUBCASE("refused") {
    listening->tcp.reset();
    const int at_once = link.connect(std::move(stream_towards(there)->tcp), there);
    if (at_once == 0) loop.run();
    CHECK((at_once == ECONNREFUSED || ear.why == ECONNREFUSED));
    CHECK(!ear.is_connected);
    auto again = listen(there, false);
    REQUIRE(again.ok());
    REQUIRE(link.connect(std::move(stream_towards(there)->tcp), there) == 0);
    ear.on_any = [&] { link.hang_up(); };
    loop.run();
    CHECK(ear.is_connected);
  }
}

/// Waits until this is true.
bool eventually(const std::function<bool()>& it) {
  for (const Millis until = steady_now() + 20'000; steady_now() < until;)
    if (it()) return true;
  return it();
}

/// A listener, and a link that connects to it.
struct Caller {
  /// Begins to connect the link.
  void call(Bytes first = {}) {
    REQUIRE(link.connect(std::move(stream_towards(listening.address)->tcp), listening.address, first) == 0);
  }
  Fd accept() {
    while (!ear.is_connected && ear.why == 0) uv_run(loop.raw(), UV_RUN_ONCE);
    Fd peer(::accept4(listening.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const timeval patience{8, 0};  // then the test fails
    ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return peer;
  }
  void turns() {
    for (int i = 0; i < 10; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  }

  Loop loop;
  Ear ear;
  Tcp link{loop, ear};
  Sockets listening = std::move(*listen(*Address::parse("127.0.0.1:0"), false));
};

TEST_CASE("a link that is shut down before it is connected tells its peer the end, also if nothing was sent") {
  Caller t;
  t.call();
  t.link.shut_down();
  t.link.shut_down();  // no effect
  const Fd peer = t.accept();
  int error = 0;
  CHECK(testing::read_all(peer, &error).empty());
  CHECK(error == 0);
  CHECK(t.link.is_open());
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("what a link is given to send first goes out before all else") {
  Caller t;
  t.call(as_bytes("first "));
  t.link.send(wire::Lane::kStream, as_bytes("second"));
  CHECK(t.link.waiting() == 12);
  t.link.shut_down();
  const Fd peer = t.accept();
  t.turns();
  CHECK(t.link.waiting() == 0);
  CHECK(testing::read_all(peer) == "first second");
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("a link that was shut down, failed, or owed its user a call begins anew with its next connection") {
  LinkAndPeer t;
  std::string before;
  SUBCASE("it was shut down") {
    t.link.shut_down();
    t.link.hang_up();
  }
  SUBCASE("a write has failed") {
    reset_on_close(t.peer.get());
    t.peer.reset();
    t.link.send(wire::Lane::kStream, as_bytes("too late"));
    t.loop.run();
    REQUIRE(t.ear.why != 0);
  }
  SUBCASE("it owed its user a call") {
    t.link.set_reading(true);
    t.say("x");
    t.ear.on_any = [&] {
      t.link.call_again();
      t.link.hang_up();
    };
    t.loop.run();
    before = "x";
  }
  t.ear.on_any = [] {};
  const auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(t.link.connect(std::move(stream_towards(listening->address)->tcp), listening->address) == 0);
  t.link.set_reading(true);
  t.link.send(wire::Lane::kStream, as_bytes("hello"));
  while (!t.ear.is_connected) uv_run(t.loop.raw(), UV_RUN_ONCE);
  t.peer = Fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
  for (int i = 0; i < 10; ++i) uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  const timeval patience{8, 0};
  ::setsockopt(t.peer.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  CHECK(t.hear(5) == "hello");
  t.say("new");
  CHECK(eventually([&] {
    uv_run(t.loop.raw(), UV_RUN_NOWAIT);
    return t.ear.text().size() >= before.size() + 3;
  }));
  CHECK(t.ear.text() == before + "new");
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("what waits when a link is closed counts no longer, and its next peer does not get it") {
  LinkAndPeer t;
  const Buffer much(16U << 20U, 'o');
  t.link.send(wire::Lane::kStream, much);
  REQUIRE(t.link.waiting() > 0);
  SUBCASE("it hangs up") { t.link.hang_up(); }
  SUBCASE("it is reset") { t.link.reset(); }
  SUBCASE("it gives its connection away") { CHECK(bool(t.link.release())); }
  SUBCASE("its peer is gone") {
    reset_on_close(t.peer.get());
    t.peer.reset();
    while (t.ear.why == 0) uv_run(t.loop.raw(), UV_RUN_ONCE);
  }
  CHECK(t.link.waiting() == 0);
  CHECK(t.link.weight() == 0);
  t.meet();
  t.link.set_reading(true);
  t.link.send(wire::Lane::kStream, as_bytes("new"));
  uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  CHECK(t.hear(3) == "new");
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("nothing waits any more for a patient link whose peer is gone, although it stays open until it is read") {
  LinkAndPeer t;
  t.link.set_patient();
  t.say("last words");
  const Buffer much(16U << 20U, 'o');
  t.link.send(wire::Lane::kStream, much);
  REQUIRE(t.link.waiting() > 0);
  reset_on_close(t.peer.get());
  t.peer.reset();
  CHECK(eventually([&] {
    uv_run(t.loop.raw(), UV_RUN_NOWAIT);
    return t.link.waiting() == 0;
  }));
  CHECK(t.link.weight() == 0);
  CHECK(t.link.is_open());
  CHECK(t.ear.why == 0);
  t.link.send(wire::Lane::kStream, much);  // no effect
  CHECK(t.link.waiting() == 0);
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("what is lent while other bytes wait goes out behind them, and is kept until then, not longer") {
  LinkAndPeer t;
  const Buffer much(8U << 20U, 'o');
  t.link.send(wire::Lane::kStream, much);
  REQUIRE(t.link.waiting() > 0);
  auto page = std::make_shared<const Buffer>(1U << 20U, 'p');
  const std::weak_ptr<const void> kept = page;
  t.link.lend({*page, page});
  page.reset();
  uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  CHECK_FALSE(kept.expired());
  Buffer got;
  CHECK(eventually([&] {
    Buffer some(1U << 20U);
    const ssize_t n = ::recv(t.peer.get(), some.data(), some.size(), MSG_DONTWAIT);
    if (n > 0) append(got, Bytes(some).first(static_cast<std::size_t>(n)));
    uv_run(t.loop.raw(), UV_RUN_NOWAIT);
    return got.size() == much.size() + (1U << 20U);
  }));
  const auto first_of_page = std::find(got.begin(), got.end(), 'p');
  CHECK(static_cast<std::size_t>(first_of_page - got.begin()) == much.size());
  CHECK(std::all_of(first_of_page, got.end(), [](std::uint8_t one) { return one == 'p'; }));
  CHECK(kept.expired());
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("more parts than one call writes are sent in one turn, in their order") {
  LinkAndPeer t;
  std::vector<Buffer> parts;
  std::string all;
  for (int i = 0; i < 200; ++i) {
    const std::string text = std::to_string(i) + ' ';
    all += text;
    parts.emplace_back(text.begin(), text.end());
  }
  t.link.set_reading(true);
  for (const Buffer& part : parts) t.link.lend({part, {}});
  uv_run(t.loop.raw(), UV_RUN_NOWAIT);
  CHECK(t.link.waiting() == 0);
  CHECK(t.hear(all.size()) == all);
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("a connection that cannot even begin is an error at once, and nobody is called") {
  Loop loop;
  Ear ear;
  Tcp link(loop, ear);
  const Address everybody = *Address::parse("255.255.255.255:9");
  CHECK(link.connect(std::move(stream_towards(everybody)->tcp), everybody, as_bytes("first")) != 0);
  CHECK_FALSE(link.is_open());
  CHECK(link.waiting() == 0);
  loop.run();
  CHECK(ear.why == 0);
  CHECK_FALSE(ear.is_connected);
}

TEST_CASE("a link that hangs up while it connects calls nobody, and takes over a connection as any other") {
  Caller t;
  t.call(as_bytes("first"));
  CHECK(t.link.waiting() == 5);
  t.link.hang_up();
  CHECK(t.link.waiting() == 0);
  t.turns();
  CHECK_FALSE(t.ear.is_connected);
  const Fd peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const Sockets door = std::move(*listen(*Address::parse("127.0.0.1:0"), false));
  REQUIRE(::connect(peer.get(), door.address.raw(), door.address.size()) == 0);
  REQUIRE(t.link.adopt(Fd(::accept4(door.tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC))));
  t.link.send(wire::Lane::kStream, as_bytes("hello"));
  CHECK(t.link.waiting() == 0);  // it is not connecting any more
  t.link.shut_down();
  t.turns();
  CHECK_FALSE(t.ear.is_connected);
  CHECK(testing::read_all(peer) == "hello");
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("a link that gives its connection away first sends what it was given in this turn") {
  LinkAndPeer t;
  t.link.send(wire::Lane::kStream, as_bytes("sent "));
  const Fd taken = t.link.release();
  CHECK_FALSE(t.link.is_open());
  CHECK(::send(taken.get(), "on", 2, 0) == 2);
  CHECK(t.hear(7) == "sent on");
  t.loop.run();  // ends: the link watches nothing any more
  CHECK(t.ear.why == 0);
}

TEST_CASE("the peer of a link that is reset gets an error, and no end; of one that hangs up, the end") {
  for (const bool resets : {false, true}) {
    CAPTURE(resets);
    LinkAndPeer t;
    resets ? t.link.reset() : t.link.hang_up();
    CHECK_FALSE(t.link.is_open());
    t.link.reset();                                        // no effect
    t.link.send(wire::Lane::kStream, as_bytes("nobody"));  // as well
    int error = 0;
    CHECK(testing::read_all(t.peer, &error).empty());
    CHECK(error == (resets ? ECONNRESET : 0));
    t.loop.run();
  }
}

TEST_CASE("a link that cannot watch its descriptor says why, and closes it") {
  Loop loop;
  Ear ear;
  Tcp link(loop, ear);
  Fd file(::memfd_create("file", MFD_CLOEXEC));
  const int number = file.get();
  REQUIRE(number >= 0);
  CHECK_FALSE(link.adopt(std::move(file)));
  CHECK(errno == EPERM);
  CHECK_FALSE(link.is_open());
  CHECK(::fcntl(number, F_GETFD) == -1);
  loop.run();
}

TEST_CASE("whether the peer has ended is known without reading, also while unread bytes wait") {
  LinkAndPeer t;
  CHECK_FALSE(t.link.peer_has_ended());
  t.say("x");
  CHECK_FALSE(t.link.peer_has_ended());
  t.peer.reset();
  CHECK(eventually([&] { return t.link.peer_has_ended(); }));
  t.link.set_reading(true);
  t.ear.on_any = [&] { t.link.set_reading(false); };
  uv_run(t.loop.raw(), UV_RUN_ONCE);
  CHECK(t.ear.text() == "x");
  CHECK_FALSE(t.ear.is_ended);
  t.link.hang_up();
  t.loop.run();
}

TEST_CASE("a link knows when bytes last came") {
  LinkAndPeer t;
  CHECK(t.link.last_received() == 0);
  t.link.set_reading(true);
  t.say("x");
  Millis heard_at = 0;
  t.ear.on_any = [&] { heard_at = t.loop.now(); };
  while (heard_at == 0) uv_run(t.loop.raw(), UV_RUN_ONCE);
  CHECK(t.link.last_received() == heard_at);
  t.link.hang_up();
  t.loop.run();
}

}  // namespace
}  // namespace entente::net::tcp_test
