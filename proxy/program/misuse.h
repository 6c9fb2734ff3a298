// What is wrong with a command line, and what could have been meant.
#pragma once

#include <string>
#include <string_view>

#include "proxy/program/command.h"

namespace entente {

/// Says it to standard error, with the command ("entente check") and where to read on; returns kUsage.
int misused(std::string_view command, std::string_view what);

/// The same for what CLI11 found. REQUIRES: `app` is the whole program's, and has just failed to parse with `error`.
int misused(const CLI::App& app, const CLI::ParseError& error);

}  // namespace entente
