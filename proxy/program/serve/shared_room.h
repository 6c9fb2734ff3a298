// Shared by commands that open a shared room: its listeners, of any game with a front.
#pragma once

#include <string>
#include <string_view>

#include "proxy/program/serve/service.h"
#include "proxy/program/settings/route.h"

namespace entente {

/// The number, name and tap of a shared room of the service.
struct SharedRoomEntry {
  std::size_t shared_room = 0;
  std::string name;
  relay::TapThread* tap = nullptr;
  bool arena = false;  ///< players can be moved into it
};

/// A listener of the shared room.
Outcome<Service::NewRoute> route_into(const SharedRoomEntry& entry, const ListenEnd& end);

/// Adds such a listener to the service. Returns the line that announces it.
Outcome<std::string> listen_in_shared_room(Service& service, const SharedRoomEntry& entry, const ListenEnd& end);

}  // namespace entente
