// `entente verify`: does every message of a recorded file decode, and encode to the same bytes?
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "proxy/program/command.h"

namespace entente {

struct VerifyOptions {
  std::string file;
  std::string game;        ///< "" = what the file says or shows
  std::string dialect;     ///< likewise
  std::uint16_t port = 0;  ///< of the server, in a packet capture; 0 = whoever was connected to
};

void declare_verify(CLI::App& app, VerifyOptions& options);
int run_verify(const VerifyOptions& options);

/// One line a connection and a last one over all to `out`, what is wrong to `err`. Returns an Exit.
int verify(const VerifyOptions& options, std::ostream& out, std::ostream& err);

}  // namespace entente
