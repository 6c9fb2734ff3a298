// Ace of Spades, as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/aos/wire/mapping.h"
#include "adapters/wire/game.h"
#include "adapters/wire/personal.h"
#include "proxy/core/faces.h"

namespace entente::aos {

/// The game object. There is only one.
const wire::Game& game();

/// Creates its fronts and backs, which every dialect has.
const core::Faces& faces();

/// The personal data in the fields of messages; see personal.cc.
std::span<const wire::PersonalField> personal();

}  // namespace entente::aos
