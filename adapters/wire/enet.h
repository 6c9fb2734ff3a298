// How ENet carries a game's packets.
#pragma once

#include <cstdint>

#include "proxy/base/lane.h"

namespace entente::wire {

/// What ENet does with a packet, as its flags name it.
enum class EnetSend : std::uint8_t { kUnreliable = 0, kReliable = 1, kUnsequenced = 2 };

struct EnetCarriage {
  std::uint8_t channel = 0;
  EnetSend send = EnetSend::kReliable;

  /// A reliable packet is as good as a stream's.
  Lane lane() const { return send == EnetSend::kReliable ? Lane::kStream : Lane::kDatagram; }
};

inline const char* text(EnetSend send) {
  return send == EnetSend::kReliable ? "reliable" : send == EnetSend::kUnsequenced ? "unsequenced" : "unreliable";
}

}  // namespace entente::wire
