// What sessions of one server tell of the same time: kills and captures that both must have heard. By these, clocks of
// different machines are set right; and what only one of them tells is reported.
#pragma once

#include <string>
#include <vector>

#include "proxy/program/recordings/recorded_session.h"

namespace entente {

/// Compares the longest session with others of its server, and sets their clocks (`began`) to its own where they differ
/// by a second to ten minutes. Returns sentences about what was set and what they disagree about.
std::vector<std::string> compare_sessions(std::vector<RecordedSessionInfo>& sessions);

}  // namespace entente
