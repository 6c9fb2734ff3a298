// The statistics that a legacy server tells, which are JSON, as the world info of modern3.
#pragma once

#include <string>
#include <string_view>

#include "adapters/ogar/messages.h"

namespace entente::ogar {

/// With all the members of OgarII's answer, which are those of MultiOgarII's and its own.
std::string stats_of(const WorldInfo& info);

/// What is not there, or is no number where one is expected, is 0. False: it is no JSON object.
bool read_stats(std::string_view json, WorldInfo& info);

}  // namespace entente::ogar
