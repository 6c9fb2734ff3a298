// UDP sockets: many datagrams per call, received and sent.
// Invariant: a datagram is passed on whole or lost, never queued beyond the turn. Nothing is allocated per datagram.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "proxy/net/fd.h"
#include "proxy/net/poll.h"

namespace entente::net {

/// The largest datagram that UdpBatch sends. A larger one is received cut to 2049 bytes.
constexpr std::size_t kLargestDatagram = DatagramBuffers::kSlotSize - 1;

/// Space for the control message that names our address of a datagram.
union PacketInfo {
  cmsghdr align;
  std::uint8_t room[CMSG_SPACE(sizeof(in6_pktinfo))];
};

/// Receives from a socket that it does not own.
class UdpReader final : private Poll::User {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// `bytes` are valid only during the call. May close the reader, not destroy it.
    virtual void datagram(const Address& from, Bytes bytes) = 0;
    /// All datagrams of one call have been delivered.
    virtual void datagrams_done() {}
  };

  UdpReader(Loop& loop, User& user);
  ~UdpReader() override;
  /// Reads from many senders: takes up to DatagramBuffers::kSlots datagrams at a time, then lets others be served
  /// (schedule.h). `bound`: where the socket is bound, or will be (udp_twin.h).
  /// False, with errno: the kernel cannot watch the socket. REQUIRES, here and below: `fd` stays open until close().
  bool open(int fd, const Address& bound);
  bool open(int fd);
  /// Reads from a connected socket, whose datagrams mostly come one at a time: takes one each time that the socket is
  /// ready. `from` is empty: all are from the peer.
  bool open_connected(int fd) { return open(fd, true, Address()); }
  void close();
  /// Whose turn it shares. Initially a party of its own.
  void set_party(std::shared_ptr<Party> party) { poll_.set_party(std::move(party)); }

  struct Peer {
    Address address, local_address;  ///< its address; the one of ours that it sends to
  };
  /// Gives each peer a socket of its own (udp_twin.h). `peers` is called repeatedly, because datagrams that are
  /// delivered meanwhile may add peers. False, with errno: one could not be made. REQUIRES: many senders; the socket is
  /// not connected; not in datagram().
  bool give_sockets(const std::function<std::vector<Peer>()>& peers);
  /// Closes the socket of its own that this peer has. The next client from that address is a newcomer.
  void forget(const Address& peer);
  /// Delivers what the socket itself has received. REQUIRES: many senders.
  void read_all();
  /// Our address to which the current datagram came, also on a wildcard address. REQUIRES: many senders.
  const Address& local_address() const { return local_address_; }

 private:
  struct PeerSocket;

  bool open(int fd, bool connected, const Address& bound);
  void ready(bool readable, bool writable, bool broken) override;
  void ready(PeerSocket& socket, bool broken);
  bool receive_one();
  bool receive_many();
  bool receive_many(int fd, bool asks, const Poll& poll);
  bool give_socket(const Peer& peer);

  Loop& loop_;
  User& user_;
  Poll poll_;
  int fd_ = -1;
  Address local_address_;
  bool connected_ = false;
  bool asks_ = false;  // asks the kernel which address of ours each datagram came to
  std::unordered_map<Address, std::unique_ptr<PeerSocket>, AddressHash> peers_;
  std::vector<std::unique_ptr<PeerSocket>> forgotten_;  // closed; one of them may be calling us
};

/// Sends on a connected, non-blocking socket. False if the kernel does not accept it now.
bool udp_send(int fd, Bytes datagram);

/// Collects a turn's datagrams to many addresses and sends them with one call. Several batches may share a socket,
/// each on its own thread.
class UdpBatch final : private Later {
 public:
  /// `name_source`: the socket is bound to the wildcard address, so each datagram names its source address.
  UdpBatch(Loop& loop, int fd, bool name_source);
  ~UdpBatch() override { loop_.cancel_later(*this); }
  UdpBatch(const UdpBatch&) = delete;
  UdpBatch& operator=(const UdpBatch&) = delete;

  /// REQUIRES: at most kLargestDatagram bytes.
  void push(const Address& source, const Address& to, Bytes datagram);
  /// Number of datagrams that the kernel did not accept.
  std::uint64_t lost() const { return lost_; }

 private:
  static constexpr std::size_t kSlots = 64;

  void at_turn_end() override { flush(); }
  void flush();
  void name_source(std::size_t slot, const Address& source);

  Loop& loop_;
  int fd_;
  bool name_source_;
  bool v6_;                            // the socket's family; it may take IPv4, too
  std::size_t used_ = 0, filled_ = 0;  // of the slots, of the bytes
  std::uint64_t lost_ = 0;
  std::array<mmsghdr, kSlots> headers_{};
  std::array<iovec, kSlots> parts_{};
  std::array<Address, kSlots> to_;
  std::array<PacketInfo, kSlots> infos_{};
  Buffer bytes_;
};

}  // namespace entente::net
