// The manual pages, for packages: made from the declared commands and options, and from the configuration's schema.
#pragma once

#include <string>

#include "proxy/program/base/command.h"

namespace entente {

/// entente(1), in the format of man. `program`: the whole program.
std::string manual(const CLI::App& program);

/// entente.toml(5): every key of a configuration file.
std::string config_manual();

}  // namespace entente
