// Blocking sockets with which a test acts as the clients and servers of a relay. Every wait has a time limit.
#pragma once

#include <doctest/doctest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "proxy/base/bytes.h"
#include "proxy/net/address.h"
#include "proxy/net/fd.h"
#include "proxy/net/socket.h"
#include "tests/support/free_port.h"

namespace entente::testing {

constexpr int kPatience = 30'000;  // milliseconds until a test fails; enough for a busy machine

inline net::Address loopback(bool v6 = false) { return *net::Address::parse(v6 ? "::1" : "127.0.0.1", 0); }

/// An address with a port that is free for TCP and UDP.
inline net::Address free_for_both(bool v6 = false) {
  return *net::Address::parse(v6 ? "::1" : "127.0.0.1", static_cast<std::uint16_t>(free_port(v6)));
}

/// Whether no program can bind another UDP socket to this address, not even one that offers to share it.
inline bool refuses_twins(const net::Address& at) {
  const net::Fd twin(::socket(at.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  REQUIRE(::setsockopt(twin.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
  return ::bind(twin.get(), at.raw(), at.size()) != 0 && errno == EADDRINUSE;
}

/// Polls until `true_now` returns true, for changes that other threads make without notice. False: it took too long.
inline bool eventually(const std::function<bool()>& true_now) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience);
  while (!true_now()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

inline bool wait_readable(int fd, int milliseconds = kPatience) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) == 1;
}

/// One end of a TCP connection.
class Stream {
 public:
  Stream() = default;
  explicit Stream(net::Fd fd) : fd_(std::move(fd)) {
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  /// `from`: the local address to use (port 0: any).
  static Stream to(const net::Address& server, const net::Address* from = nullptr, int receive_buffer = 0) {
    net::Fd fd(::socket(server.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(fd);
    if (receive_buffer) setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (from) REQUIRE(::bind(fd.get(), from->raw(), from->size()) == 0);
    REQUIRE(::connect(fd.get(), server.raw(), server.size()) == 0);
    return Stream(std::move(fd));
  }

  void send(Bytes bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      REQUIRE(n > 0);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }
  void send(std::string_view text) const { send(as_bytes(text)); }
  /// Sends without waiting; returns how many bytes the kernel took.
  std::size_t try_send(Bytes bytes) const {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

  /// The bytes of one read; empty at the end of the stream, or after a reset.
  Buffer read_some(std::size_t most = 64 * 1024) const {
    REQUIRE(wait_readable(fd_.get()));
    Buffer room(most);
    const ssize_t n = ::recv(fd_.get(), room.data(), room.size(), 0);
    room.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return room;
  }
  /// Reads `size` bytes; fewer if the stream ends.
  Buffer read(std::size_t size) const {
    Buffer all;
    while (all.size() < size) {
      const Buffer some = read_some(size - all.size());
      if (some.empty()) break;
      append(all, some);
    }
    return all;
  }
  std::string read_text(std::size_t size) const { return std::string(as_text(read(size))); }
  /// Reads until the end of the stream.
  Buffer read_all() const {
    Buffer all;
    for (Buffer some = read_some(); !some.empty(); some = read_some()) append(all, some);
    return all;
  }
  bool readable(int milliseconds) const { return wait_readable(fd_.get(), milliseconds); }

  void finish() const { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.reset(); }
  /// Closes the connection with a reset.
  void reset() {
    const linger now{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fd_.reset();
  }

  int fd() const { return fd_.get(); }
  net::Address here() const { return net::local_address(fd_.get()); }
  net::Address there() const { return net::peer_address(fd_.get()); }

 private:
  net::Fd fd_;
};

/// A UDP socket.
class Datagrams {
 public:
  explicit Datagrams(const net::Address& at) : fd_(::socket(at.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    // Another test may have the port for a moment.
    REQUIRE(eventually([&] { return ::bind(fd_.get(), at.raw(), at.size()) == 0; }));
  }
  explicit Datagrams(net::Fd fd) : fd_(std::move(fd)) {}

  void send(const net::Address& to, Bytes bytes) const {
    REQUIRE(::sendto(fd_.get(), bytes.data(), bytes.size(), 0, to.raw(), to.size()) ==
            static_cast<ssize_t>(bytes.size()));
  }
  struct Received {
    Buffer bytes;
    net::Address from;
  };
  /// Whether a datagram comes within this time.
  bool has_some(int millis) const {
    pollfd one{fd_.get(), POLLIN, 0};
    return ::poll(&one, 1, millis) == 1;
  }
  Received receive() const {
    REQUIRE(wait_readable(fd_.get()));
    Received got;
    got.bytes.resize(4096);
    sockaddr_storage raw{};
    socklen_t size = sizeof raw;
    const ssize_t n =
        ::recvfrom(fd_.get(), got.bytes.data(), got.bytes.size(), 0, reinterpret_cast<sockaddr*>(&raw), &size);
    REQUIRE(n >= 0);
    got.bytes.resize(static_cast<std::size_t>(n));
    got.from = net::Address::from(reinterpret_cast<const sockaddr*>(&raw));
    return got;
  }
  bool readable(int milliseconds) const { return wait_readable(fd_.get(), milliseconds); }
  net::Address here() const { return net::local_address(fd_.get()); }
  int fd() const { return fd_.get(); }

 private:
  net::Fd fd_;
};

/// A server's sockets, for a test that acts as the server.
class FakeServer {
 public:
  explicit FakeServer(bool with_udp = false, bool v6 = false) : FakeServer(loopback(v6), with_udp) {}
  FakeServer(const net::Address& at, bool with_udp) : sockets_(std::move(*net::listen(at, with_udp))) {}

  const net::Address& address() const { return sockets_.address; }
  std::uint16_t port() const { return address().port(); }

  Stream accept() const {
    REQUIRE(wait_readable(sockets_.tcp.get()));
    net::Fd fd(::accept4(sockets_.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(fd);
    return Stream(std::move(fd));
  }
  /// Whether a client connects within this time.
  bool called(int milliseconds) const { return wait_readable(sockets_.tcp.get(), milliseconds); }
  Datagrams take_datagrams() { return Datagrams(std::move(sockets_.udp)); }
  void close() { sockets_ = {}; }

 private:
  net::Sockets sockets_;
};

}  // namespace entente::testing
