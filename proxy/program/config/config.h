// The configuration file of `entente run`.
// Law: nothing starts with an invalid file, and all errors are reported together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "schema/config.pb.h"

namespace entente {

/// The errors of a file: lines "file:line:column: key: error", in the order of the file.
using ConfigErrors = std::vector<std::string>;

/// Prints them to standard error.
void print_errors(const ConfigErrors& errors);

/// Whether to check output files and the ban file, too. A start does. A reload does not, because the running program
/// has its own files open.
enum class Start : bool { kNo, kYes };

/// Reads and checks `path`; endpoints are resolved with the games in `known`.
Expected<config::Config, ConfigErrors> load_config(const std::string& path, std::span<const wire::Game* const> known,
                                                   Start start = Start::kNo);

/// As load_config(), for the text of a file; `name` is used in errors.
Expected<config::Config, ConfigErrors> parse_config(std::string_view toml, std::string_view name,
                                                    std::span<const wire::Game* const> known, Start start = Start::kNo);

/// A configuration with all defaults, and no routes.
config::Config default_config();

/// A TOML file with every key, its default and its documentation, generated from the schema.
std::string example_config();

}  // namespace entente
