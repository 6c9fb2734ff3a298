// Chat lines for what an Ogar client can show nowhere else: who wins, why the session ends.
#pragma once

#include <string>

#include "adapters/ogar/wire/messages.h"
#include "proxy/core/world.h"

namespace entente::ogar {

/// The line for this fact to that player; empty if it has none.
std::string notice_of(const core::Fact& fact, const core::WorldState& world, core::Id me);
/// How to play as a tank or a man. Empty if `fact` is not about such a unit of the player's that comes into play.
std::string keys_of(const core::Fact& fact, const core::WorldState& world, core::Id me);

/// A line of the server, which looks as in OgarII.
ChatLine server_line(std::string_view text);
ChatLine chat_line(const words::Said& said, const core::WorldState& world);

}  // namespace entente::ogar
