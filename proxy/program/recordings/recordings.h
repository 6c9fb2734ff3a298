// `entente recordings`: lists the recordings of a folder.
#pragma once

#include <iosfwd>
#include <string>

#include "proxy/program/base/command.h"

namespace entente {

struct RecordingsOptions {
  std::string place;  ///< a folder, or one file; empty: those of a fleet
  std::string fleet;  ///< configuration of a node; empty: of no fleet
  bool json = false;
};

void declare_recordings(CLI::App& app, RecordingsOptions& options);
int run_recordings(const RecordingsOptions& options);

/// `progress`: whether `err` is a terminal.
int recordings(const RecordingsOptions& options, std::ostream& out, std::ostream& err, bool progress);

}  // namespace entente
