// Times as people write them, for every command, configuration key and control line: seconds (75.5), minutes and
// seconds (1:15.5), hours, minutes and seconds (1:02:05), or a number with a unit (90s, 10m, 2h, 7d).
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/core/word.h"

namespace entente {

/// The longest session of a recording: ten years.
inline constexpr core::Micros kMostRecordingTime = core::Micros{3650} * 24 * 60 * 60 * core::kSecond;

/// Parses a time of at most `most`, never negative. The error shows the forms.
Outcome<core::Micros> parse_time(std::string_view text, core::Micros most = kMostRecordingTime);

/// "1:15", "1:02:05"
std::string time_text(core::Micros time);

}  // namespace entente
