// What those who come too early are told about a broadcast that has not begun.
#pragma once

#include <string>

#include "proxy/core/replay/viewer_orders.h"
#include "proxy/core/word.h"

namespace entente::core {

/// The rule by which a room says when its broadcast begins, in microseconds of the room's clock.
inline constexpr const char* kBeginsRule = "begins_us";

/// `left`: until it begins.
inline std::string begins_text(Micros left) {
  return "the broadcast begins in " + clock_text(left + kSecond - 1) + "; try again then";
}

}  // namespace entente::core
