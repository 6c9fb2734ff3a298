// Serves a configuration until a signal.
#pragma once

#include "proxy/program/serve/reload.h"

namespace entente {

class TakeOver;

/// Prints a line for each listener to standard output, serves, and prints a summary; returns an Exit. With `reread`,
/// SIGHUP and `entente ctl reload` read the configuration again. `take_over`: a take-over from another program that has
/// begun; null: there is none. REQUIRES: parse_config accepts the configuration.
int serve(const LoadedConfig& loaded, Reread reread = {}, TakeOver* take_over = nullptr);

}  // namespace entente
