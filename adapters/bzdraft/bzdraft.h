// The BZFlag 1.8+ draft, as the registry and the tools see it.
#pragma once

#include <span>

#include "adapters/bzdraft/wire/mapping.h"
#include "adapters/wire/game.h"
#include "adapters/wire/personal.h"
#include "proxy/core/faces.h"

namespace entente::bzdraft {

/// The game object. There is only one.
const wire::Game& game();

/// Creates its fronts and backs.
const core::Faces& faces();

/// The personal data in the fields of messages; see personal.cc.
std::span<const wire::PersonalField> personal();

}  // namespace entente::bzdraft
