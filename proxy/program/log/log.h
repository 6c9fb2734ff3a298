// The program's log: where it goes, and its format.
// Invariant: an entry is one line, whatever a peer put into it. A reader of the log that stops never stops the traffic.
#pragma once

#include <cstdint>

#include "proxy/base/fault.h"
#include "schema/config.pb.h"

namespace entente {

/// Configures spdlog's default logger. After it, call stop_log() before the end of main.
Outcome<Done> start_log(const config::Log& settings);

/// Applies the level of `settings`. From any thread.
void set_log_level(const config::Log& settings);

/// Applies the level of `settings` and reopens a log file, which may have been moved away. Other changes are
/// ignored. From any thread.
Outcome<Done> renew_log(const config::Log& settings);

/// Writes what is queued, and ends the log. A result that is printed must follow it: a thread of its own writes the
/// log, and its last lines would come after the result.
void stop_log();

/// How many lines were lost since start_log(), because they came faster than they could be written. The log says so
/// itself, every ten seconds at most. From any thread, before stop_log().
std::uint64_t lost_log_lines();

/// Between start_log() and stop_log(). From any thread.
bool log_is_open();

}  // namespace entente
