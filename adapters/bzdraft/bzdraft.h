// The BZFlag 1.8+ draft, as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::bzdraft {

/// The one draft of this program.
const wire::Game& game();

/// What bridges it.
const core::Faces& faces();

/// What becomes of every message and every word; see mapping.cc.
std::span<const wire::Mapping> mapping();

std::unique_ptr<wire::Codec> make_codec();

}  // namespace entente::bzdraft
