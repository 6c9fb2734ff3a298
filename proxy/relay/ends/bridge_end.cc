#include "proxy/relay/ends/bridge_end.h"

#include "proxy/relay/ends/bridge_enet.h"
#include "proxy/relay/ends/bridge_nobody.h"
#include "proxy/relay/ends/bridge_tcp.h"
#include "proxy/relay/ends/bridge_web.h"

namespace entente::relay {

std::unique_ptr<BridgeEnd> make_bridge_end(WorkerRoute& worker_route, BridgeEnd::User& user,
                                           const BridgeEndOptions& options) {
  if (options.side == BridgeSide::kFront && worker_route.route.bridge->bots != 0)
    return std::make_unique<BridgeNobody>(user);
  if (options.game.transport() == wire::Transport::kWebSocket)
    return std::make_unique<BridgeWeb>(worker_route, user, options);
  if (options.game.transport() == wire::Transport::kEnet)
    return std::make_unique<BridgeEnet>(worker_route, user, options);
  return std::make_unique<BridgeTcp>(worker_route, user, options);
}

}  // namespace entente::relay
