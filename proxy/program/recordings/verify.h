// `entente verify`: checks that every message of a recorded file decodes and encodes to the same bytes.
#pragma once

#include <ostream>

#include "proxy/program/import/file.h"

namespace entente {

struct VerifyOptions {
  FileOptions input;
  bool connections = false;  ///< a line for each connection, not only for those with a problem
};

void declare_verify(CLI::App& app, VerifyOptions& options);
int run_verify(const VerifyOptions& options);

/// Prints a line for each connection with a problem, or for all, and a total to `out`, errors to `err`. Returns an
/// Exit.
int verify(const VerifyOptions& options, std::ostream& out, std::ostream& err, Progress* progress = nullptr);

}  // namespace entente
