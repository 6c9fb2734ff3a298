// What native's front and back drop, and why. Invariant: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"

namespace entente::native::drops {

using wire::dropped_down, wire::dropped_fact, wire::dropped_intent, wire::dropped_up, wire::MappingLine;

inline constexpr MappingLine kUnknownIntent = dropped_up("*", "", "a kind of intent that this version does not know");
inline constexpr MappingLine kSlowReader = dropped_fact("*", "the client reads too slowly");
inline constexpr MappingLine kOfContract2 =
    dropped_intent("Playback", "the client has not asked for version 2 of native");
inline constexpr MappingLine kTextTooLong = dropped_down("*", "", "the end of a text that is too long");
inline constexpr MappingLine kBoardFull = dropped_down("Board", "", "more rows than a board can have");
inline constexpr MappingLine kEarlyFull = dropped_intent("*", "too many intents before the server has sent anything");

}  // namespace entente::native::drops
