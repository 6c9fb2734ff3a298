// `entente stats`: counts what happened in a recording.
#pragma once

#include <ostream>
#include <string>

#include "proxy/program/numbers/source.h"

namespace entente {

struct StatsOptions {
  numbers::Source source = {};
  std::string html = {};  ///< file to write; empty: none
  bool json = false;
  bool no_colours = false;
  bool colours = false;  ///< on a terminal
};

void declare_stats(CLI::App& app, StatsOptions& options);
int run_stats(const StatsOptions& options);

/// Prints the report to `out`, errors and remarks to `err`. Returns an Exit.
int stats(const StatsOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
