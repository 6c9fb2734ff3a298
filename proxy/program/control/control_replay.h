// The commands of a replay: pause, resume, seek, speed, status.
#pragma once

#include "proxy/program/control/control.h"
#include "proxy/program/serve/replay_control.h"

namespace entente {

/// `replay` outlives the control.
void add_replay_commands(Control& control, ReplayControl& replay);

}  // namespace entente
