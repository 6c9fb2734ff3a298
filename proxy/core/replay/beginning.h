// What viewers are told about a broadcast that has not begun, or that stands still.
#pragma once

#include <string>

#include "proxy/core/replay/viewer_orders.h"
#include "proxy/core/word.h"

namespace entente::core {

/// The rule by which a room says when its broadcast begins, in microseconds of the room's clock.
inline constexpr const char* kBeginsRule = "begins_us";

/// RecordingSource::overflows()
inline constexpr const char* kOverflows =
    "the broadcast stands still, because too much happens to keep it until it may be seen; try again in a while";

/// `left`: until it begins.
inline std::string begins_text(Micros left) {
  return "the broadcast begins in " + clock_text(left + kSecond - 1) + "; try again then";
}

}  // namespace entente::core
