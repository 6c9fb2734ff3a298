// A command of the program. Each has its own header with three names:
//     struct XOptions { … };                                  its options, with their defaults
//     void declare_x(CLI::App& app, XOptions& options);       declares them on the command line
//     int run_x(const XOptions& options);                     runs the command; returns an Exit
// and one line in the table of cli.cc. Only its .cc file includes CLI11, which takes 6 s to compile. Results go to
// standard output, errors to standard error.
#pragma once

namespace CLI {
class App;
}

namespace entente {

/// Exit codes. As ints, because main returns one.
enum Exit : int {
  kOk = 0,
  kFailed = 1,  ///< the command failed
  kUsage = 2,   ///< the command line is invalid
};

}  // namespace entente
