// Players and units of a world, as rules see them: what was true when a rule asked. A rule reads a field as that of a
// table, and cannot set it. They are no tables, because making a table of all fields takes ten times as long as copying
// them, and rules read few.
#pragma once

#include <optional>
#include <string>

#include "proxy/core/world.h"
#include "proxy/rules/lua.h"
#include "proxy/rules/rule.h"

namespace entente::rules {

/// Makes the kinds of values. REQUIRES: called once for each state, before the others.
void open_snapshots(lua_State* lua);

void push_player(lua_State* lua, const core::PlayerState& state, const RoomView& view);
/// `told`: the place that was reported last. `now`: the unit is where it is then. `away`: as near() says; nothing: the
/// field is nil.
void push_unit(lua_State* lua, const core::UnitState& state, const Past::Told& told, core::Micros now,
               std::optional<double> away = std::nullopt);

/// Their fields with types, for the reference: "id: integer, name: string".
std::string player_fields();
std::string unit_fields();

}  // namespace entente::rules
