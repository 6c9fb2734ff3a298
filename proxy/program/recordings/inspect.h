// `entente inspect`: what was said in a recorded file, one line a message.
#pragma once

#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/import/file.h"

namespace entente {

struct InspectOptions {
  FileOptions from;
  std::vector<std::string> connections = {};  ///< numbers as shown, or parts of names; empty = all
  std::string way = {};                       ///< "c2s", "s2c"; "" = both
  std::vector<std::string> messages = {};     ///< names, in any case; empty = all
  double since = 0;                           ///< seconds from the file's first packet
  double until = std::numeric_limits<double>::infinity();
  bool hex = false;
  bool json = false;
};

void declare_inspect(CLI::App& app, InspectOptions& options);
int run_inspect(const InspectOptions& options);

/// Messages to `out`, what is wrong to `err`. Returns an Exit.
int inspect(const InspectOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
