// A server that begins to listen during a test.
#pragma once

#include "tests/relay/peers.h"

namespace entente::testing {

/// Listens at a given address, until it is destroyed.
class LateServer {
 public:
  explicit LateServer(const net::Address& at) : sockets_(std::move(*net::listen(at, true))) {}
  const net::Address& address() const { return sockets_.address; }
  Stream accept() const {
    REQUIRE(wait_readable(sockets_.tcp.get()));
    net::Fd fd(::accept4(sockets_.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(fd);
    return Stream(std::move(fd));
  }
  /// Whether a client connects within this time.
  bool is_wanted(int milliseconds) const { return wait_readable(sockets_.tcp.get(), milliseconds); }

 private:
  net::Sockets sockets_;
};

}  // namespace entente::testing
