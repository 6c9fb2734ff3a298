// The command line: finds the command, reads its options, runs it.
#pragma once

namespace entente {

/// Returns the exit code of the process.
int run_cli(int argc, const char* const* argv);

}  // namespace entente
