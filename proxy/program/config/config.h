// The configuration file of `entente run`.
// Law: nothing starts on a file with anything wrong in it, and all that is wrong is told at once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "schema/config.pb.h"

namespace entente {

/// What is wrong with a file: lines "file:line:column: key: what is wrong", in the order of the file.
using Complaints = std::vector<std::string>;

/// Writes them to standard error.
void tell(const Complaints& complaints);

/// Whether the files that it is to write, and the bans, are looked at, too: as a start would find them. (One that runs
/// has them open, and may be told by a file that has them elsewhere.)
enum class Start : bool { kNo, kYes };

/// Reads and checks `path`; its endpoints are in terms of the games in `known`.
Expected<config::Config, Complaints> load_config(const std::string& path, std::span<const wire::Game* const> known,
                                                 Start start = Start::kNo);

/// The same for a text; `name` stands in the complaints.
Expected<config::Config, Complaints> parse_config(std::string_view toml, std::string_view name,
                                                  std::span<const wire::Game* const> known, Start start = Start::kNo);

/// A configuration with every key at its preset, and no routes.
config::Config preset_config();

/// A TOML file with every key at its preset and what a person must know about it, made from the schema.
std::string example_config();

}  // namespace entente
