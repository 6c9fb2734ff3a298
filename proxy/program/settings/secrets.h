// Which fields of a game's messages hold passwords, tokens and commands: those that its mapping maps to a field of
// schema/game.proto that is marked `secret` or `secret_arguments`.
#pragma once

#include <vector>

#include "adapters/wire/game.h"
#include "adapters/wire/secrets.h"

namespace entente {

/// Empty for a game without secrets.
std::vector<wire::Secret> secrets_of(const wire::Game& game);

/// The fields in which servers of this game may repeat what their clients wrote: chat, and texts of servers.
std::vector<wire::EchoField> echoes_of(const wire::Game& game);

}  // namespace entente
