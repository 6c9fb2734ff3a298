#include "proxy/rules/saved_state.h"

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "proxy/rules/sandbox.h"

namespace entente::rules {
namespace {

constexpr int kDeepest = 8;

void write_text(std::string_view text, std::string& to) {
  to += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (to += '\\') += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      std::array<char, 8> escaped{};
      to.append(escaped.data(), static_cast<std::size_t>(std::snprintf(escaped.data(), escaped.size(), "\\%03d", c)));
    } else {
      to += c;
    }
  }
  to += '"';
}

void write_number(lua_State* lua, std::string& to) {
  std::array<char, 48> digits{};
  int size = 0;
  if (lua_isinteger(lua, -1) != 0) {
    const lua_Integer number = lua_tointeger(lua, -1);
    size = number == LUA_MININTEGER ? std::snprintf(digits.data(), digits.size(), "math.mininteger")
                                    : std::snprintf(digits.data(), digits.size(), "%" PRId64, std::int64_t{number});
  } else {
    const double number = lua_tonumber(lua, -1);
    if (!std::isfinite(number)) luaL_error(lua, "state has a number that is not finite");
    size = std::snprintf(digits.data(), digits.size(), "%a", number);
  }
  to.append(digits.data(), static_cast<std::size_t>(size));
}

/// Of the value on the top of the stack.
void write_value(lua_State* lua, int depth, std::size_t most, std::string& to) {
  Sandbox::charge(lua, 4);
  if (to.size() > most) luaL_error(lua, "state has more than %d KiB", static_cast<int>(most / 1024));
  switch (lua_type(lua, -1)) {
    case LUA_TBOOLEAN:
      to += lua_toboolean(lua, -1) != 0 ? "true" : "false";
      return;
    case LUA_TNUMBER:
      return write_number(lua, to);
    case LUA_TSTRING:
      return write_text({lua_tostring(lua, -1), lua_rawlen(lua, -1)}, to);
    case LUA_TTABLE:
      break;
    default:
      luaL_error(lua, "state has a %s, which cannot be saved", luaL_typename(lua, -1));
  }
  if (depth == kDeepest) luaL_error(lua, "state is deeper than %d tables", kDeepest);
  luaL_checkstack(lua, 8, "state");
  Sandbox::charge_scan(lua);
  to += '{';
  for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
    to += '[';
    lua_pushvalue(lua, -2);
    if (lua_istable(lua, -1)) luaL_error(lua, "state has a table as a key");
    write_value(lua, depth + 1, most, to);
    lua_pop(lua, 1);
    to += "]=";
    write_value(lua, depth + 1, most, to);
    to += ',';
  }
  to += '}';
}

}  // namespace

void save_state(lua_State* lua, std::size_t most, std::string& to) {
  const int type = lua_getglobal(lua, "state");
  if (type == LUA_TNIL) return;  // the rule keeps nothing
  if (type != LUA_TTABLE) luaL_error(lua, "state is not a table");
  to = "state=";
  write_value(lua, 0, most, to);
}

}  // namespace entente::rules
