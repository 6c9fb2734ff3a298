// Ogar (the family of Agar.io servers), as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "proxy/core/faces.h"

namespace entente::ogar {

/// The one Ogar of this program.
const wire::Game& game();

/// A codec of the dialect at `dialect` in game().dialects().
std::unique_ptr<wire::Codec> make_codec(std::size_t dialect);

const core::Faces& faces();
/// Of every dialect.
std::span<const wire::Mapping> mapping();

}  // namespace entente::ogar
