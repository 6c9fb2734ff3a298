// A link over one TCP connection. Each readiness is one read into the loop's shared buffer; all that a turn sends is
// one write at its end (a large send is one at once), and only what the kernel does not take waits here. Law: nothing
// is allocated while the kernel takes what is sent.
#pragma once

#include <sys/types.h>

#include <span>

#include "proxy/net/fd.h"
#include "proxy/net/link.h"
#include "proxy/net/poll.h"

namespace entente::net {

class Tcp final : public Link, private Poll::User, private Outbox::Sender {
 public:
  Tcp(Loop& loop, LinkUser& user) : loop_(loop), user_(user) { poll_.set_rank(Rank::kNewcomer); }
  ~Tcp() override { close(); }

  /// Takes a connected socket, also after another one was closed. False when the machine cannot watch it; it is closed
  /// then.
  bool adopt(Fd fd);
  /// Begins to connect; connected() or broken() follows. An errno when it cannot even begin.
  int connect(Fd fd, const Address& to);

  void send(wire::Lane lane, Bytes bytes) override;
  /// The same without a copy: `bytes` stay where they are until the loop's outbox was flushed.
  void lend(Bytes bytes);
  std::size_t waiting() const override { return waiting_.size() - sent_; }
  void read(bool on) override;
  void finish() override;
  /// Closes the link, and leaves the connection to whoever asks. What waited is lost.
  Fd release();
  void close() override;
  bool is_open() const override { return fd_.get() >= 0; }

  /// Among whom it is served. Of a new one: newcomers.
  void set_rank(Rank rank) { poll_.set_rank(rank); }
  /// Something of its peer waits for its turn, and so long did it wait until now: how far we are behind, not the peer.
  bool is_held_up() const { return poll_.waits(); }
  Millis held_up() const { return poll_.held_up(); }

 private:
  void ready(bool readable, bool writable, bool broken) override;
  void write_out(std::span<const Bytes> parts) override;
  bool hears() const { return reading_ && !connecting_ && !peer_ended_; }
  void conclude_connect();
  void receive();
  void flush();
  void empty_outbox();
  void keep(Bytes bytes);
  void make_room(std::size_t more);
  void forget_sent();
  std::size_t write(Bytes bytes);
  std::size_t write(std::span<const Bytes> parts);
  std::size_t taken(ssize_t n);
  void watch();
  void break_off(int error);

  Loop& loop_;
  LinkUser& user_;
  Fd fd_;
  Poll poll_;
  Buffer waiting_;  // from sent_ on: not yet taken by the kernel
  std::size_t sent_ = 0;
  int failed_ = 0;  // errno of a write; told when the loop comes by, never from inside send()
  bool connecting_ = false, reading_ = false, finishing_ = false, peer_ended_ = false;
};

}  // namespace entente::net
