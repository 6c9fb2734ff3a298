// A link over one TCP connection to one peer. Each readiness is one read into the loop's shared buffer. Everything sent
// in a turn is one write at its end (a large send is written at once), in the order sent; only what the kernel does not
// accept waits here. The user decides how much may wait, and stops reading from whoever fills it:
//
//   to_server.send(Lane::kStream, bytes);                                          // in received() from the client
//   if (to_server.waiting() > limits.high_water) to_client.set_reading(false);
//   if (to_server.waiting() < limits.low_water) to_client.set_reading(true);       // in wrote() of the server's link
//
// Invariant: nothing is allocated as long as the kernel accepts what is sent. A call on a link never calls its user
// back before it returns. A user may close a link in any callback, but may destroy it only at the end of the turn.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <utility>

#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/net/fd.h"
#include "proxy/net/output/waiting_bytes.h"
#include "proxy/net/poll.h"

namespace entente::net {

class Tcp;

/// Called on the loop's thread. It outlives the link.
class TcpUser {
 public:
  virtual ~TcpUser() = default;

  /// The connection that Tcp::connect() began is there.
  virtual void connected(Tcp&) {}
  /// The bytes are valid only during the call.
  virtual void received(Tcp& link, wire::Lane lane, Bytes bytes) = 0;
  /// After a call of call_again(): the link is served again, and still read.
  virtual void go_on(Tcp&) {}
  /// Some of the waiting bytes went out.
  virtual void wrote(Tcp& link) = 0;
  /// The peer sends nothing more (it may still read).
  virtual void ended(Tcp& link) = 0;
  /// Reset, unreachable, refused: an errno. The link is closed.
  virtual void broken(Tcp& link, int error) = 0;
};

class Tcp final : private Poll::User, private Outbox::Sender {
 public:
  Tcp(Loop& loop, TcpUser& user) : loop_(loop), user_(user) { poll_.set_priority(Priority::kNewcomer); }
  ~Tcp() { hang_up(); }
  Tcp(const Tcp&) = delete;
  Tcp& operator=(const Tcp&) = delete;

  /// Takes over a connected socket. May be called again after hang_up(). False, with errno: the machine cannot watch
  /// the socket, which is then closed.
  bool adopt(Fd fd);
  /// Starts connecting; connected() or broken() follows. Returns an errno if it cannot start (connect_stream()).
  /// `first`: goes out before all else.
  int connect(Fd fd, const Address& to, Bytes first = {});

  /// Copies what it cannot write in this turn. Does nothing if the link is closed. REQUIRES: not after shut_down().
  void send(wire::Lane lane, Bytes bytes);
  /// As send(), without a copy: the bytes must stay valid until the loop's outbox is flushed. If they have an owner,
  /// what waits after that refers to them.
  void lend(const SharedBytes& shared);
  /// How many bytes wait in this link because the peer or the network is slow.
  std::size_t waiting() const { return waiting_.size(); }
  /// The memory that waits (WaitingBytes::weight).
  std::size_t weight() const { return waiting_.weight(); }
  /// Whether to read from the peer. Off at first.
  void set_reading(bool on);
  bool is_reading() const { return reading_; }
  /// The user has not dealt with everything that was received: go_on() follows when the link is served next, unless it
  /// is not read then, and nothing is read before. A job that takes long does this when Loop::time_is_up().
  void call_again();
  /// Ends sending: what waits goes out, then our direction is closed (half-close).
  void shut_down();
  /// Closes the link and returns the connection to the caller. What waited is lost.
  Fd release();
  /// Closes the link at once; what waits is lost. No callback follows.
  void hang_up();
  /// As hang_up(), but the peer gets a reset, and no end.
  void reset();
  bool is_open() const { return fd_.get() >= 0; }

  /// The group in which it is served. Initially newcomers.
  void set_priority(Priority priority) { poll_.set_priority(priority); }
  /// Whose turn it shares. Initially the loop's.
  void set_party(std::shared_ptr<Party> party) { poll_.set_party(std::move(party)); }
  /// How many bytes one read takes at most: the rest waits, and others are served first. Initially the loop's buffer.
  void set_largest_read(std::size_t bytes) { largest_read_ = bytes; }
  /// What the peer sent before it left is received first, however long the link is not read: until then, it does not
  /// break. Initially, a link that is not read breaks as soon as a write fails.
  void set_patient() { patient_ = true; }
  /// Whether the peer has closed its direction or has gone, as far as the kernel can tell, whatever it sent before.
  /// Works also while the link does not read.
  bool peer_has_ended() const;
  /// Whether the link has data to read, but waits until the loop serves it. That is our delay, not the peer's.
  bool is_unserved() const { return poll_.waits(); }
  /// When bytes last came; 0: none did.
  Millis last_received() const { return last_received_; }
  /// How long the link has waited to be served so far, in total, since adopt() or connect().
  Millis unserved_millis() const { return poll_.queued_millis(); }

 private:
  void ready(bool readable, bool writable, bool broken) override;
  void write_out(std::span<const Outbox::Part> parts) override;
  bool hears() const { return reading_ && !connecting_ && !peer_ended_; }
  bool is_patient() const { return patient_ && !peer_ended_; }
  void conclude_connect();
  void receive();
  void flush();
  void empty_outbox();
  void keep(const SharedBytes& shared);
  std::size_t write(Bytes bytes);
  std::size_t write(std::span<const Outbox::Part> parts);
  std::size_t write_waiting();
  std::size_t taken(ssize_t n);
  void fail(int error);
  void watch();
  void break_off(int error);

  Loop& loop_;
  TcpUser& user_;
  Fd fd_;
  Poll poll_;
  WaitingBytes waiting_;  // not yet taken by the kernel
  std::size_t largest_read_ = ~std::size_t{0};
  Millis last_received_ = 0;
  int failed_ = 0;  // errno of a write; reported by the loop, never from inside send()
  bool connecting_ = false, reading_ = false, shutting_down_ = false, peer_ended_ = false;
  bool again_ = false;    // go_on() is due
  bool patient_ = false;  // as of set_patient()
};

}  // namespace entente::net
