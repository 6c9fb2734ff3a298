// A link of a session with a room, over any transport: whole frames in, whole frames out. A room sees only this
// interface, so any transport can be bridged to any other.
// Invariant: send(), shut_down() and hang_up() never call the user back. An end must not be destroyed in one of its
// callbacks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/base/limits.h"
#include "proxy/base/shared_bytes.h"
#include "proxy/core/room_member.h"
#include "proxy/net/socket.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/base/reason.h"
#include "proxy/relay/ends/enet_peer_user.h"
#include "proxy/relay/ends/outgoing.h"
#include "proxy/relay/ends/relay_link.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

class End {
 public:
  /// Why a peer is gone.
  struct Departure {
    enum class How : std::uint8_t {
      kLeft,      ///< it said so, or ended its stream
      kBroke,     ///< reset, unreachable, refused: `error` is an errno
      kWrong,     ///< it broke its game's framing, or what carries it
      kDeclined,  ///< it answered the WebSocket's request with something else
      kUnwanted,  ///< we declined its WebSocket's request
      kDraining,  ///< the route takes no newcomers
      kFlooded,   ///< it sent more than may wait while it was not read; `fault` says so
    } how = How::kLeft;
    int error = 0;
    Fault fault{""};
    std::string why{};       ///< for a person; may be empty
    std::uint32_t code = 0;  ///< the reason as a number of its game, if the transport carries one; else 0
  };

  class User {
   public:
    virtual ~User() = default;
    /// The link is up: the peer can be sent to.
    virtual void opened(End& end, const core::Peer& peer) = 0;
    /// The detected dialect of the peer, before anything is received. Nothing: it cannot be detected.
    virtual void found(End&, std::optional<std::size_t> /*dialect*/) {}
    /// What the peer sent. The bytes of a message or of a datagram come in one call.
    virtual void on_frames(End& end, const Frames& frames) = 0;
    /// The peer sent something that on_frames() is not told of: WebSocket pings and pongs, frame headers, TLS overhead,
    /// empty packets. It was handled, and counts against the peer's rates.
    virtual void received_besides(End&, std::size_t /*bytes*/, std::size_t /*messages*/) {}
    /// Some of the waiting bytes were sent.
    virtual void wrote(End& end) = 0;
    /// The peer is gone. Called once. The link may still be open, to send what waits.
    virtual void departed(End& end, const Departure& departure) = 0;
    /// The link is closed, after departed() or shut_down().
    virtual void over(End& end) = 0;
    /// The route that serves the path of a WebSocket request; null if there is none.
    virtual WorkerRoute* route_for(std::string_view path) = 0;
  };

  explicit End(User& user) : user_(&user) {}
  virtual ~End() = default;
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  /// From now on, it calls this user. A callback that is under way goes on with the old one.
  void set_user(User& user) { user_ = &user; }

  /// Takes an accepted connection (by ENet: the peer that the options name); opened() follows, perhaps before this
  /// returns. False when the machine cannot watch it.
  virtual bool adopt(net::Fd client) = 0;
  /// Connects; opened() or departed() follows. An errno when it cannot even begin. May be called again after hang_up().
  virtual int connect(const net::Address& server, Outgoing outgoing) = 0;

  virtual void send(Lane lane, Bytes frame) = 0;
  /// As send(), if possible without a copy. The frame must stay valid until flush() was called and the loop's outbox is
  /// flushed, and as long as its owner is kept.
  virtual void lend(Lane lane, const SharedBytes& frame) { send(lane, frame.bytes); }
  /// Records what was just sent, or is being received, with the properties that the transport gives it.
  virtual void tell(TapSink& tap, LinkId link, wire::Way way, Lane lane, Bytes bytes, WallTime at) const {
    tap.bytes(link, way, lane, bytes, at);
  }
  /// Sends what was gathered since the last flush().
  virtual void flush() {}
  virtual std::size_t waiting() const = 0;
  /// The memory that waits because of this peer. What it shares with others counts in part.
  virtual std::size_t weight() const { return waiting(); }
  virtual void set_reading(bool on) = 0;
  /// The group in which it is served. Initially newcomers. A client over ENet is served with its host.
  virtual void set_priority(net::Priority) {}
  // As in Tcp.
  virtual bool is_unserved() const { return false; }
  virtual Millis unserved_millis() const { return 0; }
  /// When bytes last came, also those of a message that is not complete yet; 0: never, or only messages are seen.
  virtual Millis last_received() const { return 0; }
  /// Changes the dialect of the peer. REQUIRES: nothing was received on the stream yet.
  virtual void set_peer_dialect(std::size_t /*dialect*/) {}
  /// A datagram from this peer that the listener received.
  virtual void datagram(const net::Address&, Bytes) {}
  /// When the last datagram came; 0: never.
  virtual Millis last_datagram() const { return 0; }

  /// Sends what waits, then closes our direction. `code`: the reason as a number of the game; 0: none.
  virtual void shut_down(std::string_view why, std::uint32_t code) = 0;
  /// Delays the closing after shut_down() by `delay`, if the transport can. What the peer sends meanwhile is discarded.
  virtual void delay_close(Millis /*delay*/) {}
  /// Closes the link and returns its connection, still open, to the caller. Empty if the transport cannot do so.
  virtual net::Fd release() { return {}; }
  /// Closes the link at once, whatever waits.
  virtual void hang_up() = 0;
  virtual bool is_open() const = 0;
  virtual net::Address local_address() const = 0;  ///< our address on it

 protected:
  User& user() const { return *user_; }

 private:
  User* user_;
};

/// What an end needs to know of its session.
struct EndOptions {
  Facing facing = Facing::kClient;
  const wire::Game& game;
  std::size_t dialect = 0;
  const Limits& limits;
  /// Detect the dialect from the peer's first bytes. The owner sends nothing before (Probe::kFirstSession).
  bool finds_dialect = false;
  /// Send when flush() is called instead of at the end of the turn, if the transport can.
  bool gathers = false;
  /// How many bytes of a stream are read at once, so that others have their turn; 0: as many as fit into the loop's
  /// buffer.
  std::size_t largest_read = 0;
  /// A client's address; behind a proxy, the one that the proxy has named.
  net::Address client{};
  /// A server's end: the client that it works for, whose address has a part of the server's turn.
  net::Address works_for{};
  /// Whose turn a client's end shares; null: the loop's. A server's shares that of its server.
  std::shared_ptr<net::Party> party{};
  /// Those that a client's datagrams count against, beside its own; null: none.
  std::shared_ptr<SharedRates> rates{};
  AcceptedEnetPeer enet{};                     ///< a client that came by ENet
  std::shared_ptr<net::HeardRequest> heard{};  ///< a client over WebSocket: what was read of it
};

/// Makes the end for the transport of the game. `worker_route`, `user` and what `options` refers to outlive it.
std::unique_ptr<End> make_end(WorkerRoute& worker_route, End::User& user, const EndOptions& options);

}  // namespace entente::relay
