// Starts the program anew, beside this process: with the same arguments, and the executable that lies at its place now.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"

namespace entente::net {

/// The arguments of this process, without the option `without` and its value.
std::vector<std::string> own_arguments(const std::string& without);

/// Starts our executable with these arguments (the first is its name). The new process has our standard output and
/// error, and none of our other descriptors. It counts as the service, if this one does (WATCHDOG_PID).
Outcome<pid_t> spawn_anew(const std::vector<std::string>& arguments);

/// How a process that we started has ended: its exit code, or 128 + the signal. Nothing while it runs. Once it has
/// ended, ask no more.
std::optional<int> ended(pid_t pid);

}  // namespace entente::net
