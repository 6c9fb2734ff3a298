// Serves a configuration until a signal.
#pragma once

#include "proxy/program/serve/reload.h"

namespace entente {

/// Prints a line for each listener to standard output, serves, and prints a summary; returns an Exit. With `reread`,
/// SIGHUP and `entente ctl reload` read the configuration again. REQUIRES: parse_config accepts `config`.
int serve(const config::Config& config, Reread reread = {});

}  // namespace entente
