// The commands ban, unban and bans.
#pragma once

#include "proxy/program/config/ban_file.h"
#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "proxy/relay/server.h"

namespace entente {

/// All arguments outlive the control. `kept`: the file of `bans`.
void add_ban_commands(Control& control, relay::Server& server, const Roster& roster, relay::Bans& bans, KeptBans& kept);

}  // namespace entente
