// The options of a shared room: its back, its bots, its chat rules and its tap. A route refers to the room by number
// (BridgeOptions::shared_room).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/core/bot/stand_ins.h"
#include "proxy/core/chat.h"
#include "proxy/core/room_member.h"
#include "proxy/net/loop.h"
#include "proxy/relay/broadcast/broadcast.h"
#include "proxy/relay/route/rule_book.h"
#include "proxy/relay/sessions/annex.h"
#include "proxy/relay/tap/tap_sink.h"

namespace entente::relay {

struct SharedRoomOptions {
  std::string name;                                   ///< for the log: "a replay of evening.mcap"
  std::string arena = {};                             ///< its name, for hooks; "": it is no arena
  const wire::Game* game = nullptr;                   ///< under which its words are recorded; outlives the ProxyServer
  std::function<std::unique_ptr<core::Back>()> back;  ///< called once, on the shared room's thread
  /// Makes the room's annex, on the room's thread, before the back. May be empty.
  std::function<std::unique_ptr<Annex>(SharedRoom& room, net::Loop& loop)> annex = {};
  core::StandInOptions stand_ins;  ///< the bots that play while there are few people
  core::ChatRules chat;
  std::uint32_t seed = 0;          ///< of the room's random numbers; 0: a random one
  core::Micros lockstep_tick = 0;  ///< not 0: time advances when the guests ask for it, in steps of this length
  bool record_secrets = false;
  Tap* tap = nullptr;                         ///< of its words; may be null
  std::shared_ptr<Broadcast> broadcast = {};  ///< for viewers; may be null
  std::shared_ptr<RuleBook> rules = {};       ///< of the operator; may be null
};

}  // namespace entente::relay
