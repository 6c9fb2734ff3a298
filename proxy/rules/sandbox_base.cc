// The functions of Lua without a prefix, and coroutines. See sandbox.h.
#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "proxy/rules/sandbox.h"

namespace entente::rules {
namespace {

/// An error of a rule that has no steps left cannot be caught.
void go_on_or_stop(lua_State* lua) {
  if (Sandbox::of(lua).is_exhausted()) Sandbox::charge(lua, 0);
}

int finish_pcall(lua_State* lua, int status, lua_KContext) {
  go_on_or_stop(lua);
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(lua);
  lua_pushboolean(lua, 0);
  lua_pushvalue(lua, -2);
  return 2;
}

int safe_pcall(lua_State* lua) {
  luaL_checkany(lua, 1);
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  return finish_pcall(lua, lua_pcallk(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0, 0, finish_pcall), 0);
}

/// coroutine.resume and coroutine.close, which catch errors.
int safe_coroutine(lua_State* lua) {
  Sandbox::charge(lua, 10);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, lua_gettop(lua) - 1, LUA_MULTRET);
  go_on_or_stop(lua);
  return lua_gettop(lua);
}

/// Finalizers run when no hook can stop them, and weak tables show when memory is collected.
int safe_setmetatable(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_argexpected(lua, lua_isnil(lua, 2) || lua_istable(lua, 2), 2, "nil or table");
  if (lua_istable(lua, 2)) {
    for (const char* const key : {"__gc", "__mode"}) {
      lua_pushstring(lua, key);
      if (lua_rawget(lua, 2) != LUA_TNIL) luaL_error(lua, "a rule cannot use %s", key);
      lua_pop(lua, 1);
    }
  }
  if (luaL_getmetafield(lua, 1, "__metatable") != LUA_TNIL) luaL_error(lua, "cannot change a protected metatable");
  lua_settop(lua, 2);
  lua_setmetatable(lua, 1);
  return 1;
}

int safe_tostring(lua_State* lua) {
  luaL_checkany(lua, 1);
  push_text_of(lua, 1);
  return 1;
}

/// `tonumber`, `select` and `error` may take a text as a number.
int charged_for_numbers(lua_State* lua) {
  for (const int i : {1, 2})
    if (lua_type(lua, i) == LUA_TSTRING) Sandbox::charge(lua, lua_rawlen(lua, i) / 16);
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

// -- pairs and next ---------------------------------------------------------------------------------------------------

struct Key {
  int rank = 0;  // numbers, then texts, then the others
  double number = 0;
  std::string_view text;
  lua_Integer at = 0;  // in the table of keys
  bool operator<(const Key& other) const {
    if (rank != other.rank) return rank < other.rank;
    if (number != other.number) return number < other.number;
    return text != other.text ? text < other.text : at < other.at;
  }
};

/// Whether the key at `index` is neither a number nor a text.
bool is_other(lua_State* lua, int index) {
  const int type = lua_type(lua, index);
  return type != LUA_TNUMBER && type != LUA_TSTRING;
}

/// Of the key on the top of the stack.
Key top_key(lua_State* lua, lua_Integer at) {
  Key key{2, 0, {}, at};
  if (lua_type(lua, -1) == LUA_TNUMBER) key.rank = 0, key.number = lua_tonumber(lua, -1);
  if (lua_type(lua, -1) == LUA_TSTRING) key.rank = 1, key.text = {lua_tostring(lua, -1), lua_rawlen(lua, -1)};
  return key;
}

/// The next of the other keys, which are in Lua's own order: Lua finds the place of a key that was just cleared.
int next_other(lua_State* lua) {
  while (lua_next(lua, 1) != 0) {
    Sandbox::charge(lua, 1);
    if (is_other(lua, -2)) return 2;
    lua_pop(lua, 1);
  }
  return lua_pushnil(lua), 1;
}

/// Lua's `next`, in the order of the keys: looks at all of them.
int sorted_next(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 2);
  Sandbox::charge_scan(lua);
  const bool begins = lua_isnil(lua, 2);
  if (!begins && is_other(lua, 2)) return next_other(lua);
  Key last = top_key(lua, std::numeric_limits<lua_Integer>::max());
  std::optional<Key> first;
  lua_pushnil(lua);  // 3: its key
  lua_Integer at = 0;
  for (lua_pushnil(lua); lua_next(lua, 1) != 0;) {
    Sandbox::charge(lua, 1);
    lua_pop(lua, 1);
    const Key key = top_key(lua, ++at);
    if (lua_rawequal(lua, -1, 2) != 0) last.at = at;
    if ((!begins && !(last < key)) || (first && !(key < *first))) continue;
    first = key;
    lua_copy(lua, -1, 3);
  }
  if (!first) return lua_pushnil(lua), 1;
  lua_pushvalue(lua, 3);
  lua_rawget(lua, 1);
  return 2;
}

/// The next key that still has a value.
int next_pair(lua_State* lua) {
  lua_Integer at = lua_tointeger(lua, lua_upvalueindex(3));
  while (true) {
    Sandbox::charge(lua, 1);
    if (lua_rawgeti(lua, lua_upvalueindex(2), ++at) == LUA_TNIL) return 1;
    lua_pushvalue(lua, -1);
    if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL) break;
    lua_pop(lua, 2);
  }
  lua_pushinteger(lua, at);
  lua_replace(lua, lua_upvalueindex(3));
  return 2;
}

}  // namespace

/// So all runs are alike. The table may be changed meanwhile.
int sorted_pairs(lua_State* lua) {
  luaL_checkany(lua, 1);
  if (luaL_getmetafield(lua, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(lua, 1);
    lua_call(lua, 1, 3);
    return 3;
  }
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 1);
  Sandbox::charge_scan(lua);
  std::vector<Key> keys;
  lua_newtable(lua);  // 2: the keys as they come
  for (lua_pushnil(lua); lua_next(lua, 1) != 0;) {
    Sandbox::charge(lua, 4);
    lua_pop(lua, 1);
    const Key key = top_key(lua, static_cast<lua_Integer>(keys.size()) + 1);
    keys.push_back(key);
    lua_pushvalue(lua, -1);
    lua_rawseti(lua, 2, key.at);
  }
  std::sort(keys.begin(), keys.end());
  lua_pushvalue(lua, 1);
  lua_createtable(lua, static_cast<int>(keys.size()), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    lua_rawgeti(lua, 2, keys[i].at);
    lua_rawseti(lua, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushinteger(lua, 0);
  lua_pushcclosure(lua, next_pair, 3);
  return 1;
}

namespace {

void replace(lua_State* lua, const char* name, lua_CFunction with, bool keeps_old = false) {
  if (keeps_old) lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, with, keeps_old ? 1 : 0);
  lua_setfield(lua, -2, name);
}

}  // namespace

void push_text_of(lua_State* lua, int index) {
  const int type = lua_type(lua, index);
  const bool plain = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TTHREAD || type == LUA_TUSERDATA;
  if (plain && luaL_getmetafield(lua, index, "__tostring") == LUA_TNIL) {
    lua_pushstring(lua, lua_typename(lua, type));
    return;
  }
  if (plain) lua_pop(lua, 1);
  luaL_tolstring(lua, index, nullptr);
}

void open_base(lua_State* lua) {
  lua_pushglobaltable(lua);
  for (const char* const name :
       {"collectgarbage", "dofile", "load", "loadfile", "print", "warn", "xpcall", "require"}) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  replace(lua, "pcall", safe_pcall);
  replace(lua, "setmetatable", safe_setmetatable);
  replace(lua, "tostring", safe_tostring);
  for (const char* const name : {"tonumber", "select", "error"}) replace(lua, name, charged_for_numbers, true);
  replace(lua, "pairs", sorted_pairs);
  replace(lua, "next", sorted_next);
  lua_getfield(lua, -1, LUA_COLIBNAME);
  replace(lua, "resume", safe_coroutine, true);
  replace(lua, "close", safe_coroutine, true);
  lua_pop(lua, 2);
}

}  // namespace entente::rules
