// A blocking TCP connection of a test to a server on this machine.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <string>

#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::testing {

/// Requires that somebody listens there. `patience`: limit for each read.
inline net::Fd connect_to(const net::Address& at, std::chrono::seconds patience = std::chrono::seconds(40)) {
  net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval most{patience.count(), 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  REQUIRE(::connect(fd.get(), at.raw(), at.size()) == 0);
  return fd;
}

/// What comes until the peer closes the connection, or a read fails. Sets `error` to the errno of that read, or to 0.
/// A socket with a time limit returns EINTR if the process is stopped and continued: that read is repeated.
inline std::string read_all(const net::Fd& fd, int* error = nullptr) {
  std::string all;
  char room[4096];
  for (;;) {
    const ssize_t size = ::recv(fd.get(), room, sizeof room, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size > 0) {
      all.append(room, static_cast<std::size_t>(size));
      continue;
    }
    if (error != nullptr) *error = size < 0 ? errno : 0;
    return all;
  }
}

}  // namespace entente::testing
