// A command of the program. Each has its own header with three names:
//     struct XOptions { … };                                  what a person can say, at its presets
//     void declare_x(CLI::App& app, XOptions& options);       how it is said
//     int run_x(const XOptions& options);                     does it; returns an Exit
// and one line in the table of cli.cc. Results go to standard output, what is wrong to standard error.
#pragma once

#include <CLI/CLI.hpp>

namespace entente {

/// What a shell sees. As ints, because main returns one.
enum Exit : int {
  kOk = 0,
  kFailed = 1,  ///< it was understood, and did not work out
  kUsage = 2,   ///< the command line was not understood
};

}  // namespace entente
