// The list of games, by hand.
#pragma once

#include <span>
#include <string_view>

#include "adapters/wire/game.h"

namespace entente {

/// Every game this program speaks, in the order `entente games` shows them.
std::span<const wire::Game* const> games();

/// The game whose name is the URL scheme `name`, or null.
const wire::Game* find_game(std::string_view name);

}  // namespace entente
