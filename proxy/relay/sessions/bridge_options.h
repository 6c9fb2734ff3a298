// What a bridge must know beside a relay's options: the server's game, and how the two faces are made. Whoever adds the
// bridge takes them from the registry of games, so that no game is known here.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "adapters/wire/game.h"
#include "proxy/core/chat.h"
#include "proxy/core/session.h"

namespace entente::relay {

struct BridgeOptions {
  const wire::Game* server_game = nullptr;  ///< outlives the Server; may be the listener's own, in another dialect
  std::function<std::unique_ptr<core::Front>(std::size_t dialect)> front;  ///< of the listener's game; on any worker
  std::function<std::unique_ptr<core::Back>(std::size_t dialect)> back;    ///< of the server's game; on any worker
  /// Everybody comes into this shared room (Server::add_shared_room) instead of a room of his own: then `server_game`
  /// is the listener's, and there is no `back`.
  std::optional<std::size_t> shared_room = {};
  core::ChatRules chat;
  bool record_secrets = false;  ///< else passwords and the like are left out of recorded words
  std::uint32_t bots = 0;       ///< so many fronts that play by themselves, and no listener
};

}  // namespace entente::relay
