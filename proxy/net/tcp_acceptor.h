// Accepts TCP connections, even if the process has no file descriptor left: one is kept in reserve, so that a new
// connection can be accepted, told why and closed instead of keeping the loop busy.
#pragma once

#include <memory>

#include "proxy/net/fd.h"
#include "proxy/net/poll.h"

namespace entente::net {

class TcpAcceptor final : private Poll::User {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// May close the acceptor.
    virtual void accepted(Fd fd, const Address& from) = 0;  ///< non-blocking, close-on-exec
    /// There is no file descriptor for this connection: `fd` is the one in reserve. REQUIRES: closed in the call.
    virtual void starved(Fd fd, const Address& from) = 0;
  };

  /// Newcomers are served in a turn of their own (schedule.h). `user` outlives it.
  TcpAcceptor(Loop& loop, User& user) : loop_(loop), user_(user) { poll_.set_party(std::make_shared<Party>()); }
  /// Accepts until close(). `listening`: non-blocking, from net::listen(). False: the kernel cannot watch it.
  bool open(Fd listening);
  void close();
  /// Another descriptor of the listening socket. Empty: errno says why.
  Fd copy() const;
  /// While `on`, accepts nobody: newcomers are left to others that accept from the same socket.
  void pause(bool on);
  /// Retries after accepting failed. REQUIRES: called regularly.
  void resume();

 private:
  void ready(bool readable, bool writable, bool broken) override;
  bool accept_one();
  bool accept_with_reserve();

  Loop& loop_;
  User& user_;
  Fd listening_;
  Fd reserve_;
  bool paused_ = false;
  Poll poll_;
};

}  // namespace entente::net
