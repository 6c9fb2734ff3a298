// The commands that keep people out, and let them in again: ban, unban, bans.
#pragma once

#include <string>

#include "proxy/program/control.h"
#include "proxy/relay/server.h"

namespace entente {

/// `server` and `bans` outlive the control. `file`: where the bans that are made so are kept; empty: nowhere.
void add_ban_commands(Control& control, relay::Server& server, relay::Bans& bans, std::string file);

}  // namespace entente
