// A room counts microseconds; words and rules say seconds.
#pragma once

#include <algorithm>

#include "proxy/core/word.h"

namespace entente::core {

constexpr double seconds(Micros time) { return static_cast<double>(time) / static_cast<double>(kSecond); }
/// 0 if `to` is the earlier.
constexpr double seconds(Micros from, Micros to) { return to > from ? seconds(to - from) : 0; }

/// REQUIRES: not negative, and less than a room lives.
constexpr Micros micros(double span) { return static_cast<Micros>(span * static_cast<double>(kSecond)); }
/// Of what a peer said: an hour at most; of what is no time, 0.
constexpr Micros sane_micros(double span) { return span > 0 ? micros(std::min(span, 3600.0)) : 0; }

}  // namespace entente::core
