// The configuration file of `entente run`.
// Invariant: nothing starts with an invalid file, and all errors are reported together.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/program/base/read_file.h"
#include "proxy/program/config/config_places.h"
#include "schema/config.pb.h"

namespace entente {

/// What commands call the rooms of all audiences. No arena may have this name.
inline constexpr const char* kAudiences = "watch";

/// The errors of a file: lines "file:line:column: key: error", in the order of the file.
using ConfigErrors = std::vector<std::string>;

/// Prints them to standard error.
void print_errors(const ConfigErrors& errors);

/// The machine on which a file is to run. `check`, a start, a reload and an upgrade judge a file by the same rules: the
/// files that it names can be read or written, and this machine has its addresses. Whether another program has a port
/// is seen only when it is opened.
struct Machine {
  /// What the running program has already, and may keep: a recording of this name, an arena with these settings, a
  /// listener or a page at this address. Empty: no program runs.
  std::function<bool(const std::string& file)> records = {};
  std::function<bool(const config::Arena& arena)> plays = {};
  std::function<bool(const net::Address& at)> listens = {};
  /// Another process is to run the file, or runs it already. What may be wrong only for this process is a warning: a
  /// file that the other one writes, or a right that only the other one has.
  bool runs_elsewhere = false;
};

/// Reads and checks `path`; endpoints are resolved with the games in `known`. `machine` null: only the text of the file
/// is judged. `pipes`: kRefused if others would wait, too, for the writer of a pipe.
Expected<LoadedConfig, ConfigErrors> load_config(const std::string& path, std::span<const wire::Game* const> known,
                                                 const Machine* machine, Pipes pipes = Pipes::kRead);

/// As load_config(), for the text of a file; `name` is used in errors.
Expected<config::Config, ConfigErrors> parse_config(std::string_view toml, std::string_view name,
                                                    std::span<const wire::Game* const> known,
                                                    const Machine* machine = nullptr);

/// A configuration with all defaults, and no routes.
config::Config default_config();

/// A TOML file with every key, its default and its documentation, generated from the schema.
std::string example_config();

}  // namespace entente
