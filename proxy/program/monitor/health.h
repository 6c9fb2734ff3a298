// What a running program answers by HTTP, besides its metrics: /live, /ready and the page at /.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/web/http_acceptor.h"
#include "proxy/program/control/route_names.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

/// 200 while every worker turns its loop; else 503.
net::HttpAnswer live_answer(const relay::ProxyServer& server);

/// 200 while the program takes newcomers on all of these routes; else 503, and why. `serving`: it has begun.
net::HttpAnswer ready_answer(const relay::ProxyServer& server, const std::vector<const ListedRoute*>& routes,
                             bool serving);

/// A page with links to the others.
net::HttpAnswer index_page();

}  // namespace entente
