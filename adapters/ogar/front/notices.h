// What a server's chat line tells an Ogar client that has no other place on its screen: who wins, why it must go.
#pragma once

#include <string>

#include "adapters/ogar/messages.h"
#include "proxy/core/world.h"

namespace entente::ogar {

/// The line for this fact; empty if none is due.
std::string notice_of(const core::Fact& fact, const core::World& world);

/// OgarII's look of its own lines.
ChatLine server_line(std::string_view text);
ChatLine chat_line(const words::Said& said, const core::World& world);

}  // namespace entente::ogar
