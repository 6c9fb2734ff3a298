// The list of games, by hand.
#pragma once

#include <span>
#include <string_view>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "proxy/base/asset.h"
#include "proxy/core/faces.h"

namespace entente {

/// Every game this program speaks, in the order `entente games` shows them.
std::span<const wire::Game* const> games();

/// The game whose name is the URL scheme `name`, or null.
const wire::Game* find_game(std::string_view name);

/// The text field of this message by which a client names its player; "" if it names nobody.
std::string_view player_name_field(const wire::Game& game, const wire::Row& row);

/// What a bridge needs of a game of this registry; empty where it can only be relayed.
const core::Faces& faces_of(const wire::Game& game);
std::span<const wire::Mapping> mapping_of(const wire::Game& game);

/// The page with which a browser plays what a listener of this game and dialect leads to; empty if there is none.
std::span<const Asset> page_of(const wire::Game& game, std::size_t dialect);

}  // namespace entente
