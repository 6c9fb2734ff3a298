// A moment of a recording, as people write it: 75, 75.5 or 1:15.5.
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/core/word.h"

namespace entente {

/// Seconds, or minutes and seconds; at most 30 days.
Outcome<core::Micros> parse_tape_time(std::string_view text);

/// "1:15", "62:05"
std::string tape_time_text(core::Micros time);

}  // namespace entente
