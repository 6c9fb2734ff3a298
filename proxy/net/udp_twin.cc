#include "proxy/net/udp_twin.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "proxy/net/socket.h"

namespace entente::net {
namespace {

bool allow_twins(int fd, bool allow) {
  const int value = allow ? 1 : 0;
  return ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &value, sizeof value) == 0;
}

}  // namespace

Fd copy_of(int fd) { return Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

Fd udp_twin(int family) {
  Fd fd(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (fd && family == AF_INET6) (void)::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  return fd;
}

bool bind_twin(int twin, int listening) {
  const Address at = local_address(listening);
  int only_v6 = 1;
  socklen_t size = sizeof only_v6;
  if (at.v6() && ::getsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, &size) == 0)
    (void)::setsockopt(twin, IPPROTO_IPV6, IPV6_V6ONLY, &only_v6, size);
  return allow_twins(listening, true) && allow_twins(twin, true) && ::bind(twin, at.raw(), at.size()) == 0;
}

// One socket of the port that refuses is enough.
void refuse_twins(int twin) { (void)allow_twins(twin, false); }

// Connects it to itself; for connect(), a wildcard is loopback.
void silence_twin(int twin) {
  const Address at = local_address(twin);
  if (at.port() != 0) (void)::connect(twin, at.raw(), at.size());
}

Fd udp_socket_for(const Address& peer, const Address& here, int listening) {
  Fd fd = udp_twin(peer.family());
  if (!fd || !allow_twins(listening, true) || !allow_twins(fd.get(), true)) return {};
  const Address own = here.family() == peer.family() ? here : peer.wildcard_of_family();  // `here` takes both
  const Address at = own.with_port(local_address(listening).port());
  if (::bind(fd.get(), at.raw(), at.size()) != 0 || ::connect(fd.get(), peer.raw(), peer.size()) != 0) return {};
  return fd;
}

}  // namespace entente::net
