// How ENet carries a game's packets.
#pragma once

#include <cstdint>

#include "proxy/base/lane.h"

namespace entente::wire {

/// How ENet delivers a packet, named as its flags.
enum class EnetDelivery : std::uint8_t { kUnreliable = 0, kReliable = 1, kUnsequenced = 2 };

/// How a packet of a game travels.
struct EnetCarriage {
  std::uint8_t channel = 0;  ///< from 0, below what both ends agreed on
  EnetDelivery send = EnetDelivery::kReliable;

  /// Reliable packets count as stream data.
  Lane lane() const { return send == EnetDelivery::kReliable ? Lane::kStream : Lane::kDatagram; }
};

inline const char* text(EnetDelivery send) {
  return send == EnetDelivery::kReliable      ? "reliable"
         : send == EnetDelivery::kUnsequenced ? "unsequenced"
                                              : "unreliable";
}

}  // namespace entente::wire
