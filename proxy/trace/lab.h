// Whether a recorded frame was passed on: the lab of a relay, which makes faults on purpose, may have kept it.
#pragma once

#include "schema/trace.pb.h"

namespace entente::trace {

/// Readers that want what the peers got skip all other frames.
constexpr bool was_passed_on(Lab lab) { return lab != LAB_KEPT && lab != LAB_ALTERED; }
inline bool was_passed_on(const Frame& frame) { return was_passed_on(frame.lab()); }

}  // namespace entente::trace
