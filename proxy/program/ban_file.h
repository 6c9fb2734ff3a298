// The bans that outlast a process, in a file: a line each, "NET UNTIL WHY", UNTIL as 2026-11-20T17:00:00Z or "forever".
// Law: whoever reads the file sees all of it as it was, or all of it as it is: a new one takes the old one's place.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/relay/bans.h"

namespace entente {

/// None if there is no such file; those that are over are left out. What cannot be read is an error with its line.
Outcome<std::vector<relay::Ban>> read_bans(const std::string& path, std::time_t now);

/// REQUIRES: no control characters in the reasons.
Outcome<Done> write_bans(const std::string& path, const std::vector<relay::Ban>& bans);

/// "2026-11-20T17:00:00Z", "forever".
std::string until_text(std::time_t until);

}  // namespace entente
