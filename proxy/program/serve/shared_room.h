// What the commands that open a shared room have in common: listeners of any game that has a front, which all lead into
// it.
#pragma once

#include <string>
#include <string_view>

#include "proxy/program/config/route.h"
#include "proxy/program/serve/service.h"

namespace entente {

/// Like parse_listen; its game must have a front in that dialect.
Outcome<ListenEnd> parse_shared_listen(std::string_view url, std::span<const wire::Game* const> known);

/// Which shared room of the service, what it is called, and its tap.
struct SharedRoomEntry {
  std::size_t shared_room = 0;
  std::string name;
  relay::TapThread* tap = nullptr;
};

/// Lets them in there. Returns the line that announces it.
Outcome<std::string> listen_in_shared_room(Service& service, const SharedRoomEntry& entry, const ListenEnd& end);

}  // namespace entente
