#include "proxy/relay/ends/enet_reason.h"

#include "proxy/net/web/websocket.h"

namespace entente::relay {

std::uint32_t enet_parting(const wire::Game& game, Reason reason) {
  using wire::EnetParting;
  switch (reason) {
    case Reason::kClientLeft:
      return game.enet_parting(EnetParting::kLeft);
    case Reason::kTooMany:
    case Reason::kTooFast:
      return game.enet_parting(EnetParting::kFull);
    case Reason::kNotAllowed:
    case Reason::kBanned:
    case Reason::kBannedNow:
      return game.enet_parting(EnetParting::kBanned);
    case Reason::kTooManyFromAddress:
      return game.enet_parting(EnetParting::kTooManyFromAddress);
    case Reason::kDialectUnknown:
    case Reason::kDialectMismatch:
      return game.enet_parting(EnetParting::kWrongVersion);
    case Reason::kBadFrame:
    case Reason::kKicked:
    case Reason::kProtocolFault:
    case Reason::kClientStalled:
      return game.enet_parting(EnetParting::kKicked);
    default:
      return game.enet_parting(EnetParting::kServerGone);
  }
}

std::uint32_t parting_code(const wire::Game& game, Facing side, Reason reason) {
  const bool front = side == Facing::kClient;
  if (game.transport() != wire::Transport::kWebSocket) return front ? enet_parting(game, reason) : 0;
  const bool its_fault =
      front ? reason == Reason::kProtocolFault || reason == Reason::kBadFrame : reason == Reason::kServerProtocolError;
  return its_fault ? net::CloseFrame::kBadContent : 0;
}

}  // namespace entente::relay
