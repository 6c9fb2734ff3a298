// The table `state` of a rule, as a piece of Lua that makes it again.
#pragma once

#include <string>

#include "proxy/rules/lua.h"

namespace entente::rules {

/// An error of Lua if `state` has anything but booleans, finite numbers, strings and tables of them, is deeper than
/// eight tables (so it has no circle), or takes more than `most` bytes.
void save_state(lua_State* lua, std::size_t most, std::string& to);

}  // namespace entente::rules
