// Finds out which dialect a server speaks by connecting to it and listening.
// Law: not one byte is sent to it.
#pragma once

#include "proxy/base/limits.h"
#include "proxy/net/tcp.h"
#include "proxy/relay/route.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

class SilentProbe final : private net::LinkUser {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// Exactly one of the two follows start(); the next start() is allowed from then on.
    virtual void probed(std::size_t dialect) = 0;
    virtual void probe_failed(Reason why) = 0;
  };

  SilentProbe(WorkerRoute& worker_route, User& user)
      : worker_route_(worker_route), user_(user), link_(worker_route.loop, *this) {}

  /// REQUIRES: not running.
  void start(const Limits& limits);
  void tick(Millis now);
  void close() { link_.close(); }

 private:
  void connected(net::Link& link) override {
    reached_ = true;
    link.read(true);
  }
  void received(net::Link& link, wire::Lane lane, Bytes bytes) override;
  void wrote(net::Link&) override {}
  void ended(net::Link& link) override;
  void broken(net::Link& link, int error) override;

  void try_next();
  void fail(Reason why);

  WorkerRoute& worker_route_;
  User& user_;
  net::Tcp link_;
  Buffer said_;
  std::size_t next_ = 0, most_ = 0;
  Millis until_ = 0;
  bool reached_ = false;
};

}  // namespace entente::relay
