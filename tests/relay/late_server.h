// A server that is not always there: it begins to listen at a given address.
#pragma once

#include <unistd.h>

#include "tests/relay/peers.h"

namespace entente::testing {

/// An address where nobody listens yet. It is this process's own, so that no other program takes it meanwhile.
inline net::Address nowhere() {
  const auto process = static_cast<unsigned>(::getpid());
  const std::string own = "127." + std::to_string(64 + process / 65'536 % 64) + "." +
                          std::to_string(process / 256 % 256) + "." + std::to_string(process % 256);
  return net::listen(*net::Address::parse(own, 0), true)->address;
}

/// Listens at a given address, until it is destroyed.
class LateServer {
 public:
  explicit LateServer(const net::Address& at) : sockets_(std::move(*net::listen(at, true))) {}
  Stream accept() const {
    REQUIRE(wait_readable(sockets_.tcp.get()));
    net::Fd fd(::accept4(sockets_.tcp.get(), nullptr, nullptr, SOCK_CLOEXEC));
    REQUIRE(fd);
    return Stream(std::move(fd));
  }
  /// Whether somebody comes within this time.
  bool is_wanted(int milliseconds) const { return wait_readable(sockets_.tcp.get(), milliseconds); }

 private:
  net::Sockets sockets_;
};

}  // namespace entente::testing
