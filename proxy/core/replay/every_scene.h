// A fact for all seats of a room, whichever scene they see. It changes no world.
#pragma once

#include "proxy/core/word.h"

namespace entente::core {

inline constexpr Id kEveryScene = ~Id{0};

}  // namespace entente::core
