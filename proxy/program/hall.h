// What the commands that open a hall have in common: listeners of any game that has a front, which all lead into it.
#pragma once

#include <string>
#include <string_view>

#include "proxy/program/route.h"
#include "proxy/program/service.h"

namespace entente {

/// Like parse_listen; its game must have a front in that dialect.
Outcome<ListenEnd> parse_hall_listen(std::string_view url, std::span<const wire::Game* const> known);

/// Which hall of the service, what it is called, and its tap.
struct HallEntry {
  std::size_t hall = 0;
  std::string name;
  relay::TapThread* tap = nullptr;
};

/// Lets them in there. Returns the line that announces it.
Outcome<std::string> listen_in_hall(Service& service, const HallEntry& entry, const ListenEnd& end);

}  // namespace entente
