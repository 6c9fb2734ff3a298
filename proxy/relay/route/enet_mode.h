// What a relay does with the datagrams of a game over ENet.
#pragma once

#include <cstdint>

namespace entente::relay {

enum class EnetMode : std::uint8_t {
  kPackets,    ///< an ENet connection on each side: packets are checked, limited and sent anew
  kDatagrams,  ///< one ENet connection through us: its datagrams pass untouched, client by client
};

}  // namespace entente::relay
