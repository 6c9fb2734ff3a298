// One of the links of a session that has a room, whatever carries it: whole frames come in, whole frames go out. Any
// kind of end meets any other, because a room sees nothing but this. Law: send(), part() and hang_up() call nobody
// back; an end is not destroyed in one of its callbacks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/base/limits.h"
#include "proxy/core/session.h"
#include "proxy/net/socket.h"
#include "proxy/relay/ends/enet_client.h"
#include "proxy/relay/ends/link_side.h"
#include "proxy/relay/route.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

class End {
 public:
  /// Why nothing more will be heard of a peer.
  struct Departure {
    enum class How : std::uint8_t {
      kLeft,      ///< it said so, or ended its stream
      kBroke,     ///< reset, unreachable, refused: `error` is an errno
      kWrong,     ///< it broke its game's framing, or what carries it
      kDeclined,  ///< it answered the WebSocket's request with something else
      kUnwanted,  ///< we declined its WebSocket's request
      kVisited,   ///< it asked for a page, and got it
      kFlooded,   ///< it sent more than may wait while it was not read; `fault` says so
    } how = How::kLeft;
    int error = 0;
    Fault fault{""};
    std::string why{};       ///< for a person; may be empty
    std::uint32_t code = 0;  ///< its game's own reason, where what carries it has one; else 0
  };

  class User {
   public:
    virtual ~User() = default;
    /// The peer may be spoken to.
    virtual void opened(End& end, const core::Peer& peer) = 0;
    /// The dialect of a peer that was to be found out, before anything is received; nothing: it cannot be told.
    virtual void found(End&, std::optional<std::size_t> /*dialect*/) {}
    /// Whole frames of the stream, one or more, or one message or datagram.
    virtual void received(End& end, Lane lane, Bytes bytes, std::size_t frames) = 0;
    /// What its transport says beside the game, of so many bytes: a WebSocket's ping or pong. It was dealt with.
    virtual void received_control(End&, std::size_t /*bytes*/) {}
    /// Some of what waited went out.
    virtual void wrote(End& end) = 0;
    /// Once. The link may still be open: what was sent is on its way.
    virtual void departed(End& end, const Departure& departure) = 0;
    /// After it departed, or was told to part: nothing is left to go out and the peer is gone.
    virtual void over(End& end) = 0;
    /// A WebSocket's request, by its path: the route that serves it; null if none does.
    virtual WorkerRoute* route_for(std::string_view path) = 0;
  };

  virtual ~End() = default;

  /// Takes an accepted connection (by ENet: the peer that the options name); opened() follows, perhaps before this
  /// returns. False when the machine cannot watch it.
  virtual bool adopt(net::Fd client) = 0;
  /// Connects; opened() or departed() follows. An errno when it cannot even begin. May be called again after hang_up().
  virtual int connect(const net::Address& server, net::Sockets sockets) = 0;

  virtual void send(Lane lane, Bytes frame) = 0;
  /// The same, without a copy where that can be: `frame` stays where it is until flush(), and then until the loop's
  /// outbox was flushed.
  virtual void lend(Lane lane, Bytes frame) { send(lane, frame); }
  /// Tells the tap what was just sent, or is being received, in the way that it travels.
  virtual void tell(TapSink& tap, LinkId link, wire::Way way, Lane lane, Bytes bytes, WallTime at) const {
    tap.bytes(link, way, lane, bytes, at);
  }
  /// Out with what was sent in this turn.
  virtual void flush() {}
  virtual std::size_t waiting() const = 0;
  virtual void read(bool on) = 0;
  /// Among whom it is served. Of a new one: newcomers. A client who came by ENet is served with the others of its host.
  virtual void set_rank(net::Rank) {}
  // As Tcp has them.
  virtual bool is_held_up() const { return false; }
  virtual Millis held_up() const { return 0; }
  /// The peer's dialect is another than was assumed. REQUIRES: nothing of a stream was heard of it yet.
  virtual void hears(std::size_t /*dialect*/) {}
  /// A datagram that the listener heard.
  virtual void datagram(const net::Address&, Bytes) {}
  /// When the last datagram came; 0: never.
  virtual Millis last_datagram() const { return 0; }

  /// What was sent goes out, then our side is closed. `code`: the game's own; 0: none.
  virtual void part(std::string_view why, std::uint32_t code) = 0;
  /// Our side is closed so many milliseconds after part(), where what carries the link can wait; until then the peer is
  /// not heard.
  virtual void closes_after(Millis /*part*/) {}
  /// Lets go of the connection, which stays up, and is closed for its own part. Empty if it cannot do so.
  virtual net::Fd release() { return {}; }
  /// At once, whatever waits.
  virtual void hang_up() = 0;
  virtual bool is_open() const = 0;
  virtual net::Address here() const = 0;  ///< our address on it
};

/// What an end needs to know of its session.
struct EndOptions {
  Facing facing = Facing::kClient;
  const wire::Game& game;
  std::size_t dialect = 0;
  const Limits& limits;
  /// The peer's dialect is told by what it says first, and its owner sends it nothing before (Probe::kFirstSession).
  bool finds_dialect = false;
  /// What is sent goes out when flush() is called, not at the end of the turn, where its transport can keep it until
  /// then.
  bool gathers = false;
  EnetCaller enet{};  ///< a client that came by ENet
};

/// The end that this game's transport wants. `route`, `user` and what `options` name outlive it.
std::unique_ptr<End> make_end(WorkerRoute& worker_route, End::User& user, const EndOptions& options);

}  // namespace entente::relay
