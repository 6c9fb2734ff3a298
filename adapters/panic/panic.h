// Tank Commander Panic, as the registry and the tools see it.
#pragma once

#include "adapters/wire/game.h"

namespace entente::panic {

/// The one Panic of this program.
const wire::Game& game();

}  // namespace entente::panic
