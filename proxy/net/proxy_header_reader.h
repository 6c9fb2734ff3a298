// Connections from load balancers whose PROXY header has not come yet.
// Law: of what a connection sends, only its header is read. A header takes at most kLargestProxyHeader bytes and
// the time limit of tick(); there are at most kMost such connections, and the oldest makes room for the next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "proxy/net/fd.h"
#include "proxy/net/poll.h"
#include "proxy/net/proxy_header.h"

namespace entente::net {

/// Why a connection has no PROXY header.
enum class NoHeader : std::uint8_t {
  kWrong,    ///< something else came
  kLate,     ///< it did not come in time
  kLeft,     ///< the connection ended first
  kTooMany,  ///< it made room for another connection
  kNoFiles,  ///< the machine cannot watch it
};

class ProxyHeaderReader {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The header came. `client`: as it says; the load balancer itself, if it connects for itself. If the header has no
    /// port, it has the load balancer's.
    virtual void announced(Fd fd, const Address& client) = 0;
    /// No header came. `fault`: what is wrong with it, if that is why.
    virtual void unannounced(Fd fd, const Address& by, NoHeader why, const Fault& fault) = 0;
  };

  static constexpr std::size_t kMost = 1'024;

  ProxyHeaderReader(Loop& loop, User& user) : loop_(loop), user_(user) {}

  void add(Fd fd, const Address& by);
  /// REQUIRES: called regularly. `limit`: milliseconds that a header may take; 0: no limit.
  void tick(std::uint32_t limit);
  /// Closes all of them.
  void close() { waiting_.clear(); }

 private:
  struct One final : Poll::User {
    One(ProxyHeaderReader& its_reader, std::uint64_t its_number) : reader(its_reader), number(its_number) {}
    void ready(bool, bool, bool) override { reader.read(*this); }

    ProxyHeaderReader& reader;
    const std::uint64_t number;
    Fd fd;
    Address by;
    Poll poll;
    Buffer header;  // the first bytes of it
    Millis since = 0;
  };

  void read(One& one);
  void refuse(One& one, NoHeader why, const Fault& fault = Fault{""});
  std::unique_ptr<One> take(const One& one);

  Loop& loop_;
  User& user_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::unique_ptr<One>> waiting_;  // by number: the oldest first
};

}  // namespace entente::net
