// How ENet carries a game's packets.
#pragma once

#include <cstdint>

#include "proxy/base/lane.h"

namespace entente::wire {

/// How ENet delivers a packet, named as its flags.
enum class EnetSend : std::uint8_t { kUnreliable = 0, kReliable = 1, kUnsequenced = 2 };

struct EnetCarriage {
  std::uint8_t channel = 0;
  EnetSend send = EnetSend::kReliable;

  /// Reliable packets count as stream data.
  Lane lane() const { return send == EnetSend::kReliable ? Lane::kStream : Lane::kDatagram; }
};

inline const char* text(EnetSend send) {
  return send == EnetSend::kReliable ? "reliable" : send == EnetSend::kUnsequenced ? "unsequenced" : "unreliable";
}

}  // namespace entente::wire
