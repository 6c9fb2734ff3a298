// What a session drops, and why: lines of the mapping.
#pragma once

#include "adapters/wire/mapping.h"

namespace entente::sample::loss {

inline constexpr wire::Mapping kOtherIntent = {"", wire::kUp, "", "*", Fidelity::kDropped, "the game has only chat"};
inline constexpr wire::Mapping kOtherFact = {"", wire::kDown, "", "*", Fidelity::kDropped, "the game has only chat"};
inline constexpr wire::Mapping kHelloAgain = wire::lost_up("Hello", "", "the player has already entered");

}  // namespace entente::sample::loss
