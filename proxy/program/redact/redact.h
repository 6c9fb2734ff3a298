// `entente redact`: writes a copy of a recording that does not show who played, and where.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/base/command.h"
#include "proxy/program/base/progress.h"

namespace entente {

struct RedactOptions {
  std::string file;
  std::string out;
  std::vector<std::string> keep = {};  ///< names of PersonalGroup
  std::optional<double> last = {};     ///< seconds before the end of the file; none: all of it
  bool words = false;                  ///< for `last`: make words if the file has none
};

void declare_redact(CLI::App& app, RedactOptions& options);
int run_redact(const RedactOptions& options);

/// Prints what was written to `out`, errors to `err`. Returns an Exit.
int redact(const RedactOptions& options, Progress& progress, std::ostream& out, std::ostream& err);

}  // namespace entente
