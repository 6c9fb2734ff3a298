// `entente verify`: does every message of a recorded file decode, and encode to the same bytes?
#pragma once

#include <ostream>

#include "proxy/program/import/file.h"

namespace entente {

struct VerifyOptions {
  FileOptions from;
};

void declare_verify(CLI::App& app, VerifyOptions& options);
int run_verify(const VerifyOptions& options);

/// One line a connection and a last one over all to `out`, what is wrong to `err`. Returns an Exit.
int verify(const VerifyOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
