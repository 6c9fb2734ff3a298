// Commands that also go to the processes from before an upgrade, because they are about players, who may be there.
#pragma once

#include <string>
#include <string_view>

namespace entente {

/// Whether this line to the control socket also goes to those processes.
bool is_for_older(std::string_view line);

/// In an error that several sessions match. Older processes are not asked then: one of them could find another player.
inline constexpr std::string_view kAmbiguous = " is ambiguous, name a link: ";

/// Whether this error ends the command: several sessions match, or another process takes over just now.
bool ends_command(std::string_view error);

/// The address or network that was banned, from the answer to `ban` (text or JSON), also if the file of bans cannot be
/// written; "": none. A ban by name goes to other processes with this address, because another player may have that
/// name there.
std::string banned_address(std::string_view answer);

/// Gives them this command, with which the process of `control_socket` has answered `own` (JSON). Returns the answer:
/// `own`, unless that is an error and one of them has carried out the command.
std::string ask_older(const std::string& control_socket, std::string line, std::string own);

}  // namespace entente
