// BZFlag, as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::bzflag {

/// The one BZFlag of this program.
const wire::Game& game();

/// What bridges it: 2.4 so far; no other dialect has a face.
const core::Faces& faces();

/// What becomes of every message and every word; see mapping.cc.
std::span<const wire::Mapping> mapping();

}  // namespace entente::bzflag
