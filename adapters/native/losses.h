// What native's front and back drop, and why. Law: each line is also in the mapping table.
#pragma once

#include "adapters/wire/mapping.h"

namespace entente::native::loss {

using wire::lost_fact, wire::lost_intent, wire::lost_up, wire::Mapping;

inline constexpr Mapping kUnknownIntent = lost_up("*", "", "a kind of intent that this version does not know");
inline constexpr Mapping kSlowReader = lost_fact("*", "the client reads too slowly");
inline constexpr Mapping kOfContract2 = lost_intent("Playback", "the client has not asked for version 2 of native");
inline constexpr Mapping kEarlyFull = lost_intent("*", "too many intents before the server has sent anything");

}  // namespace entente::native::loss
