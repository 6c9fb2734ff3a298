// A link of a session: its number and its peers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "adapters/wire/game.h"
#include "proxy/net/address.h"

namespace entente::relay {

/// Numbers the links of one ProxyServer, from 1, also through take-overs. After 2^32 links, it begins again.
using LinkId = std::uint32_t;

/// The peers of a link. The addresses do not change while its session lasts.
struct LinkInfo {
  LinkId link = 0;
  const wire::Game* game = nullptr;
  std::size_t dialect = 0;  ///< index into game->dialects()
  net::Address client;
  net::Address server;
  net::Address listener;
  bool enet_datagrams = false;  ///< the tap receives ENet's datagrams, not the packets in them
  std::size_t route = 0;        ///< the number of its route in the ProxyServer; set only for a tap
  LinkId session = 0;           ///< the client's link of the session that it belongs to; 0: it is that link
  bool has_room = false;        ///< the frames go to a room and come from it
  bool health_check = false;    ///< of a load balancer: a tap forgets it, unless TapSink::plays() follows
  bool may_only_greet = false;  ///< set for a client of a room, which may do no more than greet: it gets a recording of
                                ///< its own only when it does more
};

}  // namespace entente::relay
