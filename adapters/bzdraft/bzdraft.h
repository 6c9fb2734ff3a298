// The BZFlag 1.8+ draft, as the registry and the tools see it.
#pragma once

#include "adapters/wire/game.h"

namespace entente::bzdraft {

/// The one draft of this program.
const wire::Game& game();

std::unique_ptr<wire::Codec> make_codec();

}  // namespace entente::bzdraft
