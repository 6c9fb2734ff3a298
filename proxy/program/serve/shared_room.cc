#include "proxy/program/serve/shared_room.h"

#include "adapters/registry.h"
#include "proxy/program/serve/configured.h"
#include "proxy/program/settings/url_options.h"
#include "proxy/program/settings/web.h"

namespace entente {
namespace {

relay::BridgeOptions into(std::size_t shared_room, const ListenEnd& listen) {
  relay::BridgeOptions bridge;
  bridge.server_game = listen.game;
  bridge.front = front_maker(listen);
  bridge.shared_room = shared_room;
  return bridge;
}

}  // namespace

Outcome<Service::NewRoute> route_into(const SharedRoomEntry& entry, const ListenEnd& end) {
  const auto web = web_options(end.web.value_or(WebSocketSettings{}), WebSocketSettings{});
  if (!web) return web.error();
  relay::RouteOptions options;  // the service knows the limits
  options.game = end.game;
  options.listen_dialect = end.dialect;
  options.listen = end.address;
  options.servers = {{.host = entry.name}};
  options.web = *web;
  options.bridge = into(entry.shared_room, end);
  options.clients_name_dialect = !end.named && clients_name_dialect(*end.game);
  options.fallback = end.fallback;
  options.proxies = end.proxies;
  options.public_port = end.public_port;
  options.tap = entry.tap;
  if (entry.arena) options.arena_faces = place_in(entry.name);
  return Service::NewRoute{std::move(options), end.dialect_text()};
}

Outcome<std::string> listen_in_shared_room(Service& service, const SharedRoomEntry& entry, const ListenEnd& end) {
  auto route = route_into(entry, end);
  if (!route) return route.error();
  const auto listening = service.add(std::move(*route));
  if (!listening) return listening.error();
  return "listening " + end.dialect_text() + " " + listening->address.text() + "\n";
}

}  // namespace entente
