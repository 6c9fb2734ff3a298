// Scripts with which shells complete commands, options and their values; made from the declared options.
#pragma once

#include <string>

#include "proxy/program/base/command.h"

namespace entente {

/// `program`: the whole program.
std::string bash_completion(const CLI::App& program);
std::string zsh_completion(const CLI::App& program);
std::string fish_completion(const CLI::App& program);

}  // namespace entente
