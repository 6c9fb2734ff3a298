// Error messages of commands: what is wrong with the command line, and what may have been meant; or what failed.
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/program/base/command.h"

namespace CLI {
class ParseError;
}

namespace entente {

/// Prints the error to standard error, with the command ("entente check") and a hint to --help; returns kUsage.
int usage_error(std::string_view command, std::string_view what);

/// As above, for an error of CLI11. REQUIRES: `app` is the whole program's, and has just failed to parse with
/// `error`.
int usage_error(const CLI::App& app, const CLI::ParseError& error);

/// "unknown command 'chek' (did you mean 'check'?); commands: …"
std::string unknown_command(const CLI::App& program, std::string_view word);

/// Prints the error to standard error, made safe for a terminal except line breaks; returns kFailed.
int report_failure(const Error& error);

}  // namespace entente
