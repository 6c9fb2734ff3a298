#include "proxy/rules/snapshots.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "proxy/core/seconds.h"
#include "proxy/rules/words.h"

namespace entente::rules {
namespace {

/// A field of a snapshot. `push`: its value.
template <class Snapshot>
struct Field {
  const char* name;
  const char* type;  // of LuaLS
  void (*push)(lua_State* lua, const Snapshot& its);
};

struct PlayerSnapshot {
  core::Id id = 0, unit = 0;
  std::uint32_t kit = 0, wins = 0, losses = 0, team_kills = 0, badges = 0;
  double ping_s = 0;
  const char *team = "", *role = "";  // names of values, which live as long as the program
  bool here = false, alive = false;
};

struct UnitSnapshot {
  core::Id id = 0, owner = 0;
  std::uint32_t state = 0;
  const char *kind = "", *team = "";
  bool alive = false, hidden = false, has_away = false;
  double health = 0, max_health = 0, radius = 0, x = 0, y = 0, z = 0, vx = 0, vy = 0, vz = 0, yaw = 0, pitch = 0;
  double age = 0;  // of its place, in seconds
  double away = 0;
};

template <class Snapshot, auto kMember>
void push_member(lua_State* lua, const Snapshot& its) {
  using Value = std::decay_t<decltype(its.*kMember)>;
  if constexpr (std::is_same_v<Value, bool>)
    lua_pushboolean(lua, its.*kMember);
  else if constexpr (std::is_same_v<Value, double>)
    lua_pushnumber(lua, its.*kMember);
  else if constexpr (std::is_same_v<Value, const char*>)
    lua_pushstring(lua, its.*kMember);
  else
    lua_pushinteger(lua, its.*kMember);
}

template <words::Badge kBadge>
void push_badge(lua_State* lua, const PlayerSnapshot& its) {
  lua_pushboolean(lua, (its.badges & kBadge) != 0);
}

using P = PlayerSnapshot;
using U = UnitSnapshot;
constexpr std::array<Field<P>, 15> kPlayerFields{{
    {"id", "integer", push_member<P, &P::id>},
    // A text lies beside the snapshot, which is the first value on the stack.
    {"name", "string", [](lua_State* lua, const P&) { lua_getiuservalue(lua, 1, 1); }},
    {"team", "string", push_member<P, &P::team>},
    {"role", "string", push_member<P, &P::role>},
    {"kit", "integer", push_member<P, &P::kit>},
    {"wins", "integer", push_member<P, &P::wins>},
    {"losses", "integer", push_member<P, &P::losses>},
    {"team_kills", "integer", push_member<P, &P::team_kills>},
    {"ping_s", "number", push_member<P, &P::ping_s>},
    {"unit", "integer", push_member<P, &P::unit>},
    {"admin", "boolean", push_badge<words::ADMIN>},
    {"registered", "boolean", push_badge<words::REGISTERED>},
    {"paused", "boolean", push_badge<words::PAUSED>},
    {"here", "boolean", push_member<P, &P::here>},
    {"alive", "boolean", push_member<P, &P::alive>},
}};
constexpr std::array<Field<U>, 20> kUnitFields{{
    {"id", "integer", push_member<U, &U::id>},
    {"owner", "integer", push_member<U, &U::owner>},
    {"kind", "string", push_member<U, &U::kind>},
    {"team", "string", push_member<U, &U::team>},
    {"alive", "boolean", push_member<U, &U::alive>},
    {"hidden", "boolean", push_member<U, &U::hidden>},
    {"health", "number", push_member<U, &U::health>},
    {"max_health", "number", push_member<U, &U::max_health>},
    {"radius", "number", push_member<U, &U::radius>},
    {"x", "number", push_member<U, &U::x>},
    {"y", "number", push_member<U, &U::y>},
    {"z", "number", push_member<U, &U::z>},
    {"vx", "number", push_member<U, &U::vx>},
    {"vy", "number", push_member<U, &U::vy>},
    {"vz", "number", push_member<U, &U::vz>},
    {"yaw", "number", push_member<U, &U::yaw>},
    {"pitch", "number", push_member<U, &U::pitch>},
    {"state", "integer", push_member<U, &U::state>},
    {"age", "number", push_member<U, &U::age>},
    {"away", "number?",
     [](lua_State* lua, const U& its) { its.has_away ? lua_pushnumber(lua, its.away) : lua_pushnil(lua); }},
}};

template <class Snapshot>
const auto& fields_of() {
  if constexpr (std::is_same_v<Snapshot, P>)
    return kPlayerFields;
  else
    return kUnitFields;
}
template <class Snapshot>
constexpr const char* kNameOf = std::is_same_v<Snapshot, P> ? "Player" : "Unit";
/// Its address is the key of the metatable in the registry.
template <class Snapshot>
constexpr char kMetatableOf = 0;

/// __index. Rules cannot get at it, so the first argument is a snapshot of this kind.
template <class Snapshot>
int read_field(lua_State* lua) {
  lua_settop(lua, 2);
  lua_pushvalue(lua, 2);
  if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNUMBER) {
    push_text_of(lua, 2);
    return luaL_error(lua, "a %s has no field '%s'", kNameOf<Snapshot>, lua_tostring(lua, -1));
  }
  const auto at = static_cast<std::size_t>(lua_tointeger(lua, -1));
  fields_of<Snapshot>()[at].push(lua, *static_cast<const Snapshot*>(lua_touserdata(lua, 1)));
  return 1;
}

template <class Snapshot>
int refuse_to_set(lua_State* lua) {
  return luaL_error(lua, "a %s cannot be changed", kNameOf<Snapshot>);
}

/// __pairs: goes through the fields as through those of a table.
template <class Snapshot>
int pairs_of(lua_State* lua) {
  lua_settop(lua, 1);
  const auto& its = *static_cast<const Snapshot*>(lua_touserdata(lua, 1));
  lua_newtable(lua);
  for (const auto& field : fields_of<Snapshot>()) {
    Sandbox::charge(lua, 1);
    field.push(lua, its);
    lua_setfield(lua, 2, field.name);
  }
  lua_remove(lua, 1);
  return sorted_pairs(lua);
}

template <class Snapshot>
void open_kind(lua_State* lua) {
  lua_createtable(lua, 0, 4);
  lua_newtable(lua);
  lua_Integer at = 0;
  for (const auto& field : fields_of<Snapshot>()) {
    lua_pushinteger(lua, at++);
    lua_setfield(lua, -2, field.name);
  }
  lua_pushcclosure(lua, read_field<Snapshot>, 1);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, refuse_to_set<Snapshot>);
  lua_setfield(lua, -2, "__newindex");
  lua_pushcfunction(lua, pairs_of<Snapshot>);
  lua_setfield(lua, -2, "__pairs");
  lua_pushstring(lua, kNameOf<Snapshot>);
  lua_setfield(lua, -2, "__metatable");  // what rules get instead of the metatable
  lua_rawsetp(lua, LUA_REGISTRYINDEX, &kMetatableOf<Snapshot>);
}

/// Pushes an empty one.
template <class Snapshot>
Snapshot& make(lua_State* lua) {
  static_assert(std::is_trivially_destructible_v<Snapshot>);  // nobody destroys it
  Sandbox::charge(lua, 4);
  constexpr int kTexts = std::is_same_v<Snapshot, P> ? 1 : 0;
  auto* const made = new (lua_newuserdatauv(lua, sizeof(Snapshot), kTexts)) Snapshot();
  lua_rawgetp(lua, LUA_REGISTRYINDEX, &kMetatableOf<Snapshot>);
  lua_setmetatable(lua, -2);
  return *made;
}

template <class Snapshot>
std::string listed_fields() {
  std::string list;
  for (const auto& field : fields_of<Snapshot>())
    list += std::string(list.empty() ? "" : ", ") + field.name + ": " + field.type;
  return list;
}

}  // namespace

void open_snapshots(lua_State* lua) {
  open_kind<PlayerSnapshot>(lua);
  open_kind<UnitSnapshot>(lua);
}

void push_player(lua_State* lua, const core::PlayerState& state, const RoomView& view) {
  const words::Player& player = state.player;
  const core::UnitState* const unit = view.world().unit(state.active);
  auto& its = make<PlayerSnapshot>(lua);
  its.id = player.id();
  its.unit = state.active;
  its.kit = player.kit();
  its.wins = state.score.wins();
  its.losses = state.score.losses();
  its.team_kills = state.score.team_kills();
  its.badges = player.badges();
  its.ping_s = state.ping_s;
  its.team = words::Team_Name(player.team()).c_str();
  its.role = words::Role_Name(player.role()).c_str();
  its.here = view.is_here(player.id());
  its.alive = unit != nullptr && unit->unit.alive();
  push_text(lua, player.name());
  lua_setiuservalue(lua, -2, 1);
}

void push_unit(lua_State* lua, const core::UnitState& state, const Past::Told& told, core::Micros now,
               std::optional<double> away) {
  const words::Unit& unit = state.unit;
  const Past::Told there = told.placed(now);
  auto& its = make<UnitSnapshot>(lua);
  its.id = unit.id();
  its.owner = unit.owner();
  its.state = there.state;
  its.kind = words::Unit_Kind_Name(unit.kind()).c_str();
  its.team = words::Team_Name(unit.team()).c_str();
  its.alive = unit.alive();
  its.hidden = state.hidden;
  its.health = unit.health();
  its.max_health = unit.max_health();
  its.radius = unit.radius();
  its.x = there.x;
  its.y = there.y;
  its.z = there.z;
  its.vx = there.vx;
  its.vy = there.vy;
  its.vz = there.vz;
  its.yaw = there.yaw;
  its.pitch = there.pitch;
  its.age = core::seconds(told.at, now);
  its.has_away = away.has_value();
  its.away = away.value_or(0);
}

std::string player_fields() { return listed_fields<PlayerSnapshot>(); }
std::string unit_fields() { return listed_fields<UnitSnapshot>(); }

}  // namespace entente::rules
