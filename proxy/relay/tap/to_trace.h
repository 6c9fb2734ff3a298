// Converts the properties of a frame to the types of a recording.
#pragma once

#include "adapters/wire/enet.h"
#include "adapters/wire/frame.h"
#include "proxy/relay/tap/tap_sink.h"
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

constexpr trace::Lab to_trace(TapSink::LabMark mark) {
  switch (mark) {
    case TapSink::LabMark::kKept:
      return trace::LAB_KEPT;
    case TapSink::LabMark::kAltered:
      return trace::LAB_ALTERED;
    case TapSink::LabMark::kMade:
      return trace::LAB_MADE;
    case TapSink::LabMark::kPassed:
      break;
  }
  return trace::LAB_PASSED;
}

}  // namespace entente::relay
