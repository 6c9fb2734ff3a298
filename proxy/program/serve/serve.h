// Serves a configuration until a signal.
#pragma once

#include <string>

#include "proxy/program/serve/reload.h"

namespace entente {

/// Prints a line for each listener to standard output, serves, and prints a summary; returns an Exit. With `reread`,
/// SIGHUP and `entente ctl reload` read the configuration again. `take_over`: the control socket of a program to take
/// over from; empty: there is none. `file`: the file of `config`, for the log; empty: `config` was made from options.
/// REQUIRES: parse_config accepts `config`.
int serve(const config::Config& config, Reread reread = {}, const std::string& take_over = {},
          const std::string& file = {});

}  // namespace entente
