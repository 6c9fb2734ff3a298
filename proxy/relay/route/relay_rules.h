// The operator's rules of a relay. A relay's messages become words in a room beside each session
// (overhear/overheard_room.h).
#pragma once

#include <functional>
#include <memory>

#include "proxy/core/room_member.h"
#include "proxy/relay/route/rule_book.h"

namespace entente::relay {

struct RelayRules {
  std::shared_ptr<RuleBook> book;
  /// What a rule drops is not passed on. Then each message waits for the rules, on its worker. Without it, rules hear a
  /// copy, on a thread of their own, and every byte passes.
  bool rewrite = false;
  bool tells = false;  ///< as RouteOptions::announce, for a game that has chat
  std::function<std::unique_ptr<core::Front>(std::size_t dialect)> front;  ///< of the game; on any thread
  std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back;
};

}  // namespace entente::relay
