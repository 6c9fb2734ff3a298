// Datagrams of one client that a listener's socket has received, and that wait for the turn of the client's address
// (schedule.h).
// Invariant: bounded. While the loop keeps up, a datagram is handed on at once, and not copied.
#pragma once

#include <memory>
#include <utility>

#include "proxy/net/loop.h"
#include "proxy/relay/ends/datagram_queue.h"

namespace entente::relay {

class DatagramInbox final : private net::Job {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// May be called within put(). `datagram` is valid during the call.
    virtual void take_datagram(const net::Address& from, Bytes datagram) = 0;
  };

  static constexpr std::size_t kMost = 64 * 1024;  // bytes

  /// `party`: of the client's address. Null: as in Job::set_party.
  DatagramInbox(net::Loop& loop, User& user, std::shared_ptr<net::Party> party) : loop_(loop), user_(user) {
    set_party(std::move(party));
  }

  /// False: too many wait, and this one is lost.
  bool put(const net::Address& from, Bytes datagram) {
    if (!waits() && !loop_.is_behind() && !loop_.time_is_up()) return user_.take_datagram(from, datagram), true;
    if (!queue_.put(0, from, datagram)) return false;
    loop_.serve(*this);
    return true;
  }

 private:
  void run() override {
    const auto take = [this](LinkId, const net::Address& from, Bytes datagram) { user_.take_datagram(from, datagram); };
    if (!queue_.take(take, [this] { return !loop_.time_is_up(); })) loop_.serve(*this);
  }

  net::Loop& loop_;
  User& user_;
  DatagramQueue queue_{kMost, 4 * 1024};
};

}  // namespace entente::relay
