// A link: one stream connection to one peer, as a session sees it (tcp.h; enet_host.h and web_link.h have their own
// kinds). Bytes go out in the order sent; what the network does not accept at once waits in the link. The user decides
// how much may wait, and stops reading from whoever fills it:
//
//   to_server.send(Lane::kStream, bytes);                                          // in received() from the client
//   if (to_server.waiting() > limits.high_water) to_client.set_reading(false);
//   if (to_server.waiting() < limits.low_water) to_client.set_reading(true);       // in wrote() of the server's link
//
// Invariant: a call on a link never calls its user back before it returns. A user may close a link in any callback, but
// may destroy it only at the end of the turn.
#pragma once

#include <cstddef>

#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"

namespace entente::net {

class Link {
 public:
  virtual ~Link() = default;

  /// Copies what it cannot write in this turn. Does nothing if the link is closed. REQUIRES: not after shut_down().
  virtual void send(wire::Lane lane, Bytes bytes) = 0;
  /// How many bytes wait in this link because the peer or the network is slow.
  virtual std::size_t waiting() const = 0;
  /// Whether to read from the peer. Off at first.
  virtual void set_reading(bool on) = 0;
  /// Ends sending: what waits goes out, then our direction is closed (half-close).
  virtual void shut_down() = 0;
  /// Closes the link at once; what waits is lost. No callback follows.
  virtual void hang_up() = 0;
  virtual bool is_open() const = 0;
};

/// Called on the loop's thread. It outlives the link.
class LinkUser {
 public:
  virtual ~LinkUser() = default;

  /// The connection that Tcp::connect() began is there.
  virtual void connected(Link&) {}
  /// The bytes are valid only during the call.
  virtual void received(Link& link, wire::Lane lane, Bytes bytes) = 0;
  /// After a call of call_again(): the link is served again, and still read.
  virtual void go_on(Link&) {}
  /// Some of the waiting bytes went out.
  virtual void wrote(Link& link) = 0;
  /// The peer sends nothing more (it may still read).
  virtual void ended(Link& link) = 0;
  /// Reset, unreachable, refused: an errno. The link is closed.
  virtual void broken(Link& link, int error) = 0;
};

}  // namespace entente::net
