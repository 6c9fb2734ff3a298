// BZFlag, as the registry and the tools see it.
#pragma once

#include "adapters/wire/game.h"

namespace entente::bzflag {

/// The one BZFlag of this program.
const wire::Game& game();

}  // namespace entente::bzflag
