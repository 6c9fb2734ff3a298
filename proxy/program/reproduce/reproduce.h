// `entente reproduce`: gives the rooms of a recording the same frames again, and compares what they send now with what
// they sent then.
#pragma once

#include <ostream>
#include <string>

#include "proxy/core/word.h"
#include "proxy/program/base/command.h"
#include "proxy/program/base/progress.h"

namespace entente {

struct ReproduceOptions {
  std::string file;
  bool json = false;
  std::string small;  ///< a file to write that has only what is needed to reproduce it; empty: none
  /// The age of the rooms when they begin: an old room does what a young one does. Times that it sends may be later by
  /// this age.
  core::Micros age = 0;
};

void declare_reproduce(CLI::App& app, ReproduceOptions& options);
int run_reproduce(const ReproduceOptions& options);

/// Prints a line for each session, its first difference, and a total to `out`; errors to `err`. Returns an Exit.
int reproduce(const ReproduceOptions& options, Progress& progress, std::ostream& out, std::ostream& err);

}  // namespace entente
