// What Statistics counted, as text for people and as JSON.
#pragma once

#include <string>

#include "proxy/program/numbers/statistics.h"

namespace entente::numbers {

/// `name`: of the recording. Names of players are made safe for a terminal. `colours`: of a terminal.
std::string report_text(const Statistics& statistics, const std::string& name, bool colours);

/// Appends the members of an object, without its braces.
void report_json(const Statistics& statistics, const std::string& name, std::string& out);

/// "2:05", "1:02:05"
std::string clock_text(double seconds);

}  // namespace entente::numbers
