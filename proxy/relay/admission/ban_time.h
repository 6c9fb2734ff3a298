// How long a server's ban lasts, as the server's words say: bzfs ends the reason with "(9 mins, 55 secs remaining)".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace entente::relay {

/// In seconds, at least 1 and at most a year. Nothing: the words name no time, or the ban has no end.
std::optional<std::uint32_t> time_of_ban(std::string_view words);

}  // namespace entente::relay
