#include "proxy/net/socket.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "proxy/net/service_manager.h"

namespace entente::net {
namespace {

constexpr int kBacklog = 4096;            // the kernel lowers it to net.core.somaxconn
constexpr int kTries = 64;                // for a port that is free for TCP and UDP
constexpr int kMostUnsent = 128 << 10;    // bytes that the kernel queues beyond what the peer has room for
constexpr int kDatagramBuffer = 4 << 20;  // bytes; the kernel lowers it to net.core.rmem_max and wmem_max

void set(int fd, int level, int option, int value) { (void)setsockopt(fd, level, option, &value, sizeof(value)); }

Fd open_socket(int family, int type) { return Fd(::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }

Fd open_stream(int family) {
  Fd fd = open_socket(family, SOCK_STREAM);
  if (fd) set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (fd && family == AF_INET6) set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  return fd;
}

Fd open_datagram(int family) {
  Fd fd = open_socket(family, SOCK_DGRAM);
  if (fd && family == AF_INET6) set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  return fd;
}

/// IPv4 clients come as ::ffff:a.b.c.d, which Address::unmapped() undoes.
void take_v4_too(const Fd& fd) { set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0); }

/// A burst of a thousand datagrams overflows the kernel's default of 208 KiB.
void widen(const Fd& fd) {
  set(fd.get(), SOL_SOCKET, SO_RCVBUF, kDatagramBuffer);
  set(fd.get(), SOL_SOCKET, SO_SNDBUF, kDatagramBuffer);
}

/// `foreign`: an address that this machine does not have.
bool bind_to(int fd, const Address& at, bool foreign = false) {
  const int on = 1, level = at.v6() ? IPPROTO_IPV6 : IPPROTO_IP, option = at.v6() ? IPV6_TRANSPARENT : IP_TRANSPARENT;
  if (foreign && ::setsockopt(fd, level, option, &on, sizeof(on)) != 0) return false;
  return ::bind(fd, at.raw(), at.size()) == 0;
}

/// A UDP socket at `at`; empty: errno says why not. Processes from before an upgrade may still have sockets there,
/// which are connected to their peers (take_over/udp_twin.h).
Fd bound_datagrams(const Address& at, bool v4_too = false) {
  Fd fd = take_passed_datagrams(at);
  if (fd) return fd;
  fd = open_datagram(at.family());
  if (fd) set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (fd && v4_too) take_v4_too(fd);
  if (!fd || !bind_to(fd.get(), at)) return {};
  set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 0);
  return fd;
}

/// One try; errno says why not.
bool try_listen(const Address& at, bool with_udp, bool only_v6, Sockets& out) {
  const bool v4_too = at.v6() && at.wildcard() && !only_v6;
  out.tcp = take_passed_stream(at);
  const bool listens = bool(out.tcp);
  if (!listens) out.tcp = open_stream(at.family());
  if (!listens && out.tcp && v4_too) take_v4_too(out.tcp);
  if (!out.tcp || (!listens && !bind_to(out.tcp.get(), at))) return false;
  out.address = local_address(out.tcp.get());
  if (with_udp) {
    out.udp = bound_datagrams(out.address, v4_too);
    if (!out.udp) return false;
    widen(out.udp);
  }
  return listens || ::listen(out.tcp.get(), kBacklog) == 0;
}

std::string listen_hint(int error) {
  if (error == EADDRINUSE) return "stop the program that has this port, or listen on another (port 0 takes any)";
  if (error == EACCES) return "ports below 1024 need root or CAP_NET_BIND_SERVICE";
  if (error == EADDRNOTAVAIL) return "listen on an address that this machine has";
  return "listen on another address or port";
}

/// Whether this machine has an address from which it can reach `to`. `from`: where our socket is bound; a wildcard if
/// it is not. Asks by connecting a UDP socket, which sends nothing. True if no such socket can be had.
bool has_source_for(const Address& to, const Address& from) {
  const Fd fd = open_datagram(to.family());
  if (!fd || (!from.wildcard() && !bind_to(fd.get(), from.with_port(0)))) return true;
  return ::connect(fd.get(), to.raw(), to.size()) == 0 || errno != EADDRNOTAVAIL;
}

bool is_unreachable(int error) { return error == ENETUNREACH || error == EHOSTUNREACH || error == EACCES; }

/// One try for a local port that both sockets share; errno says why not.
bool try_pair(const Address& server, const Source& source, Sockets& out) {
  const Address from = source.address.wildcard() ? server.wildcard_of_family() : source.address;
  out.udp = open_datagram(server.family());
  if (!out.udp || !bind_to(out.udp.get(), from.with_port(0), source.foreign)) return false;
  const std::uint16_t port = local_address(out.udp.get()).port();
  errno = EADDRINUSE;
  if ((port & 0xFF) < 4) return false;
  out.tcp = open_stream(server.family());
  out.address = from.with_port(port);
  if (!out.tcp || !bind_to(out.tcp.get(), out.address, source.foreign)) return false;
  return ::connect(out.udp.get(), server.raw(), server.size()) == 0 || is_unreachable(errno);
}

}  // namespace

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM || error == ENOSPC;
}

bool is_exhaustion(int error) { return is_shortage(error) || error == EADDRINUSE; }

const char* hint_for_exhaustion(int error) {
  switch (error) {
    case EMFILE:
      return "raise the limit of open files (ulimit -n)";
    case ENFILE:
      return "raise fs.file-max";
    case ENOSPC:
      return "raise fs.epoll.max_user_watches";
    case EADDRINUSE:
      return "raise net.ipv4.ip_local_port_range";
    default:
      return "the kernel has no memory left for sockets";
  }
}

Error machine_error(const std::string& what, int error, const std::string& hint) {
  return Error{what + ": " + std::strerror(error) + "; " + hint};
}

Error lack_error(const std::string& what, int error) {
  return is_shortage(error) ? machine_error(what, error, hint_for_exhaustion(error))
                            : Error{what + ": " + std::strerror(error)};
}

SocketError towards_error(const std::string& what, int error, const Source& source) {
  const char* hint = is_exhaustion(error) ? hint_for_exhaustion(error)
                     : source.foreign     ? "addresses of others need CAP_NET_ADMIN"
                                          : "check the addresses and routes of this machine";
  return {machine_error(what, error, hint), error};
}

Outcome<Sockets> listen(const Address& at, bool with_udp, bool only_v6) {
  const int tries = with_udp && at.port() == 0 ? kTries : 1;
  for (int i = 0; i < tries; ++i) {
    Sockets sockets;
    if (try_listen(at, with_udp, only_v6, sockets)) return sockets;
    if (errno != EADDRINUSE) break;
  }
  const int error = errno;
  return machine_error("cannot listen on " + at.text(), error, listen_hint(error));
}

Outcome<Sockets> listen_datagrams(const Address& at) {
  Sockets sockets;
  sockets.udp = bound_datagrams(at);
  if (!sockets.udp) {
    const int error = errno;
    return machine_error("cannot listen on " + at.text() + " (UDP)", error, listen_hint(error));
  }
  widen(sockets.udp);
  sockets.address = at.port() == 0 ? local_address(sockets.udp.get()) : at;  // one that was passed may be bound later
  return sockets;
}

std::optional<Error> objection_to_address(const Address& at) {
  const Fd fd = open_datagram(at.family());
  if (fd && bind_to(fd.get(), at.with_port(0))) return std::nullopt;
  const int error = errno;
  if (is_shortage(error)) return std::nullopt;  // whoever listens reports it
  return machine_error("cannot listen on " + at.text(), error, listen_hint(error));
}

std::optional<Error> objection_to_port(const Address& at) {
  const Fd fd = open_stream(at.family());  // with SO_REUSEADDR, and never listening, it shares the port
  if (!fd || bind_to(fd.get(), at) || errno != EACCES) return std::nullopt;
  return machine_error("cannot listen on " + at.text(), EACCES, listen_hint(EACCES));
}

bool bind_source(int fd, const Source& source) {
  return source.address.wildcard() || bind_to(fd, source.address.with_port(0), source.foreign);
}

NewSockets datagrams_towards(const Address& server, const Source& source) {
  Sockets sockets;
  sockets.udp = open_datagram(server.family());
  if (!sockets.udp || !bind_source(sockets.udp.get(), source) ||
      ::connect(sockets.udp.get(), server.raw(), server.size()) != 0) {
    const int error = errno == EAGAIN ? EADDRINUSE : errno;  // how connect() says that no local port is free
    return towards_error("cannot open a UDP socket towards " + server.text(), error, source);
  }
  widen(sockets.udp);
  sockets.address = local_address(sockets.udp.get());
  return sockets;
}

NewSockets stream_towards(const Address& server, const Source& source) {
  Sockets sockets;
  sockets.tcp = open_stream(server.family());
  if (sockets.tcp && bind_source(sockets.tcp.get(), source)) return sockets;
  const int error = errno;
  return towards_error("cannot open a socket towards " + server.text(), error, source);
}

NewSockets pair_towards(const Address& server, const Source& source) {
  for (int i = 0; i < kTries; ++i) {
    Sockets sockets;
    if (try_pair(server, source, sockets)) return sockets;
    if (errno != EADDRINUSE) break;
  }
  const int error = errno;
  return towards_error("cannot open a TCP and a UDP socket on one port towards " + server.text(), error, source);
}

int connect_stream(int fd, const Address& to) {
  if (::connect(fd, to.raw(), to.size()) == 0 || errno == EINPROGRESS) return 0;
  const int error = errno;
  // Linux says EADDRNOTAVAIL also if no local port is free.
  return error == EADDRNOTAVAIL && has_source_for(to, local_address(fd)) ? EADDRINUSE : error;
}

void set_stream_options(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, kMostUnsent);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 120'000);
}

void reset_on_close(int fd) {
  const linger now{1, 0};
  (void)::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void limit_waiting(int fd, Millis most) {
  const timeval time{static_cast<time_t>(most / 1000), static_cast<suseconds_t>(most % 1000 * 1000)};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

void say_last(int fd, Bytes bytes) {
  while (!bytes.empty()) {  // the system may take a part at a time
    const ssize_t taken = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken <= 0) break;
    bytes = bytes.subspan(static_cast<std::size_t>(taken));
  }
  (void)::shutdown(fd, SHUT_WR);
}

void drop_received(int fd) {
  std::array<std::uint8_t, 8 * 1024> piece;
  for (int i = 0; i < 8; ++i)
    if (::recv(fd, piece.data(), piece.size(), MSG_DONTWAIT) <= 0) return;
}

bool peer_has_ended(int fd) {
  pollfd one{fd, POLLRDHUP, 0};
  return ::poll(&one, 1, 0) == 1;
}

std::vector<bool> peers_have_ended(std::span<const int> fds) {
  std::vector<bool> ended(fds.size(), false);
  if (fds.empty()) return ended;
  std::vector<pollfd> all;
  all.reserve(fds.size());
  for (const int fd : fds) all.push_back({fd, POLLRDHUP, 0});
  if (::poll(all.data(), all.size(), 0) <= 0) return ended;
  for (std::size_t i = 0; i < all.size(); ++i) ended[i] = all[i].revents != 0;
  return ended;
}

Address local_address(int fd) {
  sockaddr_storage raw{};
  socklen_t size = sizeof(raw);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&raw), &size) != 0) return {};
  return Address::from(reinterpret_cast<const sockaddr*>(&raw)).unmapped();
}

Address peer_address(int fd) {
  sockaddr_storage raw{};
  socklen_t size = sizeof(raw);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&raw), &size) != 0) return {};
  return Address::from(reinterpret_cast<const sockaddr*>(&raw)).unmapped();
}

}  // namespace entente::net
