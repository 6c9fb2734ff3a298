// Blocking connections of tests to servers on this machine.
// Invariant: a read on a socket with a time limit may fail with EINTR although no signal has a handler. Such a read is
// repeated.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "proxy/net/address.h"
#include "proxy/net/fd.h"

namespace entente::testing {

/// Requires that a server listens at `at`. `patience`: limit for each read.
inline net::Fd connect_to(const net::Address& at, std::chrono::seconds patience = std::chrono::seconds(40)) {
  net::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval most{patience.count(), 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  REQUIRE(::connect(fd.get(), at.raw(), at.size()) == 0);
  return fd;
}

/// Like recv(2) without flags, but repeated after EINTR.
inline ssize_t receive(int fd, std::span<std::uint8_t> room) {
  for (;;)
    if (const ssize_t size = ::recv(fd, room.data(), room.size(), 0); size >= 0 || errno != EINTR) return size;
}

/// Fills `room`. Returns the number of bytes read: fewer if the peer closes the connection, or a read fails.
inline std::size_t receive_whole(int fd, std::span<std::uint8_t> room) {
  std::size_t got = 0;
  while (got < room.size()) {
    const ssize_t size = receive(fd, room.subspan(got));
    if (size <= 0) break;
    got += static_cast<std::size_t>(size);
  }
  return got;
}

/// Reads until the peer closes the connection, or a read fails. Sets `error` to the errno of that read, or to 0.
inline std::string read_all(const net::Fd& fd, int* error = nullptr) {
  std::string all;
  std::array<std::uint8_t, 4096> room;
  for (;;) {
    const ssize_t size = receive(fd.get(), room);
    if (size > 0) {
      all.append(reinterpret_cast<const char*>(room.data()), static_cast<std::size_t>(size));
      continue;
    }
    if (error != nullptr) *error = size < 0 ? errno : 0;
    return all;
  }
}

/// What a server at `at` answers to these bytes, up to the end of the connection.
inline std::string asked(const net::Address& at, std::string_view bytes) {
  const net::Fd fd = connect_to(at);
  ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return read_all(fd);
}

}  // namespace entente::testing
