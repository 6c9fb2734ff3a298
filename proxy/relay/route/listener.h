// A Listener: what the routes at one address share, as all workers see it. Its routes come and go; its sockets stay
// until the last of their sessions has ended.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/net/address.h"
#include "proxy/net/fd.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/route/enet_mode.h"

namespace entente::relay {

struct Listener {
  Listener(std::size_t its_index, const wire::Game& its_game, EnetMode its_enet)
      : index(its_index), game(its_game), enet(its_enet) {}

  const std::size_t index;
  std::size_t home = 0;                      ///< the worker that listens
  const wire::Game& game;                    ///< that its clients speak
  const EnetMode enet;                       ///< if the game travels by ENet
  net::Address address;                      ///< port 0: it does not listen; its clients are bots
  std::shared_ptr<const net::Fd> datagrams;  ///< the listening UDP socket; every worker sends on it
  std::atomic<bool> draining{false};         ///< all of its routes drain
  std::atomic<bool> given_away{false};       ///< another process has taken it over
  Admission admission;                       ///< of its clients, and of players who are moved to its routes
  std::vector<std::size_t> routes;           ///< by index: those with a path first. For the ProxyServer's callers only
  std::vector<std::string> paths;            ///< of all its routes so far, by Route::part. For the ProxyServer only
};

}  // namespace entente::relay
