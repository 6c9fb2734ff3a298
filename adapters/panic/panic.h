// Tank Commander Panic, as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::panic {

/// The one Panic of this program.
const wire::Game& game();

/// Its front and its back, in every dialect.
const core::Faces& faces();

/// What becomes of each field and each word.
std::span<const wire::Mapping> mapping();

}  // namespace entente::panic
