// The address that a route's server sees.
#pragma once

#include <cstdint>

namespace entente::relay {

enum class SourceMode : std::uint8_t {
  kOwn,          ///< ours, the same for all players
  kLoopback,     ///< of 127.0.0.0/8, one for each player's address (LoopbackSources)
  kTransparent,  ///< the player's; needs CAP_NET_ADMIN, and routes that bring the answers back to us
};

}  // namespace entente::relay
