// Connections from load balancers whose PROXY header has not come yet.
// Law: of what a connection sends, only its header is read. A header takes at most net::kLargestProxyHeader bytes and
// the time limit of tick(); there are at most kMost such connections, and the oldest makes room for the next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "proxy/net/fd.h"
#include "proxy/net/poll.h"
#include "proxy/net/proxy_header.h"
#include "proxy/relay/sessions/reason.h"

namespace entente::relay {

class ProxyHeaderReader {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The header came. `client`: as it says; the load balancer itself, if it connects for itself. `by`: the load
    /// balancer.
    virtual void announced(net::Fd fd, const net::Address& client, const net::Address& by) = 0;
    /// There is no header, or none in time.
    virtual void unannounced(net::Fd fd, const net::Address& by, Reason why, const Fault& fault) = 0;
  };

  static constexpr std::size_t kMost = 1'024;

  ProxyHeaderReader(net::Loop& loop, User& user) : loop_(loop), user_(user) {}

  void add(net::Fd fd, const net::Address& by);
  /// REQUIRES: called regularly. `limit`: milliseconds that a header may take; 0: no limit.
  void tick(std::uint32_t limit);
  /// Closes all of them.
  void close() { waiting_.clear(); }

 private:
  struct One final : net::Poll::User {
    One(ProxyHeaderReader& its_reader, std::uint64_t its_number) : reader(its_reader), number(its_number) {}
    void ready(bool, bool, bool) override { reader.read(*this); }

    ProxyHeaderReader& reader;
    const std::uint64_t number;
    net::Fd fd;
    net::Address by;
    net::Poll poll;
    Buffer header;  // the first bytes of it
    Millis since = 0;
  };

  void read(One& one);
  void refuse(One& one, Reason why, const Fault& fault);
  std::unique_ptr<One> take(const One& one);

  net::Loop& loop_;
  User& user_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::unique_ptr<One>> waiting_;  // by number: the oldest first
};

}  // namespace entente::relay
