// ENet on libuv: one ENet host (a listener with its clients, or our connections to servers) on one loop.
// Invariant: the socket wakes the host. A timer runs only while there are peers or half-open connections: often while
// something may have to be retransmitted, otherwise seldom. One turn receives at most as many datagrams as one call of
// ENet does. What peers sent is delivered in their own turns (schedule.h): addresses take turns, then their peers.
// Empty packets are never sent: with the range coder they crash ENet. What waits for a peer is counted, so that its
// owner can limit it. What a peer makes ENet keep is limited (enet_memory.h). A client has received our answer before
// its user hears of it: the answer has a random number, which the client must acknowledge.
#pragma once

#include <enet/enet.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "proxy/net/enet/enet_dissector.h"
#include "proxy/net/enet/enet_memory.h"
#include "proxy/net/enet/enet_wire.h"
#include "proxy/net/poll.h"
#include "proxy/net/socket.h"

namespace entente::net {

struct EnetOptions {
  std::size_t peers = 1;                   ///< most at once, 1 to 4095; ENet does not answer further ones
  std::size_t channels = 1;                ///< most that a peer may ask for, 1 to 255
  bool range_coder = false;                ///< both sides must agree, or nothing connects
  std::size_t largest_packet = 1U << 20U;  ///< bytes; a larger one ends its peer
  Source source{};                         ///< of a host of our own
  /// Bytes that ENet keeps for each peer until our user gets its packets, beside two of the largest. One call of ENet
  /// reads up to 256 datagrams before we see what is in them, and a small packet costs ENet about 250 bytes. What does
  /// not fit is sent again, late. Clients send little at once; a server may send its map.
  std::size_t most_at_once = kFromClient;

  static constexpr std::size_t kFromClient = 64 * 1024, kFromServer = 4U << 20U;
  std::size_t most_kept() const { return 2 * largest_packet + most_at_once; }
  /// The part of it that only a packet for which others wait may use: one of the largest, and what comes with it in a
  /// datagram, which has at most 32 commands.
  static constexpr std::size_t reserve(std::size_t largest_packet) { return largest_packet + 16 * 1024; }
};

/// A packet as it was received; sent on without copying.
class EnetPacket {
 public:
  explicit EnetPacket(ENetPacket* packet) : packet_(packet) {}
  EnetPacket(Bytes bytes, EnetDelivery delivery);

  Bytes bytes() const { return {packet_->data, packet_->dataLength}; }
  /// Bytes of memory, with those that ENet, the allocator and a queue need for each packet.
  std::size_t weight() const { return packet_->dataLength + kOverhead; }
  static constexpr std::size_t kOverhead = 128;
  EnetDelivery delivery() const;
  ENetPacket* release() { return packet_.release(); }

 private:
  struct Destroy {
    void operator()(ENetPacket* packet) const { enet_packet_destroy(packet); }
  };
  std::unique_ptr<ENetPacket, Destroy> packet_;
};

class EnetHost;

/// A connected peer that moves from its host to a host of its own, also on another loop. If this object is destroyed,
/// the peer is dropped without notice.
class MovedEnetPeer {
 public:
  MovedEnetPeer() = default;
  ~MovedEnetPeer();
  MovedEnetPeer(const MovedEnetPeer&) = delete;
  MovedEnetPeer& operator=(const MovedEnetPeer&) = delete;

 private:
  friend class EnetHost;
  ENetHost* host_ = nullptr;  // serves this peer alone
};

/// One connection of a host. Lives from connect() or User::connected until disconnected(), or close().
class EnetPeer {
 public:
  EnetPeer() = default;
  ~EnetPeer();
  EnetPeer(const EnetPeer&) = delete;
  EnetPeer& operator=(const EnetPeer&) = delete;

  Address address() const;
  std::size_t channels() const { return peer_->channelCount; }
  /// Bytes sent that the peer has not acknowledged, or that ENet has not put on the wire.
  std::size_t waiting() const { return waiting_; }
  /// In User::disconnected(): whether the peer was given up because nothing came from it any more.
  bool timed_out() const { return timed_out_; }
  /// In User::disconnected(): whether the peer's machine has reported that nothing listens there. timed_out() is true
  /// then, too.
  bool refused() const { return refused_; }
  /// Gives it up after this many milliseconds in which it acknowledges nothing (ENet alone: up to 30 s).
  void give_up_after(Millis silence) {
    const auto most = static_cast<enet_uint32>(silence);
    enet_peer_timeout(peer_, 0, most, most);
    silence_ = most;
  }

  void* owner = nullptr;  ///< for whoever uses the host

 private:
  friend class EnetHost;
  friend class MovedEnetPeer;

  struct Arrived {
    ENetPacket* packet;
    std::uint8_t channel;
  };
  void arrive(const Arrived& one);
  /// The next packet for its user, which counts no longer; null: there is none.
  ENetPacket* next_arrived(std::uint8_t& channel);

  /// Delivers what the peer sent.
  struct Hearing final : Job {
    explicit Hearing(EnetPeer& its) : peer(its) {}
    void run() override;
    using Job::cancel;
    EnetPeer& peer;
  };

  EnetHost* host_ = nullptr;  // null: it is being moved
  ENetPeer* peer_ = nullptr;
  std::size_t waiting_ = 0;
  enet_uint32 silence_ = ENET_PEER_TIMEOUT_MINIMUM;  // how long it acknowledges nothing before ENet gives it up
  enet_uint32 heard_ = 0;                            // when it last acknowledged something, or was created
  Millis leaves_by_ = 0;                             // after disconnect_without_callback(): when it is dropped
  std::uint32_t parting_ = 0;                        // the data of that disconnect
  bool gone_ = false;                                // its user must get no more callbacks about it
  bool drained_ = false;                             // it is in EnetHost::drained_
  bool timed_out_ = false, refused_ = false;
  Hearing hearing_{*this};
  std::vector<Arrived> arrived_;  // in order; ENet would drop them when the peer leaves
  std::size_t delivered_ = 0;     // of arrived_
};

class EnetHost final : private Poll::User, private Alarm::User, private Later {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// `data`: what a client sent when it connected (the game's version number); 0 for our own connections.
    virtual void connected(EnetPeer& peer, std::uint32_t data) = 0;
    virtual void received(EnetPeer& peer, std::uint8_t channel, EnetPacket packet) = 0;
    /// The peer disconnected (with its data), timed out, or never answered. `peer` ends with this call.
    virtual void disconnected(EnetPeer& peer, std::uint32_t data) = 0;
    /// Some of what waited for it went out.
    virtual void wrote(EnetPeer&) {}
    /// ENet refused so many packets or fragments, because too much is kept for their peers. They come again.
    virtual void refused_packets(std::uint32_t /*count*/) {}
    /// Called for each datagram before ENet. True: ENet does not get it.
    virtual bool intercepted(const Address&, Bytes) { return false; }
  };

  EnetHost(Loop& loop, User& user);
  ~EnetHost() override;
  EnetHost(const EnetHost&) = delete;
  EnetHost& operator=(const EnetHost&) = delete;

  /// Listens. ENet knows IPv4 only.
  Outcome<Address> listen(const Address& at, const EnetOptions& options);
  /// A host of our own, for connect().
  Expected<Done, SocketError> open(const EnetOptions& options);
  /// Closes at once, without telling the user. What was sent in this turn goes out. Of the peers, only those of
  /// disconnect_without_callback() are told. REQUIRES: not in a callback of this host.
  void close();
  bool is_open() const { return host_ != nullptr; }

  // A listening host can hand over a peer, with a socket that is connected to it: the kernel gives that socket what the
  // peer sends. A host of its own then serves the peer, on any loop.
  /// A socket for this peer. Callbacks may come meanwhile, also for this peer. Empty: none could be made, or another
  /// process has the newcomers.
  /// REQUIRES: it listens; not in a callback of this host.
  Fd socket_for(const EnetPeer& peer);
  /// Ends `peer` here, without a callback. Null: it is not connected any more, and stays. REQUIRES: `socket` is from
  /// socket_for(); not in a callback of this host.
  std::unique_ptr<MovedEnetPeer> release(EnetPeer& peer, Fd socket);
  /// Serves this peer, and nobody else. Null, with errno: its socket cannot be watched, and the peer is dropped.
  /// REQUIRES: it is not open.
  EnetPeer* take(std::unique_ptr<MovedEnetPeer> moved);
  /// Whether it has no peers.
  bool empty() const { return peers_ == 0; }

  /// Bytes that ENet keeps of what the peer sent, because it is incomplete or out of order.
  std::size_t kept(const EnetPeer& peer) const;

  /// Null when all peers of the host are in use.
  EnetPeer* connect(const Address& to, std::size_t channels, std::uint32_t data);

  /// False if the packet is empty, or ENet does not take it (then it is lost).
  bool send(EnetPeer& peer, std::uint8_t channel, EnetPacket packet);
  /// A datagram beside ENet, from the host's socket.
  void send_raw(const Address& to, Bytes datagram);

  /// Disconnects with `data` after what was sent before. disconnected() follows. REQUIRES: the peer is connected; of
  /// one that is still connecting, ENet would say nothing more.
  void disconnect(EnetPeer& peer, std::uint32_t data);
  /// As disconnect(), but no callback follows, and `peer` must not be used again. If it does not acknowledge everything
  /// within so many milliseconds, it is disconnected as by disconnect_now().
  void disconnect_without_callback(EnetPeer& peer, std::uint32_t data, Millis within);
  /// Whether a peer of disconnect_without_callback() has not acknowledged everything yet, and still has time for it.
  /// False if the host is closed.
  bool awaits_leaving() const;
  /// Disconnects at once. What waits is lost. `data` is sent in one datagram, which may be lost too. No callback
  /// follows; `peer` ends with this call. REQUIRES: the peer is not gone.
  void disconnect_now(EnetPeer& peer, std::uint32_t data);

  /// Gives each peer a socket of its own, so that another process can accept the newcomers, at `twin` (udp_twin.h).
  /// Peers that are connected or connecting stay. Callbacks may follow meanwhile. False, with errno: it cannot be done;
  /// call take_back(). REQUIRES: it listens; not in a callback of this host.
  bool release_newcomers(int twin);
  /// This host accepts the newcomers again. REQUIRES: `twin` is closed or silent.
  void take_back();

  /// The group in which it is served. Initially players.
  void set_priority(Priority priority);
  /// Whose turn it shares. Initially a party of its own. Peers of a host that listens share that of their address.
  void set_party(std::shared_ptr<Party> party);

  /// Our address; the IP of a host that does not listen is the wildcard.
  Address local_address() const;

 private:
  friend class EnetPeer;

  /// A peer whose packets are being delivered. Its user may end it, and may serve the host, in that call.
  struct Delivery {
    EnetPeer* peer;  // null: it was ended
    Delivery* outer;
  };

  static constexpr Millis kHalfOpen = 5'000;  // to acknowledge our answer to a connect; ENet itself waits for 30 s
  static constexpr std::size_t kPlacesPerHalfOpen = 4;  // at most one half-open peer for so many places
  static constexpr std::uint8_t kMostGuesses = 4;  // wrong acknowledgements of a half-open peer; a client sends none
  static constexpr std::size_t kFree = 16;         // places that are kept free by dropping peers that leave
  static constexpr std::size_t kSpare = 256;       // free places that ENet looks at: more than one call of it can fill
  static constexpr Millis kServiceEvery = 8;  // how often it is served otherwise; only then are lost packets sent again
  static constexpr Millis kQuietEvery = 50;   // how often it is served while no peer comes or goes and nothing waits

  struct PeerSocket;

  void ready(bool readable, bool writable, bool broken) override;
  void ready(PeerSocket& socket, bool broken);
  void rang() override;
  void at_turn_end() override;

  void use(Fd bound, const ENetAddress& address);
  bool prepare(const EnetOptions& options);
  bool watch();
  void flush_later();
  void serve();
  bool serve(int socket);
  bool give_sockets();
  std::optional<std::size_t> give_some_sockets();
  void tidy_sockets();
  void deal_with(ENetEvent& event);
  void dispatch();
  void hear(EnetPeer& peer);
  bool deliver(EnetPeer& peer, bool all);
  void end_deliveries(const EnetPeer& peer);
  void hear_later(EnetPeer& peer) { loop_.serve(peer.hearing_); }
  void set_turn(EnetPeer& peer);
  void set_turns();
  void lose_refused();
  EnetPeer& adopt(ENetPeer* raw);
  std::unique_ptr<EnetPeer> forget(EnetPeer& peer);
  void lose(EnetPeer& peer, std::uint32_t data);
  void tell_drained();
  bool half_open() const;
  void keep_time();
  void wake_within(Millis time);
  bool drop_half_open_and_gone();
  void scan_only(std::size_t used);
  void drop_half_open();
  void note_connect();
  void note_guess(const EnetHeader& header, Bytes datagram);
  void charge(std::size_t place);
  static bool reads_next();
  void drop_leaving(std::size_t least);

  static bool renumber(ENetHost* host);
  static int intercept(ENetHost* host, ENetEvent* event);
  static void freed(ENetPacket* packet);

  Loop& loop_;
  User& user_;
  ENetHost* host_ = nullptr;
  Poll poll_;
  std::optional<Alarm> alarm_;  // while it is open
  Millis wakes_at_ = 0;         // 0: it does not
  Priority priority_ = Priority::kPlayer;
  std::shared_ptr<Party> party_ = std::make_shared<Party>();
  std::size_t peers_ = 0;
  std::size_t places_ = 0;                    // that ENet has memory for; it uses the first host_->peerCount of them
  std::size_t used_ = 0;                      // places up to the last one that is taken
  std::size_t most_kept_ = 0;                 // bytes for each peer
  std::size_t charge_place_ = 0;              // of the peer whose datagram ENet reads
  std::vector<EnetAllowanceRef> allowances_;  // by place; made when the first datagram comes from there
  std::vector<std::uint64_t> asked_at_;       // by place: when a connect last asked for it, in ns
  std::vector<std::uint8_t> guesses_;         // by place: wrong acknowledgements since a connect asked for it
  std::unique_ptr<EnetUnpacker> unpacker_;    // of a host that listens
  std::vector<std::size_t> asking_;           // the half-open ones; used by drop_half_open_and_gone() alone
  std::vector<EnetPeer*> leaving_;            // those of disconnect_without_callback() that have not acknowledged
  std::vector<EnetPeer*> drained_;
  Delivery* delivery_ = nullptr;  // the innermost one
  bool listens_ = false;
  bool flushing_ = false;
  bool sole_ = false;                      // its socket is connected to its only peer
  bool refused_ = false;                   // nothing listens there
  std::optional<enet_uint32> refused_at_;  // when that was first reported, if nothing came from the peer since
  bool released_ = false;                  // another process has the newcomers
  bool moved_ = false;                     // its only peer is from another host
  std::unordered_map<Address, std::unique_ptr<PeerSocket>, AddressHash>
      sockets_;  // of peers, after release_newcomers()
};

}  // namespace entente::net
