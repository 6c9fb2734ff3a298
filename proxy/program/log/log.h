// Where the program's log goes, and what its lines look like.
// Law: a line is one line, whatever a peer put into it; a reader of the log that stops never stops the traffic.
#pragma once

#include "proxy/base/fault.h"
#include "schema/config.pb.h"

namespace entente {

/// Makes spdlog's default logger write as `settings` say. Call stop_log() before the end of main.
Outcome<Done> start_log(const config::Log& settings);

/// From now on the level is that of `settings`, and a log file is opened anew, as who has moved it away expects. What
/// else changed is as it was. From any thread.
Outcome<Done> renew_log(const config::Log& settings);

/// Writes what is still queued.
void stop_log();

}  // namespace entente
