// Converts the statistics of a legacy server, which are JSON, to the world info of modern3 and back.
#pragma once

#include <string>
#include <string_view>

#include "adapters/ogar/wire/messages.h"

namespace entente::ogar {

/// JSON with all members of OgarII's answer: those of MultiOgarII and its own.
std::string stats_of(const WorldInfo& info);

/// Missing members, and texts in place of numbers, become 0. False: it is not a JSON object of at most 4 KiB.
bool read_stats(std::string_view json, WorldInfo& info);

}  // namespace entente::ogar
