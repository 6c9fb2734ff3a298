// TCP, UDP and event descriptors of the simulated kernel.
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "proxy/net/address.h"
#include "tests/lab/kernel/kernel.h"

namespace entente::lab {

/// What TCP and UDP sockets have in common.
class Socket : public File, public std::enable_shared_from_this<Socket> {
 public:
  Socket(Kernel& kernel, int type, bool of_six) : six(of_six), kernel_(kernel), type_(type), host_(kernel.host()) {}
  int type() const { return type_; }
  const bool six;         ///< of AF_INET6
  bool only_six = false;  ///< IPV6_V6ONLY
  /// Whether it may be bound or connected there.
  bool fits(const Place& at) const { return is_six(at) ? six : !six || !only_six; }
  /// Where it is; without an address if it has a wildcard and no peer.
  Place local() const { return wildcard_ && remote_.second == 0 ? Place{six ? kSix : 0, local_.second} : local_; }
  const Place& remote() const { return remote_; }
  /// An errno; 0: done.
  int bind(Place at);
  int take_error() { return std::exchange(error_, 0); }
  bool broken() const override { return error_ != 0; }
  int suits(const Place& from) const override { return remote_.second == 0 ? 1 : remote_ == from ? 2 : 0; }
  Nanos patience = 0;        ///< SO_RCVTIMEO; 0: for ever
  bool tells_place = false;  ///< IP_PKTINFO, IPV6_RECVPKTINFO

 protected:
  /// A socket that is not bound gets a place on its program's host.
  int bind_anywhere() { return bound_.empty() ? bind({six ? kSix : 0, 0}) : 0; }
  /// From where it reaches that place.
  Place source(const Place& to) const {
    const Place here{host_, local_.second};
    return !wildcard_ ? local_ : is_six(to) ? in_six(here) : here;
  }
  void unbind();
  Kernel& kernel_;
  const int type_;
  const std::uint32_t host_;
  Place local_{six ? kSix : 0, 0}, remote_{};
  int error_ = 0;
  bool wildcard_ = false;

 private:
  std::vector<Place> bound_;  // two, if it takes both IPv4 and IPv6
};

/// An address as the program has it.
net::Address address(const Place& at);
Place place(const net::Address& at);

/// A TCP socket: a listener, or one end of a connection.
class Stream final : public Socket {
 public:
  explicit Stream(Kernel& kernel, bool of_six = false) : Socket(kernel, SOCK_STREAM, of_six) {}

  int listen(int backlog);
  std::shared_ptr<Stream> accept();
  int connect(const Place& to);
  bool is_open() const { return state_ == State::kOpen; }
  bool listens() const { return state_ == State::kListens; }
  bool resets = false;       ///< when it is closed (SO_LINGER)
  bool keeps_alive = false;  ///< SO_KEEPALIVE: it notices within kIdle + kProbes * kProbeEvery that its peer is gone
  Nanos sends_again_for = kMostSent;                    ///< what is not acknowledged (TCP_USER_TIMEOUT)
  static constexpr Nanos kMostSent = 924'000 * kMilli;  ///< as Linux, if the program sets nothing
  static constexpr Nanos kIdle = 60'000 * kMilli, kProbeEvery = 15'000 * kMilli;
  static constexpr int kProbes = 4;

  // Each returns how many bytes were moved, or minus an errno.
  ssize_t send(Bytes bytes);
  ssize_t receive(std::span<std::uint8_t> into, bool peek);
  int shut_down(bool reading, bool writing);

  bool readable() const override;
  bool writable() const override;
  bool ended() const override { return end_came_ || state_ == State::kClosed; }
  void close() override;
  void vanish() override;
  std::size_t waiting() const { return in_.size(); }

 private:
  enum class State : std::uint8_t { kNew, kListens, kConnects, kOpen, kClosed };
  std::shared_ptr<Stream> self() { return std::static_pointer_cast<Stream>(shared_from_this()); }
  void arrive(const std::shared_ptr<Stream>& client);
  void deliver(const Buffer& bytes);
  void deliver_end();
  void be_reset(int error);
  void knock(const Place& to, int attempt);
  void lose_peer();
  void probe(int number);
  void not_delivered();
  void send_again(Nanos until);
  int suits(const Place&) const override { return state_ == State::kListens ? 1 : 0; }
  /// Calls `what(peer)` after the flight of a segment, in order.
  template <class What>
  void to_peer(What&& what);

  State state_ = State::kNew;
  std::weak_ptr<Stream> peer_;
  std::deque<std::shared_ptr<Stream>> accepted_;
  std::size_t backlog_ = 0;
  std::deque<std::uint8_t> in_;
  std::size_t under_way_ = 0;  // sent, and not read by the peer
  Nanos last_arrival_ = 0;
  bool end_came_ = false, end_sent_ = false, deaf_ = false;
  bool gone_ = false, peer_gone_ = false;  // it, or its peer, has vanished with its machine
  bool sends_again_ = false;
};

class DatagramSocket final : public Socket {
 public:
  explicit DatagramSocket(Kernel& kernel, bool of_six = false) : Socket(kernel, SOCK_DGRAM, of_six) {}
  struct Datagram {
    Place from, to;
    Buffer bytes;
  };
  int connect(const Place& to);
  ssize_t send(Bytes bytes, const Place* to);
  /// Null: none waits.
  const Datagram* first() const { return in_.empty() ? nullptr : &in_.front(); }
  void drop_first() { in_.pop_front(); }
  bool readable() const override { return !in_.empty(); }
  bool writable() const override { return true; }
  void close() override;

 private:
  static constexpr std::size_t kMostWaiting = 2'000;
  void deliver(const Datagram& datagram);
  std::deque<Datagram> in_;
};

class Event final : public File {
 public:
  bool readable() const override { return count != 0; }
  bool writable() const override { return true; }
  std::uint64_t count = 0;
};

}  // namespace entente::lab
