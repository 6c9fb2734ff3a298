// The options of a bridge, in addition to a relay's: the server's game, and how to make the front and the back. The
// caller takes these from the registry of games, so that this folder depends on no game.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adapters/wire/game.h"
#include "proxy/core/chat.h"
#include "proxy/core/room_member.h"
#include "proxy/relay/broadcast/broadcast.h"
#include "proxy/relay/route/rule_book.h"

namespace entente::relay {

struct BridgeOptions {
  const wire::Game* server_game = nullptr;  ///< outlives the ProxyServer; may be the listener's own, in another dialect
  std::function<std::unique_ptr<core::Front>(std::size_t dialect)> front;  ///< of the listener's game; on any worker
  std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back;    ///< of the server's game; on any worker
  using Settings = std::map<std::string, std::string, std::less<>>;
  Settings front_settings = {}, back_settings = {};  ///< theirs, for recordings
  /// All clients join this shared room (ProxyServer::add_shared_room) instead of rooms of their own. Then `server_game`
  /// is the listener's game, and there is no `back`.
  std::optional<std::size_t> shared_room = {};
  core::ChatRules chat;
  bool record_secrets = false;  ///< else passwords and the like are left out of recorded words
  /// An arena in which a bridge's player plays. The two faces, between the session and the arena, speak native.
  struct ArenaPlace {
    std::string arena;  ///< its name, for players and the log
    std::function<std::unique_ptr<core::Front>()> front;
    std::function<std::unique_ptr<core::Back>()> back;
  };
  /// While no server is up. ProxyServer::set_while_down_room says in which room.
  std::optional<ArenaPlace> while_down = {};
  std::uint32_t bots = 0;                     ///< how many bots play on the server; if not 0, there is no listener
  std::shared_ptr<Broadcast> broadcast = {};  ///< for viewers; may be null
  std::shared_ptr<RuleBook> rules = {};       ///< of the operator; may be null
};

}  // namespace entente::relay
