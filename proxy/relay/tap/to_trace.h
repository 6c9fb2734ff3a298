// Converts the properties of a frame to the types of a recording.
#pragma once

#include "adapters/wire/enet.h"
#include "adapters/wire/frame.h"
#include "schema/trace.pb.h"

namespace entente::relay {

constexpr trace::Way to_trace(wire::Way way) {
  return way == wire::Way::kToServer ? trace::TO_SERVER : trace::TO_CLIENT;
}

constexpr trace::Lane to_trace(Lane lane) { return lane == Lane::kStream ? trace::STREAM : trace::DATAGRAM; }

constexpr trace::Delivery to_trace(wire::EnetDelivery send) {
  if (send == wire::EnetDelivery::kReliable) return trace::RELIABLE;
  return send == wire::EnetDelivery::kUnsequenced ? trace::UNSEQUENCED : trace::UNRELIABLE;
}

}  // namespace entente::relay
