// The functions `table` of Lua. They take only tables without a metatable, whose length is true, and are charged for
// what they move. See sandbox.h.
#include <algorithm>

#include "proxy/rules/sandbox.h"

namespace entente::rules {
namespace {

lua_Integer size_of(lua_State* lua, int index) {
  luaL_checktype(lua, index, LUA_TTABLE);
  if (lua_getmetatable(lua, index) != 0) luaL_argerror(lua, index, "a table without a metatable expected");
  return static_cast<lua_Integer>(lua_rawlen(lua, index));
}

/// For the elements from `first` to `last`.
void charge_range(lua_State* lua, lua_Integer first, lua_Integer last) {
  const bool any = last >= first;
  Sandbox::charge(lua, any ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0);
}

int original(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

int safe_insert(lua_State* lua) {
  if (lua_type(lua, 2) == LUA_TSTRING && lua_gettop(lua) > 2) Sandbox::charge(lua, lua_rawlen(lua, 2) / 16);
  const lua_Integer size = size_of(lua, 1);
  charge_range(lua, lua_gettop(lua) > 2 ? luaL_checkinteger(lua, 2) : size, size);
  return original(lua);
}

int safe_remove(lua_State* lua) {
  Sandbox::charge_texts(lua, 2);
  const lua_Integer size = size_of(lua, 1);
  charge_range(lua, luaL_optinteger(lua, 2, size), size);
  return original(lua);
}

int safe_concat(lua_State* lua) {
  Sandbox::charge_texts(lua, 2);
  const lua_Integer size = size_of(lua, 1);
  charge_range(lua, luaL_optinteger(lua, 3, 1), luaL_optinteger(lua, 4, size));
  return original(lua);
}

int safe_unpack(lua_State* lua) {
  Sandbox::charge_texts(lua, 2);
  const lua_Integer size = size_of(lua, 1);
  charge_range(lua, luaL_optinteger(lua, 2, 1), luaL_optinteger(lua, 3, size));
  return original(lua);
}

int safe_move(lua_State* lua) {
  Sandbox::charge_texts(lua, 2);
  size_of(lua, 1);
  if (!lua_isnoneornil(lua, 5)) size_of(lua, 5);
  charge_range(lua, luaL_checkinteger(lua, 2), luaL_checkinteger(lua, 3));
  return original(lua);
}

/// A merge sort, in Lua so that it is counted. Lua's own sort asks a clock, and order and time of it depend on that.
constexpr const char* kSort = R"(
local raw = ...
return function(list, before)
  local size = raw(list)
  before = before or function(a, b) return a < b end
  local from, to, width = list, {}, 1
  while width < size do
    for low = 1, size, 2 * width do
      local middle, high = low + width, low + 2 * width
      if middle > size + 1 then middle = size + 1 end
      if high > size + 1 then high = size + 1 end
      local left, right = low, middle
      for at = low, high - 1 do
        if left < middle and (right >= high or not before(from[right], from[left])) then
          to[at], left = from[left], left + 1
        else
          to[at], right = from[right], right + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  if from ~= list then
    for at = 1, size do list[at] = from[at] end
  end
end
)";

int plain_size(lua_State* lua) {
  const lua_Integer size = size_of(lua, 1);
  lua_pushinteger(lua, size);
  return 1;
}

}  // namespace

void open_tables(lua_State* lua) {
  lua_getglobal(lua, LUA_TABLIBNAME);
  constexpr luaL_Reg kSafe[] = {{"insert", safe_insert},
                                {"remove", safe_remove},
                                {"concat", safe_concat},
                                {"unpack", safe_unpack},
                                {"move", safe_move}};
  for (const luaL_Reg& one : kSafe) {
    lua_getfield(lua, -1, one.name);
    lua_pushcclosure(lua, one.func, 1);
    lua_setfield(lua, -2, one.name);
  }
  if (luaL_loadbufferx(lua, kSort, std::char_traits<char>::length(kSort), "=table.sort", "t") != LUA_OK) lua_error(lua);
  lua_pushcfunction(lua, plain_size);
  lua_call(lua, 1, 1);
  lua_setfield(lua, -2, "sort");
  lua_pop(lua, 1);
}

}  // namespace entente::rules
