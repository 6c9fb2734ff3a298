#include "proxy/net/tcp_acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"

namespace entente::net {
namespace {

constexpr int kAcceptsAtOnce = 16;  // then others have their turn

Fd any_file() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

Fd accept_from(int listening, Address& from) {
  sockaddr_storage raw{};
  socklen_t size = sizeof(raw);
  Fd fd(::accept4(listening, reinterpret_cast<sockaddr*>(&raw), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd) from = Address::from(reinterpret_cast<const sockaddr*>(&raw)).unmapped();
  return fd;
}

}  // namespace

bool TcpAcceptor::open(Fd listening) {
  listening_ = std::move(listening);
  reserve_ = any_file();
  poll_.set_priority(Priority::kNewcomer);
  if (!poll_.open(loop_, listening_.get(), *this)) return false;
  poll_.want(true, false);
  return true;
}

void TcpAcceptor::close() {
  poll_.close();
  listening_.reset();
  reserve_.reset();
}

Fd TcpAcceptor::copy() const { return copy_of(listening_.get()); }

void TcpAcceptor::pause(bool on) {
  paused_ = on;
  if (on && poll_.is_open()) poll_.want(false, false);
  if (!on) resume();
}

void TcpAcceptor::resume() {
  if (!poll_.is_open() || paused_) return;
  if (!reserve_) reserve_ = any_file();
  poll_.want(true, false);
}

void TcpAcceptor::ready(bool, bool, bool) {
  for (int i = 0; i < kAcceptsAtOnce && poll_.is_open() && !paused_; ++i)
    if (!accept_one() || loop_.time_is_up()) return;
}

/// False when there is no more to accept now.
bool TcpAcceptor::accept_one() {
  Address from;
  Fd fd = accept_from(listening_.get(), from);
  if (fd) {
    user_.accepted(std::move(fd), from);
    return true;
  }
  if (errno == EINTR || errno == ECONNABORTED) return true;
  return is_shortage(errno) && accept_with_reserve();
}

bool TcpAcceptor::accept_with_reserve() {
  reserve_.reset();
  Address from;
  Fd fd = accept_from(listening_.get(), from);
  const bool accepted = bool(fd), none_waits = !accepted && !is_shortage(errno);
  if (accepted) user_.starved(std::move(fd), from);
  reserve_ = any_file();
  // Another thread or process took even the reserve. Stops watching, so that the loop does not spin until there are
  // descriptors again.
  if (!accepted && !none_waits) poll_.want(false, false);
  return accepted;
}

}  // namespace entente::net
