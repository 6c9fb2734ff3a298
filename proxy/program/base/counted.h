// Numbers with their nouns, for a person.
#pragma once

#include <cstdint>
#include <string>

namespace entente {

/// "1 route", "3 routes"
inline std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "1 session goes on", "3 sessions go on"
inline std::string sessions_go_on(std::uint64_t sessions) {
  return counted(sessions, "session") + (sessions == 1 ? " goes on" : " go on");
}

/// " for at most 60 s"; "" if there is no limit
inline std::string for_at_most(std::int64_t seconds) {
  return seconds > 0 ? " for at most " + std::to_string(seconds) + " s" : "";
}

}  // namespace entente
