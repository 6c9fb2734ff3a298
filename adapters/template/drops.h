// What a session drops, and why: lines of the mapping.
#pragma once

#include "adapters/wire/mapping.h"

namespace entente::sample::drops {

inline constexpr wire::MappingLine kOtherIntent = {"",  wire::kUp,          "",
                                                   "*", Fidelity::kDropped, "the game has only chat"};
inline constexpr wire::MappingLine kOtherFact = {"",  wire::kDown,        "",
                                                 "*", Fidelity::kDropped, "the game has only chat"};
inline constexpr wire::MappingLine kHelloAgain = wire::dropped_up("Hello", "", "the player has already entered");

}  // namespace entente::sample::drops
