// What a server of Ace of Spades 0.75 or 0.76 tells the master server, by ENet: packets on channel 0, reliable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proxy/base/bytes.h"

namespace entente::aos {

/// The number by which a server connects to the master.
inline constexpr std::uint32_t kMasterVersion = 31;

/// Whether the master lists servers of this dialect. It is told no version; 0.80 is a draft, of which nobody has a
/// client.
bool has_list(std::size_t dialect);

struct PublicServer {
  std::string name, mode, map;     ///< cut to 31, 7 and 20 bytes, as the master keeps them
  std::uint16_t port = 0;          ///< where players connect; the master takes the address from the connection
  std::uint32_t most_players = 0;  ///< 0: any number
};

/// The first packet, and again when something of it changes.
Buffer packet_to_add(const PublicServer& server);
/// How many play.
Buffer packet_of_count(std::uint32_t players);

}  // namespace entente::aos
