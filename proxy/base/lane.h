// How a message travels between Entente and a peer.
#pragma once

#include <cstdint>

namespace entente {

/// The values are bits, so that a set of lanes is their sum.
enum class Lane : std::uint8_t {
  kStream = 1,    ///< in order, without loss: TCP, WebSocket, a reliable ENet packet
  kDatagram = 2,  ///< may be lost or reordered: UDP beside the stream (BZFlag), an unreliable ENet packet
};

inline const char* text(Lane lane) { return lane == Lane::kStream ? "stream" : "datagram"; }

}  // namespace entente
