// Ogar (the family of Agar.io servers), as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/ogar/wire/mapping.h"
#include "adapters/wire/game.h"
#include "adapters/wire/personal.h"
#include "proxy/core/faces.h"

namespace entente::ogar {

/// The game object. There is only one.
const wire::Game& game();

const core::Faces& faces();
/// The personal data in the fields of messages; see personal.cc.
std::span<const wire::PersonalField> personal();

}  // namespace entente::ogar
