// The socket calls that the load generator and the floor relay share, and their epoll loop.
// Invariant: they are for short-lived tools; on an error of the system they print it and exit.
#pragma once

#include <netinet/in.h>
#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "proxy/base/bytes.h"

namespace entente::bench {

/// Prints `what` with errno's text and exits with 1.
[[noreturn]] void die(const std::string& what);

/// An open descriptor, owned.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Fd();

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

enum class Kind { kTcp, kUdp };

/// "127.0.0.1:5154" as an address; IPv4 only.
sockaddr_in address(const std::string& text);
/// The address this socket is bound to.
sockaddr_in own_address(const Fd& fd);
/// An address as one number, to look peers up by.
std::uint64_t key(const sockaddr_in& at);

/// A non-blocking socket, bound to `local` if it is set; TCP without Nagle. Empty if that address is taken.
Fd open_socket(Kind kind, const sockaddr_in* local);
/// Non-blocking connect: for TCP it is done when the socket becomes writable.
void start_connect(const Fd& fd, const sockaddr_in& to);
/// Sends all bytes at once, or dies with a message that names `what` was sent.
void send_whole(const Fd& fd, Bytes bytes, const char* what);

/// A TCP listener and a UDP socket on one port of 127.0.0.1, chosen by the kernel.
struct Port {
  Fd tcp;
  Fd udp;
  std::uint16_t number = 0;
};
Port open_port();
/// The next connection, non-blocking; an empty Fd if there is none.
Fd accept_next(const Fd& listener);

/// Receives the events of a descriptor.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual void ready(std::uint32_t events) = 0;
};

/// One epoll instance. A Watched must outlive the turn in which its descriptor is closed.
class Poll {
 public:
  Poll();
  void watch(const Fd& fd, std::uint32_t events, Watched& by);
  void change(const Fd& fd, std::uint32_t events, Watched& by);
  /// One turn: waits at most `timeout_ms` (-1 = for ever), then calls ready() for each descriptor that is ready.
  void turn(int timeout_ms);

 private:
  Fd epoll_;
  std::array<epoll_event, 512> events_{};
};

}  // namespace entente::bench
