// The settings of [fleet].
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/base/fault.h"
#include "schema/config.pb.h"

namespace entente {

inline bool is_in_fleet(const config::Config& config) { return config.fleet().nats_size() != 0; }

/// What is wrong with [fleet]: pairs of a key, without "fleet.", and why. `reads`: whether to read the files that it
/// names, too.
std::vector<std::pair<std::string, std::string>> objections_to(const config::Fleet& fleet, bool reads);

/// The arena of the fleet that a route leads to ("fleet:NAME"); nothing: it leads to servers.
std::optional<std::string> fleet_arena_of(const config::Route& route);

/// The name of this node: the one in the configuration, or this machine's.
std::string node_of(const config::Fleet& fleet);

/// The first line of a file with a secret: not empty, up to 4,096 bytes. An error: other users may read the file, or it
/// cannot be read.
Outcome<std::string> read_secret(const std::string& path);

}  // namespace entente
