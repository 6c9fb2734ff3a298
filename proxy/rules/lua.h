// Lua's own headers. Its functions have C's names where the library was built so (Debian 12), else C++'s (Debian 13).
#pragma once

#ifdef ENTENTE_LUA_HAS_CPP_NAMES
#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>
#else
#include <lua5.4/lua.hpp>
#endif
