// `entente export`: writes what happened in a recording as tables, for other programs.
#pragma once

#include <ostream>
#include <string>

#include "proxy/program/numbers/source.h"

namespace entente {

struct ExportOptions {
  numbers::Source source = {};
  std::string csv = {}, jsonl = {}, sqlite = {};  ///< names of what is written; empty: not this
  double every = 1;                               ///< seconds between positions; 0: no positions
};

void declare_export(CLI::App& app, ExportOptions& options);
int run_export(const ExportOptions& options);

/// Prints what was written to `out`, errors and remarks to `err`. Returns an Exit.
int export_rows(const ExportOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
