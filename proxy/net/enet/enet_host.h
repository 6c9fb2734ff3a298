// ENet under libuv: one ENet host (a listener with its clients, or our side of connections to servers) on one loop.
// Law: no busy loop (the socket wakes it, and a timer only while somebody is there or about to be: often while
// something may have to be sent again, else seldom); one turn takes in no more than ENet does in one call; an empty
// packet is never sent (with the range coder on it crashes ENet); what waits for a peer is counted, so that its owner
// can bound it.
#pragma once

#include <enet/enet.h>

#include <memory>
#include <optional>
#include <vector>

#include "proxy/net/enet/enet_dissector.h"
#include "proxy/net/poll.h"

namespace entente::net {

struct EnetOptions {
  std::size_t peers = 1;                   ///< most at once, 1 to 4095; ENet is silent towards one more
  std::size_t channels = 1;                ///< most that a peer may ask for, 1 to 255
  bool range_coder = false;                ///< both sides must agree, or nothing connects
  std::size_t largest_packet = 1U << 20U;  ///< bytes; a larger one ends its peer
};

/// A packet as it was received; sent on without copying.
class EnetPacket {
 public:
  explicit EnetPacket(ENetPacket* packet) : packet_(packet) {}
  EnetPacket(Bytes bytes, EnetSend send);

  Bytes bytes() const { return {packet_->data, packet_->dataLength}; }
  EnetSend send() const;
  ENetPacket* release() { return packet_.release(); }

 private:
  struct Destroy {
    void operator()(ENetPacket* packet) const { enet_packet_destroy(packet); }
  };
  std::unique_ptr<ENetPacket, Destroy> packet_;
};

class EnetHost;

/// One connection of a host. Lives from connect() or User::connected until disconnected(), or close().
class EnetPeer {
 public:
  Address address() const;
  std::size_t channels() const { return peer_->channelCount; }
  /// Bytes sent that the peer has not acknowledged, or that ENet has not put on the wire.
  std::size_t waiting() const { return waiting_; }
  /// In User::disconnected(): it did not say goodbye, but nothing came from it any more.
  bool silent() const { return silent_; }

  void* owner = nullptr;  ///< for whoever uses the host

 private:
  friend class EnetHost;
  EnetHost* host_ = nullptr;
  ENetPeer* peer_ = nullptr;
  std::size_t waiting_ = 0;
  enet_uint32 heard_ = 0;      // when it last acknowledged something, or was born
  Millis dismissed_at_ = 0;    // 0: it was not
  std::uint32_t parting_ = 0;  // what it hears then
  bool gone_ = false;          // its user must not hear of it any more
  bool eased_ = false;         // its user is to be told so
  bool silent_ = false;
};

class EnetHost final : private Poll::User, private Alarm::User, private Later {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// `data`: what a client said when it connected (the game's version number); 0 for our own connections.
    virtual void connected(EnetPeer& peer, std::uint32_t data) = 0;
    virtual void received(EnetPeer& peer, std::uint8_t channel, EnetPacket packet) = 0;
    /// By the peer (with its data), or by silence, or because it never answered; `peer` ends with this call.
    virtual void disconnected(EnetPeer& peer, std::uint32_t data) = 0;
    /// Some of what waited for it went out.
    virtual void eased(EnetPeer&) {}
    /// A datagram before ENet sees it; true takes it away from ENet.
    virtual bool intercepted(const Address&, Bytes) { return false; }
  };

  EnetHost(Loop& loop, User& user) : loop_(loop), user_(user) {}
  ~EnetHost() override { close(); }
  EnetHost(const EnetHost&) = delete;
  EnetHost& operator=(const EnetHost&) = delete;

  /// Listens. ENet knows IPv4 only.
  Outcome<Address> listen(const Address& at, const EnetOptions& options);
  /// A host of our own, for connect().
  Outcome<Done> open(const EnetOptions& options);
  /// Everything at once; peers hear nothing, nor does the user. Not within a callback of this host.
  void close();
  bool is_open() const { return host_ != nullptr; }

  /// Null when all peers of the host are in use.
  EnetPeer* connect(const Address& to, std::size_t channels, std::uint32_t data);

  /// False if the packet is empty, or ENet does not take it (then it is lost).
  bool send(EnetPeer& peer, std::uint8_t channel, EnetPacket packet);
  /// A datagram beside ENet, from the host's socket.
  void send_raw(const Address& to, Bytes datagram);

  /// What was sent before still arrives; then the peer hears `data`. The user hears disconnected().
  void disconnect(EnetPeer& peer, std::uint32_t data);
  /// The same, but the user hears nothing more of it, and `peer` must not be used again.
  void dismiss(EnetPeer& peer, std::uint32_t data);
  /// At once: what waits is lost, and `data` is said by one datagram, which may be lost, too. The user hears nothing
  /// more of it; `peer` ends with this call. Not of a peer that is gone.
  void drop(EnetPeer& peer, std::uint32_t data);

  /// Among whom it is served. Of a new one: players.
  void set_rank(Rank rank);

  /// Our address; the IP of a host that does not listen is the wildcard.
  Address here() const;

 private:
  static constexpr Millis kHalfOpen = 5'000;  // to acknowledge our answer to a connect; ENet itself waits for 30 s
  static constexpr std::size_t kOfPeers = 4;  // that part of a host's places is for the half open; the oldest goes
  static constexpr std::size_t kFree = 16;    // places kept free, if those who were dismissed are all that holds them
  static constexpr std::size_t kSpare = 256;  // free places that ENet looks at: more than one call of it can fill
  static constexpr Millis kServiceEvery = 8;  // lost packets are sent again no sooner than the host is served
  static constexpr Millis kQuietEvery = 50;   // the same, while all are there and nothing is on its way

  void ready(bool readable, bool writable, bool broken) override;
  void rang() override;
  void at_turn_end() override;

  bool prepare(const EnetOptions& options);
  void flush_later();
  void serve();
  void deal_with(ENetEvent& event);
  EnetPeer& adopt(ENetPeer* raw);
  std::unique_ptr<EnetPeer> forget(EnetPeer& peer);
  void lose(EnetPeer& peer, std::uint32_t data);
  void tell_eased();
  bool half_open() const;
  void keep_time();
  void wake_within(Millis time);
  bool thin(Millis now);
  void shrink(std::size_t used);
  void thin_half_open(Millis now);
  void thin_dismissed(std::size_t most);

  static int intercept(ENetHost* host, ENetEvent* event);
  static void freed(ENetPacket* packet);

  Loop& loop_;
  User& user_;
  ENetHost* host_ = nullptr;
  Poll poll_;
  std::optional<Alarm> alarm_;  // while it is open
  Millis wakes_at_ = 0;         // 0: it does not
  Rank rank_ = Rank::kPlayer;
  std::size_t peers_ = 0;
  std::size_t places_ = 0;        // that ENet has memory for; it walks over the first of them, host_->peerCount
  std::size_t used_ = 0;          // the first of them, up to the last that is taken
  std::vector<Millis> asked_at_;  // by ENet's peer: since when it is half open; 0 = it is not
  std::vector<std::size_t> asking_;
  std::vector<EnetPeer*> dismissed_;
  std::vector<EnetPeer*> eased_;
  bool flushing_ = false;
};

}  // namespace entente::net
