// Carries the routes of a configuration until a signal ends it.
#pragma once

#include "proxy/program/serve/reload.h"

namespace entente {

/// Announces each listener on a line of standard output, serves, and says what was served; returns an Exit. With
/// `reread`, SIGHUP and `entente ctl reload` have it read again. REQUIRES: `config` is one that parse_config would let
/// through.
int serve(const config::Config& config, Reread reread = {});

}  // namespace entente
