// The commands ban, unban and bans.
#pragma once

#include <ctime>
#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/program/control/roster.h"
#include "proxy/program/settings/ban_file.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

/// The longest `--for` of the command `ban`, in seconds.
inline constexpr std::time_t kLongestBan = std::time_t{3650} * 86'400;

/// Ends the sessions that one of these bans means; each client is told that ban's reason. Returns them.
std::vector<Attendee> end_sessions_of(relay::ProxyServer& server, const Roster& roster,
                                      const std::vector<relay::Ban>& bans);

/// All arguments outlive the control. `kept`: the file of `bans`.
void add_ban_commands(Control& control, relay::ProxyServer& server, const Roster& roster, relay::Bans& bans,
                      KeptBans& kept);

}  // namespace entente
