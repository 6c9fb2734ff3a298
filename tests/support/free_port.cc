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

constexpr int kFirst = 12'000;  // below Linux's ephemeral ports, which begin at 32768
constexpr int kBlock = 16, kBlocks = 1'250;

// Reserves a block of ports for this process until it ends: by the name of an abstract socket that is never closed.
bool reserve(int block) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string text = "entente test ports " + std::to_string(block);
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
  const auto* const at = v6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  const bool bound = ::bind(fd, at, v6 ? sizeof six : sizeof four) == 0;
  ::close(fd);
  return bound;
}

}  // namespace

int free_port(bool v6) {
  static int block = static_cast<int>(::getpid()) % kBlocks, used = kBlock;
  for (int tried = 0; tried < kBlock * kBlocks; ++tried) {
    if (used == kBlock) {
      block = (block + 1) % kBlocks;
      if (!reserve(block)) continue;
      used = 0;
    }
    const int port = kFirst + block * kBlock + used++;
    if (is_free(port, v6, SOCK_STREAM) && is_free(port, v6, SOCK_DGRAM)) return port;
  }
  std::perror("no port is free");
  std::abort();
}

}  // namespace entente::testing
