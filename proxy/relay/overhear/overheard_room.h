// The rules of a relay in one session: they hear the words of its frames, and give orders.
// Invariant: they change nothing that passes. If the frames cannot be understood any more, the operator is told once
// (rules::Action::Kind::kLost), and the session goes on without rules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "proxy/relay/base/link_info.h"
#include "proxy/relay/overhear/followed_room.h"
#include "proxy/relay/route/house_rules.h"
#include "proxy/relay/route/relay_rules.h"

namespace entente::relay {

class OverheardRoom final : private FollowedRoom {
 public:
  /// Null: the game has no front or back in this dialect. `rules` outlives it.
  static std::unique_ptr<OverheardRoom> make(const RelayRules& rules, const LinkInfo& session, std::size_t dialect);

  /// One frame, whole. Times as FollowedRoom::received(). False: a rule drops it.
  bool received(const wire::Frame& frame, core::Micros at);
  /// Does what is due.
  void tick(core::Micros at);
  /// When tick() is needed next; the far future if not at all.
  core::Micros wakes_at() const {
    return over().empty() ? std::min(FollowedRoom::wakes_at(), rules_.wakes_at()) : UINT64_MAX;
  }
  /// The session ends.
  void end(core::Micros at);
  /// Something is missing, or cannot be cut into frames. Nothing is heard from now on.
  void lose(const std::string& why);
  /// The client broke its game's rules, or goes on after it has left: what it says cannot be known.
  bool client_is_wrong() const { return client_is_wrong_; }

 private:
  OverheardRoom(const RelayRules& rules, const LinkInfo& session, std::unique_ptr<core::Front> front,
                std::unique_ptr<core::Back> back, std::uint32_t seed);

  void before_call(core::Micros at) override { rules_.tick(at); }
  bool passes(core::Intent& intent) override;
  void told(const core::Fact& fact) override { rules_.told(fact); }
  void settle(core::Micros at);
  void act(rules::Action action);
  void tell_lost(const std::string& why);

  const RelayRules& its_;
  const LinkInfo session_;
  HouseRules rules_;
  bool drops_ = false;  // what is being received
  bool told_lost_ = false, client_is_wrong_ = false;
};

}  // namespace entente::relay
