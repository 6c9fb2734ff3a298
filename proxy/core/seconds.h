// Converts between a room's microseconds and the seconds of words and rules.
#pragma once

#include <algorithm>

#include "proxy/core/word.h"

namespace entente::core {

constexpr double seconds(Micros time) { return static_cast<double>(time) / static_cast<double>(kSecond); }
/// 0 if `to` is earlier.
constexpr double seconds(Micros from, Micros to) { return to > from ? seconds(to - from) : 0; }

/// REQUIRES: not negative, and shorter than a room's life.
constexpr Micros micros(double span) { return static_cast<Micros>(span * static_cast<double>(kSecond)); }
/// For a peer's value: at most an hour; 0 if it is not a time.
constexpr Micros sane_micros(double span) { return span > 0 ? micros(std::min(span, 3600.0)) : 0; }
/// The seconds that a peer's shot lives: at most a minute; 0 if `life` is not a positive number.
constexpr double sane_life(double life) { return life > 0 ? std::min(life, 60.0) : 0; }

}  // namespace entente::core
