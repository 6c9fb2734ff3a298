#include "tests/lab/kernel/network.h"

#include <algorithm>
#include <cerrno>

#include "tests/lab/kernel/memory.h"

namespace entente::lab {

namespace {

/// Of an address, the first byte and the last three are those of a place.
constexpr std::size_t kFirstByte = 1, kOtherBytes[] = {6, 7, 15};

// Linux tries to connect so often, 1, 2, 4, … seconds after each other.
constexpr Nanos kSecond = 1'000 * kMilli;
constexpr int kMostKnocks = 6;

}  // namespace

net::Address address(const Place& at) {
  if (!is_six(at)) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(at.first);
    four.sin_port = htons(at.second);
    return net::Address::from(reinterpret_cast<const sockaddr*>(&four));
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(at.second);
  auto& bytes = six.sin6_addr.s6_addr;
  const std::uint32_t host = host_at(at);
  if (host == INADDR_LOOPBACK) six.sin6_addr = in6addr_loopback;
  if (host != 0 && host != INADDR_LOOPBACK) {
    bytes[0] = 0xfd;
    bytes[kFirstByte] = static_cast<std::uint8_t>(host >> 24U);
    for (unsigned i = 0; i < 3; ++i) bytes[kOtherBytes[i]] = static_cast<std::uint8_t>(host >> (16 - 8 * i));
  }
  return net::Address::from(reinterpret_cast<const sockaddr*>(&six));
}

Place place(const net::Address& at) {
  if (!at.v6()) return {ntohl(reinterpret_cast<const sockaddr_in*>(at.raw())->sin_addr.s_addr), at.port()};
  const auto& six = reinterpret_cast<const sockaddr_in6*>(at.raw())->sin6_addr;
  std::uint32_t host = six.s6_addr[kFirstByte];
  for (const std::size_t byte : kOtherBytes) host = host << 8U | six.s6_addr[byte];
  if (IN6_IS_ADDR_LOOPBACK(&six)) host = INADDR_LOOPBACK;
  return {host | kSix, at.port()};
}

int Socket::bind(Place at) {
  wildcard_ = host_at(at) == 0;
  if (wildcard_) at.first |= host_;
  if (!kernel_.bind(type_, at, shared_from_this())) return EADDRINUSE;
  local_ = at;
  bound_ = {at};
  if (!wildcard_ || !is_six(at) || only_six) return 0;
  Place four{host_, at.second};
  if (!kernel_.bind(type_, four, shared_from_this())) return unbind(), EADDRINUSE;
  bound_.push_back(four);
  return 0;
}

void Socket::unbind() {
  for (const Place& one : bound_) kernel_.unbind(type_, one, *this);
  bound_.clear();
}

// -- TCP --------------------------------------------------------------------------------------------------------------

int Stream::listen(int backlog) {
  if (const int error = bind_anywhere(); error != 0) return error;
  state_ = State::kListens;
  backlog_ = static_cast<std::size_t>(std::max(backlog, 1));
  return 0;
}

std::shared_ptr<Stream> Stream::accept() {
  if (accepted_.empty()) return nullptr;
  auto first = std::move(accepted_.front());
  accepted_.pop_front();
  return first;
}

int Stream::connect(const Place& to) {
  const Aside aside;
  if (state_ == State::kOpen) return EISCONN;
  if (state_ == State::kConnects) return EALREADY;
  if (const int error = bind_anywhere(); error != 0) return error;
  remote_ = to;
  local_ = source(to);
  state_ = State::kConnects;
  knock(to, 0);
  return EINPROGRESS;
}

void Stream::knock(const Place& to, int attempt) {
  kernel_.after(kernel_.flight(local_, to), [its = self(), to, attempt] {
    if (its->state_ != State::kConnects) return;
    if (its->kernel_.is_down(to)) {
      if (attempt == kMostKnocks) return its->be_reset(ETIMEDOUT);
      return its->kernel_.after(kSecond << static_cast<unsigned>(attempt), [its, to, attempt] {
        if (its->state_ == State::kConnects) its->knock(to, attempt + 1);
      });
    }
    const auto there = std::dynamic_pointer_cast<Stream>(its->kernel_.bound(SOCK_STREAM, to, its->local_));
    const bool listens = there && there->state_ == State::kListens && there->accepted_.size() < there->backlog_;
    if (!listens || its->kernel_.chance(its->kernel_.faults.refuse)) return its->be_reset(ECONNREFUSED);
    there->arrive(its);
  });
}

/// A client has reached this listener.
void Stream::arrive(const std::shared_ptr<Stream>& client) {
  auto here = std::make_shared<Stream>(kernel_, six);
  here->local_ = client->remote_;
  here->remote_ = client->local_;
  here->state_ = State::kOpen;
  here->peer_ = client;
  client->peer_ = here;
  accepted_.push_back(here);
  kernel_.note(0x7379, client->local_.second);
  kernel_.after(kernel_.flight(here->local_, here->remote_), [client] {
    if (client->state_ == State::kConnects) client->state_ = State::kOpen;
  });
}

template <class What>
void Stream::to_peer(What&& what) {
  const Nanos at = std::max(last_arrival_, kernel_.now() + kernel_.flight(local_, remote_));
  last_arrival_ = at;
  kernel_.after(at - kernel_.now(), [from = std::weak_ptr(self()), peer = peer_, what = std::forward<What>(what)] {
    if (const auto there = peer.lock(); there && !there->gone_)
      what(*there);
    else if (const auto sender = from.lock())
      sender->not_delivered();
  });
}

/// The peer is closed: what comes late resets the connection. A machine that is down answers nothing.
void Stream::not_delivered() {
  if (!peer_gone_) return be_reset(ECONNRESET);
  if (!std::exchange(sends_again_, true)) send_again(kernel_.now() + sends_again_for);
}

void Stream::send_again(Nanos until) {
  if (state_ != State::kOpen) return;
  if (!kernel_.is_down(remote_)) return be_reset(ECONNRESET);
  if (kernel_.now() >= until) return be_reset(ETIMEDOUT);
  kernel_.after(kSecond, [its = std::weak_ptr(self()), until] {
    if (const auto sender = its.lock()) sender->send_again(until);
  });
}

/// Nobody tells it.
void Stream::lose_peer() {
  peer_gone_ = true;
  if (keeps_alive)
    kernel_.after(kIdle, [its = std::weak_ptr(self())] {
      if (const auto one = its.lock()) one->probe(1);
    });
}

/// While something is not acknowledged, that is sent again instead.
void Stream::probe(int number) {
  if (state_ != State::kOpen || sends_again_) return;
  if (!kernel_.is_down(remote_)) return be_reset(ECONNRESET);
  if (number > kProbes) return be_reset(ETIMEDOUT);
  kernel_.after(kProbeEvery, [its = std::weak_ptr(self()), number] {
    if (const auto one = its.lock()) one->probe(number + 1);
  });
}

void Stream::vanish() {
  unbind();
  for (const auto& client : accepted_) client->vanish();
  accepted_.clear();
  if (const auto peer = peer_.lock()) peer->lose_peer();
  gone_ = true;
  state_ = State::kClosed;
}

ssize_t Stream::send(Bytes bytes) {
  const Aside aside;
  if (error_ != 0) return -take_error();
  if (state_ == State::kConnects) return -EAGAIN;
  if (state_ != State::kOpen || end_sent_) return -EPIPE;
  if (bytes.empty()) return 0;
  const std::size_t window = kernel_.faults.window;
  if (under_way_ >= window) return -EAGAIN;
  std::size_t size = std::min(bytes.size(), window - under_way_);
  if (kernel_.chance(kernel_.faults.short_write)) size = 1 + kernel_.pick(size - 1);
  under_way_ += size;
  kernel_.note(0x7478, size);
  if (kernel_.chance(kernel_.faults.reset)) {
    to_peer([](Stream& peer) { peer.be_reset(ECONNRESET); });
    be_reset(ECONNRESET);
    return static_cast<ssize_t>(size);
  }
  Buffer segment(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  kernel_.falsify(local_, remote_, segment);
  to_peer([its = std::move(segment)](Stream& peer) { peer.deliver(its); });
  return static_cast<ssize_t>(size);
}

void Stream::deliver(const Buffer& bytes) {
  if (state_ == State::kClosed || deaf_) {  // what nobody will read resets the connection
    if (const auto from = peer_.lock()) from->be_reset(ECONNRESET);
    return;
  }
  kernel_.note(0x7278, local_.second);
  kernel_.note(bytes);
  in_.insert(in_.end(), bytes.begin(), bytes.end());
}

void Stream::deliver_end() { end_came_ = true; }

void Stream::be_reset(int error) {
  if (state_ == State::kClosed) return;
  kernel_.note(0x7273, local_.second);
  state_ = State::kClosed;
  error_ = error;
}

ssize_t Stream::receive(std::span<std::uint8_t> into, bool peek) {
  if (in_.empty() && error_ != 0) return -take_error();  // as Linux: what came before the reset can be read
  if (state_ == State::kConnects || state_ == State::kListens) return -EAGAIN;
  if (in_.empty()) return end_came_ || state_ != State::kOpen || deaf_ ? 0 : -EAGAIN;
  std::size_t size = std::min(into.size(), in_.size());
  if (size > 1 && kernel_.chance(kernel_.faults.short_read)) size = 1 + kernel_.pick(size - 1);
  std::copy_n(in_.begin(), size, into.begin());
  if (peek) return static_cast<ssize_t>(size);
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(size));
  if (const auto from = peer_.lock()) from->under_way_ -= size;
  return static_cast<ssize_t>(size);
}

int Stream::shut_down(bool reading, bool writing) {
  const Aside aside;
  if (state_ == State::kListens) return state_ = State::kClosed, 0;
  if (state_ != State::kOpen) return ENOTCONN;
  deaf_ = deaf_ || reading;
  if (!writing || std::exchange(end_sent_, true)) return 0;
  to_peer([](Stream& peer) { peer.deliver_end(); });
  return 0;
}

bool Stream::readable() const {
  if (state_ == State::kListens) return !accepted_.empty();
  return error_ != 0 || !in_.empty() || end_came_ || state_ == State::kClosed || deaf_;
}

bool Stream::writable() const {
  if (error_ != 0 || state_ == State::kClosed) return true;
  return state_ == State::kOpen && under_way_ < kernel_.faults.window;
}

void Stream::close() {
  unbind();
  for (const auto& client : accepted_) client->resets = true, client->close();
  accepted_.clear();
  const bool breaks = resets || !in_.empty() || state_ == State::kConnects;
  if (state_ != State::kOpen && state_ != State::kConnects) {
    state_ = State::kClosed;
    return;
  }
  if (breaks)
    to_peer([](Stream& peer) { peer.be_reset(ECONNRESET); });
  else if (!end_sent_)
    to_peer([](Stream& peer) { peer.deliver_end(); });
  state_ = State::kClosed;
}

// -- UDP --------------------------------------------------------------------------------------------------------------

int DatagramSocket::connect(const Place& to) {
  if (const int error = bind_anywhere(); error != 0) return error;
  remote_ = to;
  local_ = source(to);
  return 0;
}

ssize_t DatagramSocket::send(Bytes bytes, const Place* to) {
  const Aside aside;
  if (error_ != 0) return -take_error();
  if (to == nullptr && remote_.second == 0) return -EDESTADDRREQ;
  if (const int error = bind_anywhere(); error != 0) return -error;
  if (to == nullptr) to = &remote_;
  Datagram datagram{source(*to), *to, Buffer(bytes.begin(), bytes.end())};
  kernel_.falsify(datagram.from, datagram.to, datagram.bytes);
  kernel_.note(0x7564, datagram.to.second);
  if (kernel_.chance(kernel_.faults.lose) || kernel_.is_cut(datagram.from, datagram.to))
    return static_cast<ssize_t>(bytes.size());
  const int copies = kernel_.chance(kernel_.faults.repeat) ? 2 : 1;
  for (int i = 0; i < copies; ++i)
    kernel_.after(kernel_.flight(datagram.from, datagram.to), [&kernel = kernel_, its = weak_from_this(), datagram] {
      const auto from = std::dynamic_pointer_cast<DatagramSocket>(its.lock());
      if (const auto there =
              std::dynamic_pointer_cast<DatagramSocket>(kernel.bound(SOCK_DGRAM, datagram.to, datagram.from)))
        there->deliver(datagram);
      else if (from && from->remote_ == datagram.to && !kernel.is_down(datagram.to))
        from->error_ = ECONNREFUSED;  // only a connected socket is told
    });
  return static_cast<ssize_t>(bytes.size());
}

void DatagramSocket::deliver(const Datagram& datagram) {
  if (in_.size() >= kMostWaiting) return;
  kernel_.note(0x7572, local_.second);
  kernel_.note(datagram.bytes);
  in_.push_back(datagram);
}

void DatagramSocket::close() { unbind(); }

}  // namespace entente::lab
