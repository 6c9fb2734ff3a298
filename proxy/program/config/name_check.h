// Looks up the host names of a configuration, for `entente check`.
#pragma once

#include <string>
#include <vector>

#include "proxy/net/names/host_names.h"
#include "proxy/program/config/config.h"

namespace entente {

/// A line "file:line:column: key: warning: …" for each name without an address. Such a name is no error: the program
/// starts without that server, and looks it up again. Takes 5 s at most.
std::vector<std::string> names_not_found(const LoadedConfig& loaded, net::LookUp look_up = net::look_up_by_system);

}  // namespace entente
