// An acceptor whose clients come by UDP alone, and who stay with it: all their sessions live on the route's home
// worker.
#pragma once

#include "proxy/base/fault.h"
#include "proxy/base/limits.h"
#include "proxy/base/time.h"
#include "proxy/net/address.h"
#include "proxy/relay/inquiry.h"

namespace entente::relay {

class UdpAcceptor {
 public:
  virtual ~UdpAcceptor() = default;
  /// Listens; returns where.
  virtual Outcome<net::Address> open(const net::Address& at) = 0;
  /// Ends all sessions; empty() once they are gone.
  virtual void stop() = 0;
  virtual bool empty() const = 0;
  virtual void tick(Millis now) = 0;
  virtual void ask(const Question& question, Inquiry::Part& part) = 0;
  /// A session is gone that was seated with a worker (a bridge's).
  virtual void left(const net::Address& /*client*/, bool /*server_unreached*/) {}
  virtual void set_limits(const Limits& limits) = 0;
  virtual void set_access(std::vector<Access> access) = 0;
};

}  // namespace entente::relay
