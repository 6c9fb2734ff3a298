// Datagrams over sockets of our own: received many at a call, sent many at a call.
// Law: a datagram is passed on whole or lost, never queued beyond the turn; nothing is allocated per datagram.
#pragma once

#include <cstdint>

#include "proxy/net/poll.h"

namespace entente::net {

/// The largest datagram that UdpBatch sends. A larger one is received as 2049 bytes, cut off.
constexpr std::size_t kLargestDatagram = DatagramRoom::kSlotSize - 1;

/// Room for the control message that names the address of ours of one datagram.
union PacketInfo {
  cmsghdr align;
  std::uint8_t room[CMSG_SPACE(sizeof(in6_pktinfo))];
};

/// Receives from one socket, which it does not own.
class UdpReader final : private Poll::User {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// May close the reader, not destroy it.
    virtual void datagram(const Address& from, Bytes bytes) = 0;
    /// All that one call received has been told.
    virtual void datagrams_done() {}
  };

  UdpReader(Loop& loop, User& user) : loop_(loop), user_(user) {}
  /// Many senders: takes up to DatagramRoom::kSlots datagrams, then others have their turn (schedule.h), and so on.
  bool open(int fd) { return open(fd, false); }
  /// A connected socket, whose datagrams mostly come one at a time: each readiness takes one, and more make it ready
  /// again. `from` is then empty: all are from the peer.
  bool open_connected(int fd) { return open(fd, true); }
  void close() { poll_.close(); }
  /// Which address of ours the datagram came to that is being told: of a wildcard address, too. REQUIRES: many senders.
  const Address& here() const { return here_; }

 private:
  bool open(int fd, bool connected);
  void ready(bool readable, bool writable, bool broken) override;
  bool receive_one();
  bool receive_many();

  Loop& loop_;
  User& user_;
  Poll poll_;
  int fd_ = -1;
  Address here_;
  bool connected_ = false;
  bool asks_ = false;  // the kernel which address of ours each datagram came to
};

/// Sends on a connected socket. False when the kernel does not take it now.
bool udp_send(int fd, Bytes datagram);

/// Gathers a turn's datagrams to many addresses and sends them with one call. Any number of them may share one socket,
/// each on its own thread.
class UdpBatch final : private Later {
 public:
  /// `name_source`: the socket is bound to the wildcard address, so each datagram names the address it goes out from.
  UdpBatch(Loop& loop, int fd, bool name_source);
  ~UdpBatch() override { loop_.never(*this); }
  UdpBatch(const UdpBatch&) = delete;
  UdpBatch& operator=(const UdpBatch&) = delete;

  /// REQUIRES: at most kLargestDatagram bytes.
  void push(const Address& source, const Address& to, Bytes datagram);
  /// Datagrams so far that the kernel did not take.
  std::uint64_t lost() const { return lost_; }

 private:
  static constexpr std::size_t kSlots = 64;

  void at_turn_end() override { flush(); }
  void flush();
  void name_source(std::size_t slot, const Address& source);

  Loop& loop_;
  int fd_;
  bool name_source_;
  std::size_t used_ = 0, filled_ = 0;  // of the slots, of the bytes
  std::uint64_t lost_ = 0;
  std::array<mmsghdr, kSlots> headers_{};
  std::array<iovec, kSlots> parts_{};
  std::array<Address, kSlots> to_;
  std::array<PacketInfo, kSlots> infos_{};
  Buffer bytes_;
};

}  // namespace entente::net
