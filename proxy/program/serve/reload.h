// Reloading a configuration while it is served: what applies at once, and what needs a restart.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proxy/program/config/config.h"

namespace entente {

/// Reads and judges the configuration as at the start, beside what runs.
using Reread = std::function<Expected<LoadedConfig, ConfigErrors>(const Machine& machine)>;

/// One line for each difference that needs a restart, by the rules in schema/config.proto. Of the fleet's arenas and
/// the routes into them, also for what a reload would apply otherwise, except to listeners; and for an arena that is
/// not of the fleet any more.
std::vector<std::string> takes_restart(const config::Config& running, const config::Config& fresh);

/// `fresh`, with the keys that only a restart applies as they are in `running`: what a reload may serve.
config::Config served_until_restart(const config::Config& running, config::Config fresh);

/// One line for each difference that applies at once.
std::vector<std::string> applied_at_once(const config::Config& before, const config::Config& fresh);

// One route or arena before and after a reload, by the rules of its keys.
/// Whether what is served can go on with the fresh settings: they differ only in keys that apply at once, or whose
/// listeners are compared by themselves.
bool goes_on_with(const config::Route& before, const config::Route& fresh);
bool goes_on_with(const config::Arena& before, const config::Arena& fresh);
/// The keys that differ and apply at once, in order.
std::vector<std::string> changed_keys(const config::Route& before, const config::Route& fresh);

}  // namespace entente
