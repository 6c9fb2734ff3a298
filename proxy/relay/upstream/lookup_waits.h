// Wakes those on one worker who wait until a host name has been looked up.
// Invariant: lives on its worker's thread. Everybody who waits is called once, in the order of their sessions.
#pragma once

#include <set>
#include <utility>

#include "proxy/relay/base/link_info.h"

namespace entente::relay {

class LookupWaits {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// A lookup has ended. The user does not wait any more.
    virtual void looked_up() = 0;
  };

  /// `link`: of the user's session.
  void add(LinkId link, User& user) { waiting_.emplace(link, &user); }
  void remove(LinkId link, User& user) {
    waiting_.erase({link, &user});
    due_.erase({link, &user});
  }

  /// `answers`: how many lookups have ended so far.
  void tell(std::uint64_t answers) {
    if (std::exchange(answers_, answers) == answers) return;
    // Who waits again, for another name, is called after the next lookup.
    due_.merge(waiting_);
    while (!due_.empty()) due_.extract(due_.begin()).value().second->looked_up();
  }

 private:
  using Waiting = std::pair<LinkId, User*>;
  std::set<Waiting> waiting_, due_;
  std::uint64_t answers_ = 0;
};

}  // namespace entente::relay
