// The functions that a rule can call, and the handlers that it can define, with what the reference says about them.
// The reference, the types for editors and the tests are made from these tables.
// Invariant: each has an example, which is a whole rule; a test plays it.
#pragma once

#include <span>

#include "proxy/core/word.h"
#include "proxy/rules/lua.h"

namespace entente::rules {

struct Described {
  const char* name;        ///< "on_chat", "tell"
  const char* parameters;  ///< "player: integer, text: string, why?: string"; '?': may be left out
  const char* returns;     ///< a type of LuaLS; "": nothing
  const char* text;        ///< what it does, for the reference
  const char* example;     ///< a rule that uses it
  lua_CFunction call;      ///< null: a handler
};

/// The handlers come first.
std::span<const Described> described();

/// Makes the functions and the tables on_intent, on_fact and state.
void open_functions(lua_State* lua);
/// Pushes a player of the world; nil: it is not there.
void push_player(lua_State* lua, core::Id player);

}  // namespace entente::rules
