// Chat lines for what an Ogar client can show nowhere else: who wins, why the session ends.
#pragma once

#include <string>

#include "adapters/ogar/messages.h"
#include "proxy/core/world.h"

namespace entente::ogar {

/// The line for this fact; empty if it has none.
std::string notice_of(const core::Fact& fact, const core::World& world);

/// A line of the server, which looks as in OgarII.
ChatLine server_line(std::string_view text);
ChatLine chat_line(const words::Said& said, const core::World& world);

}  // namespace entente::ogar
