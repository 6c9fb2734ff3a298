#include "proxy/relay/bridge_end.h"

#include "proxy/relay/bridge_enet.h"
#include "proxy/relay/bridge_nobody.h"
#include "proxy/relay/bridge_tcp.h"
#include "proxy/relay/bridge_web.h"

namespace entente::relay {

std::unique_ptr<BridgeEnd> make_bridge_end(Branch& branch, BridgeEnd::User& user, const BridgeEndOptions& options) {
  if (options.side == BridgeSide::kFront && branch.route.bridge->bots != 0) return std::make_unique<BridgeNobody>(user);
  if (options.game.transport() == wire::Transport::kWebSocket)
    return std::make_unique<BridgeWeb>(branch, user, options);
  if (options.game.transport() == wire::Transport::kEnet) return std::make_unique<BridgeEnet>(branch, user, options);
  return std::make_unique<BridgeTcp>(branch, user, options);
}

}  // namespace entente::relay
