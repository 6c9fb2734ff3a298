// `entente inspect`: prints the messages of a recorded file, one per line.
#pragma once

#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/import/file.h"

namespace entente {

struct InspectOptions {
  FileOptions input;
  std::vector<std::string> connections = {};  ///< numbers as printed, or parts of names; empty: all
  std::string way = {};                       ///< "c2s", "s2c"; "" = both
  std::vector<std::string> messages = {};     ///< names of messages or words, ignoring case; empty: all
  std::vector<std::string> players = {};      ///< names or ids: only words about these; empty: everything
  double since = 0;                           ///< seconds from the file's first packet
  double until = std::numeric_limits<double>::infinity();
  bool hex = false;
  bool json = false;
  bool follow = false;  ///< read on while the file grows, until a signal
  bool no_colours = false;
  bool colours = false;  ///< set by run_inspect, if it prints to a terminal
};

void declare_inspect(CLI::App& app, InspectOptions& options);
int run_inspect(const InspectOptions& options);

/// Prints messages to `out` and errors to `err`. Returns an Exit.
int inspect(const InspectOptions& options, std::ostream& out, std::ostream& err, Progress* progress = nullptr);

}  // namespace entente
