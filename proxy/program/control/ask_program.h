// Asks a program that runs, at its control socket.
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/time.h"
#include "proxy/net/local_acceptor.h"

namespace entente {

/// What a program said to a command.
struct ProgramAnswer {
  bool ok = false;
  std::string text;     ///< to print: the answer, or the error
  bool silent = false;  ///< the program listens, but has not answered in time
};

/// Sends `line` to the program at this control socket. `json`: whether the line asks for JSON.
ProgramAnswer ask_program(const std::string& socket, const std::string& line, bool json, const net::AskLocal& options);

/// How long to wait for the answer to this command, in milliseconds. A reload may look up names, and build arenas.
Millis patience_with(std::string_view command);

}  // namespace entente
