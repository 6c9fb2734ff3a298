// Watches a file descriptor on a loop. The user is called when its group is served (schedule.h), not from inside the
// loop's search for events.
// Invariant: changing what is watched costs two system calls; setting it to the same costs none. A descriptor that is
// ready and waits to be served is not watched meanwhile, so that the loop does not find it repeatedly.
#pragma once

#include "proxy/net/loop.h"

namespace entente::net {

class Poll final : private Job {
 public:
  /// `broken`: the socket has an error, which reading it returns. May destroy its Poll.
  class User {
   public:
    virtual ~User() = default;
    virtual void ready(bool readable, bool writable, bool broken) = 0;
  };

  /// False, with errno, if the kernel cannot watch the descriptor.
  bool open(Loop& loop, int fd, User& user);
  /// REQUIRES: open.
  void want(bool read, bool write);
  /// The user has not read everything and wants to be called again when its group is served next. REQUIRES: open.
  void again();
  /// Stops watching. Call it before the file descriptor is closed.
  void close();
  bool is_open() const { return handle_ != nullptr; }

  using Job::queued_millis;  ///< since open()
  using Job::set_party;
  using Job::set_priority;
  using Job::waits;

 private:
  static constexpr int kBroken = 1 << 8;  // beside libuv's events

  static void on_event(uv_poll_t* handle, int status, int events);
  void run() override;
  void watch(int events);

  Loop* loop_ = nullptr;
  User* user_ = nullptr;
  Handle<uv_poll_t> handle_;
  int wanted_ = 0, watched_ = 0;
  int due_ = 0;           // what the user is to be told when it is served
  bool resting_ = false;  // not watched until then
};

}  // namespace entente::net
