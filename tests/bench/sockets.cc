#include "tests/bench/sockets.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace entente::bench {
namespace {

constexpr int kUdpBuffer = 4 << 20;  // one burst of 1000 datagrams needs 0.8 MiB of kernel memory

void set(const Fd& fd, int level, int option, int value) {
  if (setsockopt(fd.get(), level, option, &value, sizeof value) != 0) die("setsockopt");
}

/// False if it is taken.
bool bind_to(const Fd& fd, const sockaddr_in& local) {
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&local), sizeof local) == 0) return true;
  if (errno != EADDRINUSE) die("bind");
  return false;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  return at;
}

}  // namespace

void die(const std::string& what) {
  std::fprintf(stderr, "bench: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

Fd::~Fd() {
  if (number_ >= 0) close(number_);
}

sockaddr_in address(const std::string& text) {
  const auto colon = text.rfind(':');
  sockaddr_in at = loopback(0);
  if (colon == std::string::npos || inet_pton(AF_INET, text.substr(0, colon).c_str(), &at.sin_addr) != 1)
    die("not an IPv4 address with a port: " + text);
  at.sin_port = htons(static_cast<std::uint16_t>(std::atoi(text.c_str() + colon + 1)));
  return at;
}

sockaddr_in own_address(const Fd& fd) {
  sockaddr_in at{};
  socklen_t size = sizeof at;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) die("getsockname");
  return at;
}

std::uint64_t key(const sockaddr_in& at) { return (std::uint64_t{at.sin_addr.s_addr} << 16) | at.sin_port; }

Fd open_socket(Kind kind, const sockaddr_in* local) {
  const int type = (kind == Kind::kTcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Fd fd(socket(AF_INET, type, 0));
  if (!fd) die("socket (is `ulimit -n` high enough?)");
  if (kind == Kind::kTcp) {
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);
  } else {
    set(fd, SOL_SOCKET, SO_RCVBUF, kUdpBuffer);
  }
  if (local != nullptr && !bind_to(fd, *local)) return {};
  return fd;
}

void start_connect(const Fd& fd, const sockaddr_in& to) {
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 && errno != EINPROGRESS) die("connect");
}

void send_whole(const Fd& fd, Bytes bytes, const char* what) {
  const auto sent = send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(bytes.size())) die(std::string("cannot send ") + what);
}

Port open_port() {
  for (int attempt = 0; attempt < 100; ++attempt) {
    Port port;
    const sockaddr_in any = loopback(0);
    port.tcp = open_socket(Kind::kTcp, &any);
    if (listen(port.tcp.get(), SOMAXCONN) != 0) die("listen");
    port.number = ntohs(own_address(port.tcp).sin_port);
    const sockaddr_in same = loopback(port.number);
    port.udp = open_socket(Kind::kUdp, &same);
    if (port.udp) return port;
  }
  die("no port is free for both TCP and UDP");
}

Fd accept_next(const Fd& listener) {
  Fd fd(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd) set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  return fd;
}

Poll::Poll() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) die("epoll_create1");
}

void Poll::watch(const Fd& fd, std::uint32_t events, Watched& by) {
  epoll_event event{events, {&by}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event) != 0) die("epoll_ctl");
}

void Poll::change(const Fd& fd, std::uint32_t events, Watched& by) {
  epoll_event event{events, {&by}};
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd.get(), &event) != 0) die("epoll_ctl");
}

void Poll::turn(int timeout_ms) {
  const int count = epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout_ms);
  if (count < 0 && errno != EINTR) die("epoll_wait");
  for (int i = 0; i < count; ++i)
    static_cast<Watched*>(events_[static_cast<std::size_t>(i)].data.ptr)
        ->ready(events_[static_cast<std::size_t>(i)].events);
}

}  // namespace entente::bench
