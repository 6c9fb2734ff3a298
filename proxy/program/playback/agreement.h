// Compares sessions of one server at the same time by kills and captures, which every session must have received. With
// these, the clocks of different machines are corrected, and an event that only one session has is reported.
#pragma once

#include <string>
#include <vector>

#include "proxy/program/conversion/recorded_session.h"

namespace entente {

/// Compares the longest session with others of its server, and sets their clocks (`clock_ahead_us`) to its own where
/// they differ by a second to ten minutes. Returns sentences about what was set and what they disagree about.
std::vector<std::string> compare_sessions(std::vector<RecordedSessionInfo>& sessions, WallTime begin = 0);

}  // namespace entente
