// One route without a ProxyServer, for tests of a single part of a relay. The test runs the loop: its time stands still
// until then.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "proxy/relay/route/route.h"
#include "tests/relay/running.h"

namespace entente::testing {

struct OneRoute {
  /// It leads to these servers, each with the dialect of the first in `options`. `loop` and `tap` outlive it.
  OneRoute(net::Loop& loop, relay::RouteOptions options, const std::vector<net::Address>& servers,
           relay::TapSink* tap = nullptr)
      : listener(0, *options.game, options.enet),
        route(std::make_shared<const relay::RouteOptions>(std::move(options)), heard) {
    std::vector<std::unique_ptr<relay::Upstream>> all;
    for (const net::Address& server : servers) {
      const relay::UpstreamOptions its{server.ip_text(), server.port(), route.options->servers.front().dialect};
      all.push_back(std::make_unique<relay::Upstream>(all.size(), its, server.text(), std::vector{server}));
    }
    route.upstreams.open(std::move(all), route.options->upstream);
    route.listener = &listener;
    route.address_bytes = &address_bytes;
    if (route.with_datagrams()) {
      auto made = net::listen(loopback(), true);
      REQUIRE(made.ok());
      tcp = std::move(made->tcp);
      listener.address = route.listen_address = made->address;
      listener.datagrams = std::make_shared<const net::Fd>(std::move(made->udp));
    }
    here.emplace(route, loop, tap);
  }

  relay::Upstream& server(std::size_t index = 0) const { return route.upstreams.at(index); }
  std::uint64_t dropped(relay::Drop drop) const {
    return here->counters.dropped[static_cast<std::size_t>(drop)].read();
  }
  std::uint64_t ended(relay::Reason why) const { return here->counters.ended[static_cast<std::size_t>(why)].read(); }

  Heard heard;
  relay::AddressBytes address_bytes;
  relay::Listener listener;  ///< with a UDP socket, if the game has datagrams beside its stream
  net::Fd tcp;               ///< then, a listening socket with the same port
  relay::Route route;
  std::optional<relay::WorkerRoute> here;
};

/// Options of a route of this game, without limits.
inline relay::RouteOptions options_of(const wire::Game& game) {
  relay::RouteOptions options;
  options.game = &game;
  options.servers.front().dialect = 0;
  options.limits = no_limits();
  return options;
}

}  // namespace entente::testing
