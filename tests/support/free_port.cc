#include "tests/support/free_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace entente::testing {
namespace {

constexpr int kFirst = 12'000, kPorts = 20'000;  // Linux chooses from 32768 on

// A name that one process at a time can have, until it ends: an abstract socket, which is never closed.
bool reserve(int port) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = "entente test port " + std::to_string(port);
  text.copy(name.sun_path + 1, sizeof name.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&name), size) == 0) return true;
  ::close(fd);
  return false;
}

bool is_free(int port, bool v6, int type) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(static_cast<std::uint16_t>(port));
  six.sin6_addr = in6addr_loopback;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = six.sin6_port;
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (type == SOCK_STREAM) ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // as net::listen() does
  const auto* const at = v6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  const bool bound = ::bind(fd, at, v6 ? sizeof six : sizeof four) == 0;
  ::close(fd);
  return bound;
}

}  // namespace

int free_port(bool v6) {
  static int next = static_cast<int>(::getpid()) * 37;  // processes that run side by side begin apart
  for (int tried = 0; tried < kPorts; ++tried) {
    const int port = kFirst + ++next % kPorts;
    if (reserve(port) && is_free(port, v6, SOCK_STREAM) && is_free(port, v6, SOCK_DGRAM)) return port;
  }
  std::fputs("no port is free\n", stderr);
  std::abort();
}

}  // namespace entente::testing
