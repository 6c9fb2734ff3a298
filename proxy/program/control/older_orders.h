// Commands that also go to the processes from before an upgrade, because they are about players, who may be there, or
// about the log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/time.h"
#include "proxy/net/local_acceptor.h"

namespace entente {

/// Whether this line to the control socket also goes to those processes.
bool is_for_older(std::string_view line);

/// Whether this command has failed if it failed in the process that has taken over, whatever the others say: they only
/// reopen their logs at a reload.
bool fails_alone(std::string_view line);

/// In an error that several sessions match. Older processes are not asked then: one of them could find another player.
inline constexpr std::string_view kAmbiguous = " is ambiguous, name a link: ";

/// Whether this error ends the command: several sessions match, or another process takes over just now.
bool ends_command(std::string_view error);

/// The address or network that was banned, from the answer to `ban` (text or JSON), also if the file of bans cannot be
/// written; "": none. A ban by name goes to other processes with this address, because another player may have that
/// name there.
std::string banned_address(std::string_view answer);

/// What an older process said to a command.
struct OlderAnswer {
  int pid = 0;
  bool ok = false;
  std::string text;     ///< to print: the answer, or the error
  bool silent = false;  ///< it listens, but has not answered in time
};

/// What is told of a process that is silent.
std::string silent_text(int pid);

/// Gives them this command, one after another. The first process has answered `own` to it. One that has kicked the
/// player, or whose error ends the command, is the last. Those that have ended are left out. `json`: whether they
/// answer in JSON.
std::vector<OlderAnswer> ask_each_older(const std::string& control_socket, std::string line, std::string_view own,
                                        bool json, const net::AskLocal& options);

/// Gives them this command, with which the process of `control_socket` has answered `own` (JSON). Returns the answer:
/// `own`, unless that is an error and one of them has carried out the command, or its error ends the command. It is an
/// error if one does not answer within `within` milliseconds.
std::string ask_older(const std::string& control_socket, std::string line, std::string own, Millis within = 1'000);

}  // namespace entente
