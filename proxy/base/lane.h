// How a message travels between us and a peer.
#pragma once

#include <cstdint>

namespace entente {

/// The values are bits, so that a set of lanes is their sum.
enum class Lane : std::uint8_t {
  kStream = 1,    ///< in order, nothing lost: TCP, a WebSocket message, a reliable packet of ENet
  kDatagram = 2,  ///< may be lost or overtaken: UDP beside the stream (BZFlag's link), an unreliable packet of ENet
};

inline const char* text(Lane lane) { return lane == Lane::kStream ? "stream" : "datagram"; }

}  // namespace entente
