// The list of games that the program speaks.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "adapters/wire/game.h"
#include "adapters/wire/mapping.h"
#include "adapters/wire/personal.h"
#include "proxy/base/asset.h"
#include "proxy/base/bytes.h"
#include "proxy/core/faces.h"

namespace entente {

/// Every game, in the order in which `entente games` shows them.
std::span<const wire::Game* const> games();

/// The game whose name is the URL scheme `name`, or null.
const wire::Game* find_game(std::string_view name);

/// The text field in which this message names the client's player; "" if it does not.
std::string_view player_name_field(const wire::Game& game, const wire::Row& row);

/// The name of the message by which a server of this game tells of a kill; "" if there is none. A game's name is its
/// URL scheme.
std::string_view kill_message(std::string_view game);

/// Whether this frame, a kill_message() of a server, says that one player killed another: not himself, and not by the
/// server's doing. False if it does not decode in this dialect (the first one, if this one is not known).
bool tells_kill(std::string_view game, std::string_view dialect, Bytes frame);

/// Called with each message of a server to one client, and its name: whether it says that a player killed another of
/// another team. It remembers the teams that the server tells. Empty for a game without kill_message().
std::function<bool(std::string_view name, Bytes frame)> kill_counter(std::string_view game, std::string_view dialect);

/// The message by which a server of this game asks its client for an echo; "" if there is none.
std::string_view ping_message(const wire::Game& game);

/// The fronts and backs of a game; empty if it can only be relayed.
const core::Faces& faces_of(const wire::Game& game);
std::span<const wire::MappingLine> mapping_of(const wire::Game& game);
/// What the fields of its messages tell of people. None of native, whose fields are those of words.
std::span<const wire::PersonalField> personal_of(const wire::Game& game);

/// The web page for a listener of this game and dialect; empty if there is none.
std::span<const Asset> page_of(const wire::Game& game, std::size_t dialect);

}  // namespace entente
