#include "proxy/relay/ends/end.h"

#include "proxy/relay/ends/bot_end.h"
#include "proxy/relay/ends/enet_end.h"
#include "proxy/relay/ends/tcp_end.h"
#include "proxy/relay/ends/web_end.h"

namespace entente::relay {

std::unique_ptr<End> make_end(WorkerRoute& worker_route, End::User& user, const EndOptions& options) {
  if (options.facing == Facing::kClient && worker_route.route.options->bridge->bots != 0)
    return std::make_unique<BotEnd>(user);
  if (options.game.transport() == wire::Transport::kWebSocket)
    return std::make_unique<WebEnd>(worker_route, user, options);
  if (options.game.transport() == wire::Transport::kEnet) return std::make_unique<EnetEnd>(worker_route, user, options);
  return std::make_unique<TcpEnd>(worker_route, user, options);
}

}  // namespace entente::relay
