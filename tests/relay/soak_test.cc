// Good and bad peers together on two workers, and a stop in the middle: good peers lose nothing, every session is
// accounted for, and nothing is left open.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <random>

#include "tests/relay/toy.h"
#include "tests/support/connection.h"

namespace entente::testing::soak_test {
namespace {

/// A server that echoes frames, or misbehaves if the code of a connection's first frame orders it.
class EchoServer {
 public:
  enum Order : std::uint8_t { kEcho = 3, kClose = 20, kReset, kBabble };

  EchoServer() : fake_(true) {
    acceptor_ = std::thread([this] {
      while (!stopping_)
        if (fake_.called(20)) serve(fake_.accept());
    });
  }
  ~EchoServer() {
    stopping_ = true;
    acceptor_.join();
    for (std::thread& one : threads_) one.join();
  }
  const net::Address& address() const { return fake_.address(); }

 private:
  void serve(Stream stream) {
    threads_.emplace_back([peer = std::move(stream)]() mutable {
      Buffer room(4096);
      std::size_t heard = 0;
      bool first = true;
      while (wait_readable(peer.fd())) {
        const ssize_t n = ::recv(peer.fd(), room.data(), room.size(), 0);
        if (n <= 0) return;
        const Bytes said = Bytes(room).first(static_cast<std::size_t>(n));
        if (heard == 0) (void)peer.try_send(as_bytes(kWelcome));
        const Bytes frames = heard == 0 ? said.subspan(4) : said;
        heard += said.size();
        if (frames.empty()) continue;
        const std::uint8_t order = std::exchange(first, false) && frames.size() > 1 ? frames[1] : std::uint8_t{kEcho};
        if (order == kClose) return;
        if (order == kReset) return peer.reset();
        if (order == kBabble) {
          (void)peer.try_send(Buffer(3000, 0xff));
          continue;
        }
        for (Bytes rest = frames; !rest.empty();) {
          const ssize_t sent = ::send(peer.fd(), rest.data(), rest.size(), MSG_NOSIGNAL);
          if (sent <= 0) return;
          rest = rest.subspan(static_cast<std::size_t>(sent));
        }
      }
    });
  }

  FakeServer fake_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

/// Connects without a REQUIRE, because the relay may be stopping.
Stream connect(const net::Address& to) {
  net::Fd fd(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{kPatience / 1000, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(fd.get(), to.raw(), to.size()) != 0) fd.reset();
  return Stream(std::move(fd));
}

/// Sends frames and some datagrams. Returns whether all frames came back.
bool converse(const net::Address& to, std::uint32_t seed) {
  const Stream stream = connect(to);
  (void)stream.try_send(as_bytes(kHello));
  std::array<std::uint8_t, 4> welcome;
  if (testing::receive_whole(stream.fd(), welcome) != welcome.size()) return false;
  const Buffer sent = frames(2000 + seed % 3000, seed);
  const net::Fd datagrams(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const net::Address here = stream.here();
  if (::bind(datagrams.get(), here.raw(), here.size()) == 0)
    for (int i = 0; i < 5; ++i) (void)::sendto(datagrams.get(), "\1\3x", 3, MSG_DONTWAIT, to.raw(), to.size());
  if (stream.try_send(sent) != sent.size()) return false;
  Buffer back(sent.size());
  return testing::receive_whole(stream.fd(), back) == sent.size() && back == sent;
}

void misbehave(const net::Address& to, std::uint32_t seed) {
  Stream stream = connect(to);
  if (stream.fd() < 0) return;
  const std::uint8_t orders[] = {EchoServer::kClose, EchoServer::kReset, EchoServer::kBabble};
  switch (seed % 6) {
    case 0:
      return;
    case 1:
      return stream.reset();
    case 2:
      (void)stream.try_send(as_bytes("\xff\xff\xff"));
      return;
    case 3:
      (void)stream.try_send(as_bytes("TOY!\xff"));
      return stream.finish();
    case 4:
      (void)stream.try_send(as_bytes("TOY!\5\3ab"));
      return stream.reset();
    default:
      break;
  }
  (void)stream.try_send(as_bytes(kHello));
  std::array<std::uint8_t, 512> room;
  if (testing::receive_whole(stream.fd(), std::span(room).first(4)) != 4) return;
  (void)stream.try_send(frame("do it", orders[seed / 6 % 3]));
  (void)testing::receive(stream.fd(), room);
}

TEST_CASE("good peers lose nothing among bad ones, and after a stop everything is accounted for") {
  EchoServer echo;
  Limits limits = no_limits();
  limits.linger_ms = 300;
  Running running(toy::game(), echo.address(), limits, 2);
  std::atomic<bool> stopping{false};
  std::atomic<int> good{0}, lost{0};
  std::vector<std::thread> peers;
  for (std::uint32_t i = 0; i < 6; ++i)
    peers.emplace_back([&, i] {
      std::minstd_rand random(i + 1);
      while (!stopping) {
        const auto seed = static_cast<std::uint32_t>(random());
        if (i % 2) {
          misbehave(running.address, seed);
        } else {
          const bool whole = converse(running.address, seed);
          if (!stopping) ++(whole ? good : lost);
        }
      }
    });
  CHECK(eventually([&] { return good > 150 || lost > 0; }));
  CHECK(lost == 0);
  stopping = true;
  running.stop();
  for (std::thread& one : peers) one.join();

  const auto totals = running.totals();
  CHECK(totals.current_sessions() == 0);
  std::uint64_t ended = 0;
  for (const std::uint64_t n : totals.ended) ended += n;
  CHECK(ended == totals.begun);
  CHECK(totals.gone == totals.begun);
  CHECK(totals.by(relay::Reason::kBadFrame) > 0);
  CHECK(totals.by(relay::Reason::kServerReset) > 0);
  CHECK(totals.unframed > 0);
  CHECK(running.tapped.left_open() == 0);
}

}  // namespace
}  // namespace entente::testing::soak_test
