// What libraries report by themselves goes into the program's log, and nowhere else. By default, libprotobuf and
// spdlog print on standard error, however often a peer gives them a reason to.
// Invariant: of each library, ten lines are logged in a burst, then one per second. A command that has no log shows
// none.
#pragma once

#include <string>

namespace entente {

/// REQUIRES: called once, before anything else uses the libraries.
void redirect_library_logs();

/// Why spdlog could not write a line. From any thread.
void hear_spdlog(const std::string& why);

/// Logs the lines that were held back. REQUIRES: the log is about to end.
void log_rest_of_libraries();

}  // namespace entente
