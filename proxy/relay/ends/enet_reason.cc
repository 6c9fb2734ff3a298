#include "proxy/relay/ends/enet_reason.h"

#include "proxy/net/web/websocket.h"

namespace entente::relay {

std::uint32_t enet_parting(const wire::Game& game, Reason reason) { return game.enet_parting(telling(reason).parting); }

std::uint32_t parting_code(const wire::Game& game, Facing side, Reason reason) {
  const bool front = side == Facing::kClient;
  if (game.transport() != wire::Transport::kWebSocket) return front ? enet_parting(game, reason) : 0;
  const bool its_fault =
      front ? reason == Reason::kProtocolFault || reason == Reason::kBadFrame : reason == Reason::kServerProtocolError;
  return its_fault ? net::CloseFrame::kBadContent : 0;
}

}  // namespace entente::relay
