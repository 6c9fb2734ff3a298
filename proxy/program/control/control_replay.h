// The commands of a replay: pause, resume, seek, speed, status.
#pragma once

#include <string_view>

#include "proxy/program/control/control.h"
#include "proxy/program/control/replay_control.h"

namespace entente {

/// Reads a speed of playback.
Outcome<double> parse_speed(std::string_view text);

/// `replay` outlives the control.
void add_replay_commands(Control& control, ReplayControl& replay);

}  // namespace entente
