// Watches one file descriptor on a loop.
// Law: changing what is watched costs two system calls, so an unchanged wish costs none.
#pragma once

#include "proxy/net/loop.h"

namespace entente::net {

class Poll {
 public:
  /// `broken`: the socket has an error; reading it tells which. May destroy its Poll.
  class User {
   public:
    virtual ~User() = default;
    virtual void ready(bool readable, bool writable, bool broken) = 0;
  };

  /// False when the kernel cannot watch one more.
  bool open(Loop& loop, int fd, User& user);
  /// REQUIRES: open.
  void want(bool read, bool write);
  /// Before the file descriptor is closed.
  void close() { handle_.reset(); }
  bool is_open() const { return handle_ != nullptr; }

 private:
  static void on_event(uv_poll_t* handle, int status, int events);

  User* user_ = nullptr;
  Handle<uv_poll_t> handle_;
  int watched_ = 0;
};

}  // namespace entente::net
