#include "proxy/relay/enet_reason.h"

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

}  // namespace entente::relay
