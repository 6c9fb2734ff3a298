#include "proxy/net/tcp.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <utility>

#include "proxy/net/socket.h"

namespace entente::net {
namespace {

constexpr std::size_t kPartsAtOnce = 64;  // of one write

int socket_error(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

ssize_t send_parts(int fd, iovec* places, std::size_t count) {
  msghdr message{};
  message.msg_iov = places;
  message.msg_iovlen = count;
  return ::sendmsg(fd, &message, MSG_NOSIGNAL);
}

bool try_again(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ENOBUFS; }

}  // namespace

bool Tcp::adopt(Fd fd) {
  fd_ = std::move(fd);
  failed_ = 0;
  connecting_ = shutting_down_ = peer_ended_ = again_ = false;
  set_stream_options(fd_.get());
  if (poll_.open(loop_, fd_.get(), *this)) return true;
  const int error = errno;
  hang_up();
  errno = error;
  return false;
}

int Tcp::connect(Fd fd, const Address& to, Bytes first) {
  if (const int error = connect_stream(fd.get(), to); error != 0) return error;
  if (!adopt(std::move(fd))) return errno;
  connecting_ = true;
  watch();
  keep({first, {}});
  return 0;
}

bool Tcp::peer_has_ended() const { return net::peer_has_ended(fd_.get()); }

void Tcp::set_reading(bool on) {
  reading_ = on;
  watch();
  if (again_ && is_open() && hears()) poll_.again();
}

void Tcp::call_again() {
  if (!is_open() || peer_ended_) return;
  again_ = true;
  if (hears()) poll_.again();
}

void Tcp::send(wire::Lane, Bytes bytes) {
  assert(!shutting_down_);
  if (!is_open() || failed_) return;
  if (waiting() > 0 || connecting_) return keep({bytes, {}});
  static const BytesOwner kNobody;
  const Outbox::Part part{bytes, &kNobody};
  if (!loop_.outbox().take(*this, bytes)) write_out({&part, 1});
}

void Tcp::lend(const SharedBytes& shared) {
  assert(!shutting_down_);
  if (!is_open() || failed_) return;
  waiting() > 0 || connecting_ ? keep(shared) : loop_.outbox().lend(*this, shared);
}

void Tcp::write_out(std::span<const Outbox::Part> parts) {
  if (failed_) return;
  std::size_t written = waiting() == 0 ? write(parts) : 0;
  for (const Outbox::Part& part : parts) {
    const std::size_t gone = std::min(written, part.bytes.size());
    written -= gone;
    if (gone < part.bytes.size()) keep({part.bytes.subspan(gone), *part.owner});
  }
}

void Tcp::keep(const SharedBytes& shared) {
  if (shared.bytes.empty() || failed_) return;
  waiting_.add(shared);
  watch();
}

void Tcp::empty_outbox() {
  if (Outbox::holds(*this)) loop_.outbox().flush();
}

void Tcp::shut_down() {
  if (shutting_down_ || !is_open()) return;
  shutting_down_ = true;
  empty_outbox();
  if (waiting() == 0 && !connecting_) ::shutdown(fd_.get(), SHUT_WR);
}

Fd Tcp::release() {
  empty_outbox();
  poll_.close();
  Fd fd = std::move(fd_);
  hang_up();
  return fd;
}

void Tcp::reset() {
  if (is_open()) reset_on_close(fd_.get());
  hang_up();
}

void Tcp::hang_up() {
  empty_outbox();
  poll_.close();
  fd_.reset();
  waiting_ = {};
}

/// Returns how many bytes the kernel took.
std::size_t Tcp::write(Bytes bytes) { return taken(::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL)); }

/// The same for several parts: at most kPartsAtOnce per call, until the kernel does not take all.
std::size_t Tcp::write(std::span<const Outbox::Part> parts) {
  if (parts.size() == 1) return write(parts.front().bytes);
  std::size_t all = 0;
  while (!parts.empty()) {
    std::array<iovec, kPartsAtOnce> places;
    const std::size_t count = std::min(parts.size(), places.size());
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Bytes bytes = parts[i].bytes;
      places[i] = {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
      size += bytes.size();
    }
    const std::size_t n = taken(send_parts(fd_.get(), places.data(), count));
    all += n;
    if (n < size) break;
    parts = parts.subspan(count);
  }
  return all;
}

/// The same for what waits: one call.
std::size_t Tcp::write_waiting() {
  std::array<iovec, kPartsAtOnce> places;
  const std::size_t count = waiting_.fill(places);
  return taken(send_parts(fd_.get(), places.data(), count));
}

std::size_t Tcp::taken(ssize_t n) {
  if (n >= 0) return static_cast<std::size_t>(n);
  if (!try_again(errno)) fail(errno);
  return 0;
}

/// Nothing can be written any more. What the peer sent can still be read.
void Tcp::fail(int error) {
  failed_ = error;
  waiting_ = {};
  watch();
}

void Tcp::watch() {
  if (!is_open()) return;
  // After a failed write, a socket is always ready. A link that is read gets the error by reading, after the last
  // bytes. So does a patient one, once it is read again.
  poll_.want(hears(), waiting() > 0 || connecting_ || (failed_ && !hears() && !is_patient()));
}

void Tcp::ready(bool readable, bool writable, bool broken) {
  if (connecting_) return conclude_connect();
  if (failed_ && !hears()) return is_patient() ? watch() : break_off(failed_);
  if (writable) flush();
  if (!is_open()) return;
  if ((readable || broken) && hears())
    receive();
  else if (broken && is_patient())
    fail(socket_error(fd_.get()));
  else if (broken)
    return break_off(socket_error(fd_.get()));
  if (broken) watch();
}

void Tcp::conclude_connect() {
  const int error = socket_error(fd_.get());
  if (error) return break_off(error);
  connecting_ = false;
  watch();
  user_.connected(*this);
  if (is_open() && shutting_down_ && waiting() == 0) ::shutdown(fd_.get(), SHUT_WR);
}

void Tcp::receive() {
  if (std::exchange(again_, false)) return user_.go_on(*this);
  const auto buffer = loop_.read_buffer();
  const auto room = buffer.first(std::min(buffer.size(), largest_read_));
  const ssize_t n = ::recv(fd_.get(), room.data(), room.size(), 0);
  if (n > 0) {
    last_received_ = loop_.now();
    return user_.received(*this, wire::Lane::kStream, room.first(static_cast<std::size_t>(n)));
  }
  if (n < 0 && try_again(errno)) return;
  if (n < 0 || failed_) return break_off(failed_ ? failed_ : errno);
  peer_ended_ = true;
  watch();
  user_.ended(*this);
}

void Tcp::flush() {
  if (waiting() == 0) return;
  const std::size_t written = write_waiting();
  if (failed_) return;
  if (written != 0) waiting_.drop(written);
  if (waiting() == 0 && shutting_down_) ::shutdown(fd_.get(), SHUT_WR);
  watch();
  user_.wrote(*this);
}

void Tcp::break_off(int error) {
  hang_up();
  user_.broken(*this, error ? error : ECONNRESET);
}

}  // namespace entente::net
