// The functions that a rule can call; described.cc says what each does.
#pragma once

#include "proxy/rules/lua.h"

namespace entente::rules::calls {

int now(lua_State* lua);
int is_arena(lua_State* lua);
int players(lua_State* lua);
int player(lua_State* lua);
int find_player(lua_State* lua);
int unit(lua_State* lua);
int unit_of(lua_State* lua);
int near(lua_State* lua);
int clear_way(lua_State* lua);
int tokens(lua_State* lua);
int team_scores(lua_State* lua);
int room(lua_State* lua);
int round(lua_State* lua);
int setting(lua_State* lua);
int field(lua_State* lua);
int tell(lua_State* lua);
int tell_all(lua_State* lua);
int kick(lua_State* lua);
int ban(lua_State* lua);
int move(lua_State* lua);
int set_score(lua_State* lua);
int set_team(lua_State* lua);
int open_round(lua_State* lua);
int close_round(lua_State* lua);
int log(lua_State* lua);
int report(lua_State* lua);
int command(lua_State* lua);

}  // namespace entente::rules::calls
