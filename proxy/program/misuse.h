// What a command says when it cannot go on: what is wrong with its command line and could have been meant, or with the
// machine.
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/program/command.h"

namespace entente {

/// Says it to standard error, with the command ("entente check") and where to read on; returns kUsage.
int misused(std::string_view command, std::string_view what);

/// The same for what CLI11 found. REQUIRES: `app` is the whole program's, and has just failed to parse with `error`.
int misused(const CLI::App& app, const CLI::ParseError& error);

/// "unknown command 'chek' (did you mean 'check'?); commands: …"
std::string unknown_command(const CLI::App& program, std::string_view word);

/// Says it to standard error, made harmless to a terminal but for its line breaks; returns kFailed.
int failed(const Error& error);

}  // namespace entente
