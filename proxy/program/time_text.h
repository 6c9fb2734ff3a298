// Times as people write them. Every command, configuration key and control line reads them here: seconds (75.5),
// minutes and seconds (1:15.5), hours too (1:02:05), or a number with a unit (90s, 10m, 2h, 7d).
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/core/word.h"

namespace entente {

/// The longest recording that a time may point into.
inline constexpr core::Micros kMostTape = core::Micros{30} * 24 * 60 * 60 * core::kSecond;

/// At most `most`, never negative. The error says how times are written.
Outcome<core::Micros> parse_time(std::string_view text, core::Micros most = kMostTape);

/// "1:15", "62:05"
std::string time_text(core::Micros time);

}  // namespace entente
