// What the functions of functions.h do. Their texts: described.cc.
#include "proxy/rules/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/lower_case.h"
#include "proxy/base/text.h"
#include "proxy/core/seconds.h"
#include "proxy/rules/calls.h"
#include "proxy/rules/rule.h"
#include "proxy/rules/snapshots.h"
#include "proxy/rules/words.h"

namespace entente::rules {
namespace {

Rule& rule_of(lua_State* lua) { return *Sandbox::of(lua).rule; }
const core::WorldState& world_of(lua_State* lua) { return rule_of(lua).view().world(); }

core::Id id_at(lua_State* lua, int index) {
  const lua_Integer id = luaL_checkinteger(lua, index);
  luaL_argcheck(lua, id >= 0 && id <= UINT32_MAX, index, "not an id");
  return static_cast<core::Id>(id);
}

std::uint32_t count_at(lua_State* lua, int index) {
  const lua_Integer count = luaL_checkinteger(lua, index);
  luaL_argcheck(lua, count >= 0 && count <= 1'000'000'000, index, "out of range");
  return static_cast<std::uint32_t>(count);
}

double metres_at(lua_State* lua, int index) {
  const double value = luaL_checknumber(lua, index);
  luaL_argcheck(lua, std::isfinite(value), index, "not finite");
  return value;
}

/// At most 255 bytes, as the longest line of a game.
std::string text_of(lua_State* lua, int index, const char* otherwise = nullptr) {
  if (otherwise != nullptr && lua_isnoneornil(lua, index)) return otherwise;
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, index, &size);
  constexpr std::size_t kLongest = 255;
  return fitted(clean({text, size}), kLongest);
}

words::Team team_at(lua_State* lua, int index, words::Team otherwise) {
  if (lua_isnoneornil(lua, index)) return otherwise;
  words::Team team = otherwise;
  if (!words::Team_Parse(luaL_checkstring(lua, index), &team)) luaL_argerror(lua, index, "not the name of a team");
  return team;
}

void set(lua_State* lua, const char* name, double value) {
  lua_pushnumber(lua, value);
  lua_setfield(lua, -2, name);
}
void set_text(lua_State* lua, const char* name, const std::string& value) {
  push_text(lua, value);
  lua_setfield(lua, -2, name);
}
void push_state(lua_State* lua, const core::PlayerState& state) { push_player(lua, state, rule_of(lua).view()); }
void push_state(lua_State* lua, const core::UnitState& state, std::optional<double> away = std::nullopt) {
  push_unit(lua, state, {state.unit.pose(), state.posed_at}, rule_of(lua).now(), away);
}

int charged_for_texts(lua_State* lua) {
  Sandbox::charge_texts(lua, 1);
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

}  // namespace

void push_player(lua_State* lua, core::Id id) {
  const core::PlayerState* const player = world_of(lua).player(id);
  player != nullptr ? push_state(lua, *player) : lua_pushnil(lua);
}

namespace calls {

// -- The room ---------------------------------------------------------------------------------------------------------

int now(lua_State* lua) {
  lua_pushnumber(lua, static_cast<double>(rule_of(lua).now()) / core::kSecond);
  return 1;
}

int is_arena(lua_State* lua) {
  lua_pushboolean(lua, rule_of(lua).view().is_arena());
  return 1;
}

int players(lua_State* lua) {
  lua_newtable(lua);
  lua_Integer at = 0;
  for (const auto& [id, player] : world_of(lua).players()) {
    push_state(lua, player);
    lua_rawseti(lua, -2, ++at);
  }
  return 1;
}

int player(lua_State* lua) {
  push_player(lua, id_at(lua, 1));
  return 1;
}

/// By the whole name or, if only one begins so, its beginning.
int find_player(lua_State* lua) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, 1, &size);
  const std::string wish = lower_case({text, size});
  const core::PlayerState* found = nullptr;
  bool several = false;
  for (const auto& [id, state] : world_of(lua).players()) {
    Sandbox::charge(lua, 4);
    const std::string name = lower_case(state.player.name());
    if (name == wish) {
      push_state(lua, state);
      return 1;
    }
    if (wish.empty() || !name.starts_with(wish)) continue;
    several = found != nullptr;
    found = &state;
  }
  found != nullptr && !several ? push_state(lua, *found) : lua_pushnil(lua);
  return 1;
}

int unit(lua_State* lua) {
  const core::UnitState* const found = world_of(lua).unit(id_at(lua, 1));
  const double ago = lua_isnoneornil(lua, 2) ? 0 : metres_at(lua, 2);
  luaL_argcheck(lua, ago >= 0 && ago <= 1, 2, "not from 0 to 1 second");
  if (found == nullptr) return lua_pushnil(lua), 1;
  if (ago == 0) return push_state(lua, *found), 1;
  Rule& rule = rule_of(lua);
  const core::Micros then = rule.now() - std::min(rule.now(), core::micros(ago));
  const Past::Told* const told = rule.past() != nullptr ? rule.past()->ask(found->unit.id(), then) : nullptr;
  told != nullptr ? push_unit(lua, *found, *told, then) : lua_pushnil(lua);
  return 1;
}

int unit_of(lua_State* lua) {
  const core::UnitState* const found = world_of(lua).active_unit(id_at(lua, 1));
  found != nullptr ? push_state(lua, *found) : lua_pushnil(lua);
  return 1;
}

/// The nearest first.
int near(lua_State* lua) {
  const double x = metres_at(lua, 1), y = metres_at(lua, 2), radius = metres_at(lua, 3);
  struct Found {
    double away, x, y;  // where it is, as seen from there
    const core::UnitState* unit;
  };
  std::vector<Found> found;
  std::uint64_t seen = 0;
  world_of(lua).in_box(x - radius, x + radius, y - radius, y + radius, [&](const core::UnitState& state) {
    ++seen;
    const Past::Told there = Past::Told(state.unit.pose(), state.posed_at).placed(rule_of(lua).now());
    const double away = std::hypot(there.x - x, there.y - y);
    if (away <= radius) found.push_back({away, there.x - x, there.y - y, &state});
  });
  Sandbox::charge(lua, 4 * seen + 1);
  const auto all = static_cast<lua_Integer>(found.size());
  const auto end = found.begin() + std::clamp<lua_Integer>(luaL_optinteger(lua, 4, all), 0, all);
  std::partial_sort(found.begin(), end, found.end(), [](const Found& one, const Found& other) {
    return one.away != other.away ? one.away < other.away : one.unit->unit.id() < other.unit->unit.id();
  });
  const bool all_around = lua_isnoneornil(lua, 5);
  const double yaw = all_around ? 0 : metres_at(lua, 5), within = all_around ? 0 : metres_at(lua, 6);
  lua_newtable(lua);
  lua_Integer at = 0;
  for (auto its = found.begin(); its != end; ++its) {
    const double off = all_around ? 0 : std::remainder(std::atan2(its->y, its->x) - yaw, 2 * std::numbers::pi);
    if (std::abs(off) > within) continue;
    push_state(lua, *its->unit, its->away);
    lua_rawseti(lua, -2, ++at);
  }
  return 1;
}

/// A question looks at no more than Terrain::kMostNear solids within 64 m, and about as many for each four times as
/// far.
int clear_way(lua_State* lua) {
  constexpr std::uint64_t kSteps = 300, kStepsOfSolid = 3;
  Sandbox::charge(lua, kSteps);
  const std::array<double, 3> at = {metres_at(lua, 1), metres_at(lua, 2), metres_at(lua, 3)};
  const std::array<double, 3> way = {metres_at(lua, 4), metres_at(lua, 5), metres_at(lua, 6)};
  const double most = metres_at(lua, 7), speed = std::hypot(way[0], way[1], way[2]);
  luaL_argcheck(lua, speed > 0, 4, "no direction");
  const core::Terrain* const terrain = rule_of(lua).terrain(lua);
  std::size_t looked = 0;
  const auto strike = terrain != nullptr ? terrain->strike(at, way, most / speed, false, &looked) : std::nullopt;
  Sandbox::charge(lua, kStepsOfSolid * looked);
  lua_pushnumber(lua, strike ? std::max(0.0, strike->after * speed) : most);
  return 1;
}

int tokens(lua_State* lua) {
  lua_newtable(lua);
  lua_Integer at = 0;
  for (const auto& [id, token] : world_of(lua).tokens()) {
    Sandbox::charge(lua, 20);
    push_message(lua, token);
    lua_rawseti(lua, -2, ++at);
  }
  return 1;
}

int team_scores(lua_State* lua) {
  lua_newtable(lua);
  for (const auto& [team, score] : world_of(lua).team_scores()) {
    push_message(lua, score);
    lua_setfield(lua, -2, words::Team_Name(team).c_str());
  }
  return 1;
}

int room(lua_State* lua) {
  push_message(lua, world_of(lua).room());
  return 1;
}

int round(lua_State* lua) {
  push_message(lua, world_of(lua).round_at(rule_of(lua).now()));
  return 1;
}

int setting(lua_State* lua) {
  const auto& all = world_of(lua).rules();
  const auto at = all.find(std::string_view(luaL_checkstring(lua, 1)));
  if (at == all.end()) return lua_pushnil(lua), 1;
  push_text(lua, at->second);
  return 1;
}

int field(lua_State* lua) {
  const words::World* const geometry = world_of(lua).geometry();
  if (geometry == nullptr) return lua_pushnil(lua), 1;
  lua_createtable(lua, 0, 6);
  set(lua, "west", geometry->west());
  set(lua, "east", geometry->east());
  set(lua, "south", geometry->south());
  set(lua, "north", geometry->north());
  set_text(lua, "name", geometry->name());
  lua_newtable(lua);
  for (int i = 0; i < std::min(geometry->bases_size(), kMostElements); ++i) {
    const words::Base& base = geometry->bases(i);
    Sandbox::charge(lua, 8);
    lua_createtable(lua, 0, 5);
    set_text(lua, "team", words::Team_Name(base.team()));
    set(lua, "x", base.solid().x());
    set(lua, "y", base.solid().y());
    set(lua, "half_x", base.solid().half_x());
    set(lua, "half_y", base.solid().half_y());
    lua_rawseti(lua, -2, i + 1);
  }
  lua_setfield(lua, -2, "bases");
  return 1;
}

// -- Actions ----------------------------------------------------------------------------------------------------------

/// Returns whether it will be done.
int act(lua_State* lua, bool possible, Action action) {
  const bool done = possible && rule_of(lua).act(lua, std::move(action));
  lua_pushboolean(lua, done);
  return 1;
}

bool is_here(lua_State* lua, core::Id player) { return rule_of(lua).view().is_here(player); }
bool can_tell(lua_State* lua) { return rule_of(lua).view().can_tell(); }
bool in_arena(lua_State* lua) { return rule_of(lua).view().is_arena(); }

int tell(lua_State* lua) {
  const core::Id player = id_at(lua, 1);
  return act(lua, can_tell(lua) && is_here(lua, player),
             {.kind = Action::Kind::kTell, .player = player, .text = text_of(lua, 2)});
}

int tell_all(lua_State* lua) {
  return act(lua, can_tell(lua), {.kind = Action::Kind::kTellAll, .text = text_of(lua, 1)});
}

int kick(lua_State* lua) {
  const core::Id player = id_at(lua, 1);
  return act(lua, is_here(lua, player), {.kind = Action::Kind::kKick, .player = player, .text = text_of(lua, 2, "")});
}

int ban(lua_State* lua) {
  const core::Id player = id_at(lua, 1);
  return act(lua, is_here(lua, player),
             {.kind = Action::Kind::kBan, .player = player, .text = text_of(lua, 3, ""), .minutes = count_at(lua, 2)});
}

int move(lua_State* lua) {
  const core::Id player = id_at(lua, 1);
  return act(lua, is_here(lua, player), {.kind = Action::Kind::kMove, .player = player, .text = text_of(lua, 2)});
}

int set_score(lua_State* lua) {
  const core::Id player = id_at(lua, 1);
  return act(lua, in_arena(lua) && world_of(lua).player(player) != nullptr,
             {.kind = Action::Kind::kSetScore, .player = player, .wins = count_at(lua, 2), .losses = count_at(lua, 3)});
}

int set_team(lua_State* lua) {
  const core::Id player = id_at(lua, 1);
  const words::Team team = team_at(lua, 2, words::TEAM_ANY);
  return act(lua, in_arena(lua) && world_of(lua).player(player) != nullptr,
             {.kind = Action::Kind::kSetTeam, .player = player, .team = team});
}

int open_round(lua_State* lua) { return act(lua, in_arena(lua), {.kind = Action::Kind::kOpenRound}); }

int close_round(lua_State* lua) {
  return act(lua, in_arena(lua), {.kind = Action::Kind::kCloseRound, .team = team_at(lua, 1, words::TEAM_ANY)});
}

int log(lua_State* lua) { return act(lua, true, {.kind = Action::Kind::kLog, .text = text_of(lua, 1)}); }

int report(lua_State* lua) {
  constexpr std::size_t kMostNumbers = 16, kLongestName = 64;
  Action action{.kind = Action::Kind::kReport, .player = id_at(lua, 1), .text = text_of(lua, 2)};
  if (!lua_isnoneornil(lua, 3)) {
    luaL_checktype(lua, 3, LUA_TTABLE);
    Sandbox::charge_scan(lua);
    for (lua_pushnil(lua); lua_next(lua, 3) != 0; lua_pop(lua, 1)) {
      const bool fits = lua_type(lua, -2) == LUA_TSTRING && lua_type(lua, -1) == LUA_TNUMBER &&
                        lua_rawlen(lua, -2) <= kLongestName && std::isfinite(lua_tonumber(lua, -1));
      luaL_argcheck(lua, fits && action.numbers.size() < kMostNumbers, 3, "a few named, finite numbers expected");
      action.numbers.emplace_back(lua_tostring(lua, -2), lua_tonumber(lua, -1));
    }
    std::sort(action.numbers.begin(), action.numbers.end());
  }
  return act(lua, true, std::move(action));
}

int command(lua_State* lua) {
  const std::string name = luaL_checkstring(lua, 1);
  constexpr std::size_t kLongest = 20;
  const bool fits = !name.empty() && name.size() <= kLongest && name != "help" &&
                    name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == name.npos;
  luaL_argcheck(lua, fits, 1, "a name of a-z, 0-9, '_' and '-' expected, of at most 20 characters");
  luaL_checktype(lua, 3, LUA_TFUNCTION);
  std::string help = text_of(lua, 2);
  lua_settop(lua, 3);
  rule_of(lua).add_command(lua, {name, std::move(help), luaL_ref(lua, LUA_REGISTRYINDEX)});
  return 0;
}

}  // namespace calls

void open_functions(lua_State* lua) {
  open_snapshots(lua);
  for (const Described& one : described()) {
    if (one.call == nullptr) continue;
    lua_pushcfunction(lua, one.call);
    lua_pushcclosure(lua, charged_for_texts, 1);
    lua_setglobal(lua, one.name);
  }
  for (const char* const name : {"on_intent", "on_fact", "state"}) {
    lua_newtable(lua);
    lua_setglobal(lua, name);
  }
}

}  // namespace entente::rules
