// Connections from load balancers and other proxies that have not named their client yet.
// Invariant: only a PROXY header is taken from a connection. An HTTP request is only peeked at, and left for the
// session. A PROXY header has at most kLargestProxyHeader bytes, the head of a request HttpReader::kMostBytes. The time
// limit of tick() holds for each. There are at most kMost such connections, and the oldest makes room for the next. The
// user is told of a health check only when it says something, or has waited for kCheckSilence.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "proxy/net/fd.h"
#include "proxy/net/poll.h"
#include "proxy/net/proxies/proxy_header.h"
#include "proxy/net/proxies/trusted_proxies.h"
#include "proxy/net/web/http.h"

namespace entente::net {

/// Why a connection did not name its client.
enum class NoHeader : std::uint8_t {
  kWrong,             ///< something else came
  kLate,              ///< it did not come in time
  kLeft,              ///< the connection ended first, or was a health check's
  kTooMany,           ///< it made room for another connection
  kOutOfDescriptors,  ///< the machine cannot watch it
};

class ProxyHeaderReader {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The header came. `client`: the address that it names, with the load balancer's port if it names none. If a PROXY
    /// header names nobody: the load balancer's address. `health_check`: see ProxyHeader; or the header names the
    /// connection in which it came.
    virtual void client_named(Fd fd, const Address& client, bool health_check) = 0;
    /// No header came. `fault`: what is wrong with it, if that is why.
    virtual void client_unnamed(Fd fd, const Address& by, NoHeader why, const Fault& fault) = 0;
  };

  static constexpr std::size_t kMost = 1'024;
  static constexpr Millis kCheckSilence = 1'000;  ///< after that, a health check may wait for the server's greeting

  /// `proxies` outlive it.
  ProxyHeaderReader(Loop& loop, const TrustedProxies& proxies, User& user)
      : loop_(loop), proxies_(&proxies), user_(user) {}
  /// Replaces the proxies. `proxies` outlive it.
  void trust(const TrustedProxies& proxies) { proxies_ = &proxies; }

  void add(Fd fd, const Address& by);
  /// REQUIRES: called regularly. `limit`: milliseconds that a header may take; 0: no limit.
  void tick(std::uint32_t limit);
  /// Closes all of them.
  void close() { waiting_.clear(); }

 private:
  struct One final : Poll::User {
    One(ProxyHeaderReader& its_reader, std::uint64_t its_number) : reader(its_reader), number(its_number) {}
    void ready(bool, bool, bool broken) override {
      if (broken) poll.want(true, false);  // what came before the error is read first
      reader.read(*this);
    }

    ProxyHeaderReader& reader;
    const std::uint64_t number;
    Fd fd;
    Address by;
    Poll poll;
    Buffer header;                     // the first bytes of it
    std::unique_ptr<HttpReader> head;  // used instead of `header` for an HTTP request
    std::size_t heard = 0;             // bytes that `head` was fed
    bool checks = false;               // its header came: it is a health check that has said nothing yet
    Millis since = 0;                  // when the wait began: for the header, then for what a health check says
    Millis queued = 0;                 // of poll, at that time
  };

  void read(One& one);
  void read_proxy_protocol(One& one);
  void read_check(One& one);
  void read_request(One& one);
  void announce(One& one, const Address& client, bool health_check = false);
  void refuse(One& one, NoHeader why, const Fault& fault = Fault{""});
  std::unique_ptr<One> take(const One& one);

  Loop& loop_;
  const TrustedProxies* proxies_;
  User& user_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::unique_ptr<One>> waiting_;  // by number: the oldest first
};

}  // namespace entente::net
