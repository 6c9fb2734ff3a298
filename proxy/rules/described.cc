// What the reference says about each handler and function. Each example is a whole rule, which a test plays in a room
// with two players.
#include "proxy/rules/calls.h"
#include "proxy/rules/functions.h"

namespace entente::rules {
namespace {

constexpr Described kDescribed[] = {
    // -- Handlers -----------------------------------------------------------------------------------------------------
    {"on_join", "player: Player", "",
     "A player is in the game. In a bridge, this is called for all players of the server.",
     R"(function on_join(player)
  tell(player.id, "Welcome, " .. player.name .. "!")
end)",
     nullptr},
    {"on_leave", "player: Gone", "", "A player has left. Only the id and the name are still known.",
     R"(function on_leave(player)
  tell_all(player.name .. " has left")
end)",
     nullptr},
    {"on_chat", "player: integer, text: string, scope: string", "false|string|nil",
     "A player says something that is not a command. `scope` is EVERYBODY, MY_TEAM, ONE, MODERATORS or SERVER. Return "
     "false, and nobody hears it; return a text, and that is said instead.",
     R"(function on_chat(player, text, scope)
  if text:lower():find("cheat") then
    tell(player, "Please do not accuse others. Use /report.")
    return false
  end
  return (text:gsub("darn", "****"))
end)",
     nullptr},
    {"on_intent", "word: table, player: integer, kind: string", "false|table|nil",
     "A player wants or claims something. `on_intent.fire` hears only that kind; `function on_intent(…)` hears all, "
     "which "
     "costs more. Return false, and the server does not hear it; return the word with other values, and the server "
     "hears "
     "those. An Enter or a Leave cannot be dropped: kick the player instead.",
     R"(function on_intent.enter(word, player)
  word.team = "RED"
  log("player " .. player .. " joins red")
  return word
end)",
     nullptr},
    {"on_fact", "word: table, player: integer|nil, kind: string", "",
     "Something is true. `on_fact.died` hears only that kind; `function on_fact(…)` hears all. `player`: the only "
     "player "
     "who is told; nil: several are.",
     R"(function on_fact.died(word)
  if word.killer ~= 0 and word.killer ~= word.player then
    tell(word.killer, "You have hit " .. get_player(word.player).name)
  end
end)",
     nullptr},
    {"on_tick", "", "", "A second has passed.",
     R"(state.seconds = state.seconds or 0
function on_tick()
  state.seconds = state.seconds + 1
  if state.seconds == 2 then tell_all("two seconds have passed") end
end)",
     nullptr},
    {"on_server_up", "", "",
     "The room's world is complete: the server, or the arena, is there. In a bridge, this is called again after each "
     "`on_server_down`, once the player is on the next server.",
     R"(function on_server_up()
  log("a match on " .. room().name)
end)",
     nullptr},
    {"on_server_down", "why: string", "",
     "The server, or the arena in its place, is gone, and the player of the bridge waits for the next one.",
     R"(function on_server_down(why)
  log("the server is away: " .. why)
end)",
     nullptr},

    // -- The room -----------------------------------------------------------------------------------------------------
    {"now", "", "number", "Seconds since the room began. There is no other clock.",
     R"(local said_at = {}
function on_chat(player)
  if said_at[player] and now() - said_at[player] < 2 then
    tell(player, "Not so fast.")
    return false
  end
  said_at[player] = now()
  log(string.format("%.0f", now()))
end)",
     calls::now},
    {"is_arena", "", "boolean",
     "Whether the room is an arena: then rules can set scores and teams, and open and close rounds.",
     R"(function on_join(player)
  if is_arena() then tell(player.id, "Arena rules apply.") end
end)",
     calls::is_arena},
    {"players", "", "Player[]", "All players of the room's world, also spectators, in the order of their ids.",
     R"(function on_join()
  tell_all("There are " .. #players() .. " players.")
end)",
     calls::players},
    {"get_player", "id: integer", "Player?", "One player; nil: it is not there.",
     R"(function on_chat(id)
  log(get_player(id).name .. " talks")
end)",
     calls::player},
    {"find_player", "name: string", "Player?",
     "The player with this name or, if only one name begins so, with this beginning. Case does not matter.",
     R"(command("where", "NAME: where that player is", function(asker, name)
  local found = find_player(name)
  local unit = found and unit_of(found.id)
  tell(asker, unit and string.format("at %.0f, %.0f", unit.x, unit.y) or "I see nobody of that name")
end))",
     calls::find_player},
    {"get_unit", "id: integer, ago?: number", "Unit?",
     "One unit, where it is now; nil: it is not there. `ago`: where it was so many seconds ago, as was known then; at "
     "most "
     "1. Nil, if that is not remembered: places are remembered from the first such question on, and the last 16 of "
     "each "
     "unit.",
     R"(function on_fact.spawned(word)
  log(string.format("spawned at %.0f, %.0f", get_unit(word.unit).x, get_unit(word.unit).y))
end)",
     calls::unit},
    {"unit_of", "player: integer", "Unit?", "The unit that a player steers; nil: it has none.",
     R"(function on_intent.fire(word, player)
  local unit = unit_of(player)
  if unit and math.abs(unit.x) > 300 then
    tell(player, "No shots from out there.")
    return false
  end
  log("a shot is fine")
end)",
     calls::unit_of},
    {"near", "x: number, y: number, radius: number, most?: integer, yaw?: number, within?: number", "Unit[]",
     "The units within this many metres, the nearest first; at most `most` of them. Each also has `away`, its "
     "distance. With `yaw`: of these, only those whose direction differs by at most `within` radians from it.",
     R"(function on_fact.shot(word)
  log(#near(word.x, word.y, 50) .. " units are near the shot")
  log(#near(word.x, word.y, 50, nil, math.atan(word.vy, word.vx), 0.1) .. " of them are in its way")
end)",
     calls::near},
    {"clear_way", "x: number, y: number, z: number, vx: number, vy: number, vz: number, most: number", "number",
     "How many metres a shot flies from there, in this direction, before a solid, the ground or the wall around the "
     "world stops it; at most `most`. Blocks that players build, and the ground of Ace of Spades, stop nothing here.",
     R"(function on_fact.shot(word)
  if word.vx ~= 0 or word.vy ~= 0 then
    log(string.format("free for %.0f m", clear_way(word.x, word.y, word.z, word.vx, word.vy, word.vz, 350)))
  end
end)",
     calls::clear_way},
    {"tokens", "", "Token[]", "The flags, intels and bases of the room.",
     R"(function on_join()
  log(#tokens() .. " tokens")
end)",
     calls::tokens},
    {"team_scores", "", "table<string, TeamScore>", "The scores of the teams, by the name of the team.",
     R"(function on_join()
  local red = team_scores().RED
  log("red has " .. (red and red.wins or 0))
end)",
     calls::team_scores},
    {"room", "", "Room", "What the server says about itself.",
     R"(function on_join(player)
  tell(player.id, "This is " .. room().name .. ", " .. room().mode)
end)",
     calls::room},
    {"round", "", "Round", "The round; `left_s` is nil if it has no end.",
     R"(function on_join(player)
  local left = round().left_s
  tell(player.id, left and string.format("%.0f seconds are left", left) or "no time limit")
end)",
     calls::round},
    {"setting", "name: string", "string?",
     "A parameter of the game, as `words.Rule` has it: \"speed\", \"reload\", \"GAME.variable\".",
     R"(function on_join()
  log("tanks drive " .. (setting("speed") or "?") .. " m/s")
end)",
     calls::setting},
    {"field", "", "Field?", "The bounds of the world, and its bases; nil: it is not known yet.",
     R"(function on_join()
  local ground = field()
  if ground then log((ground.east - ground.west) .. " m wide") end
end)",
     calls::field},

    // -- Actions ------------------------------------------------------------------------------------------------------
    {"tell", "player: integer, text: string", "boolean",
     "Tells a player something, in the way of its game. False: the player has no seat in this room, or is told too "
     "much.",
     R"(command("hi", "greets you", function(player)
  tell(player, "hello")
end))",
     calls::tell},
    {"tell_all", "text: string", "boolean",
     "Tells all players of this room something. In a bridge, that is one player.",
     R"(function on_fact.died(word)
  tell_all(get_player(word.player).name .. " is out")
end)",
     calls::tell_all},
    {"kick", "player: integer, why?: string", "boolean",
     "Ends the player's session. False: the player has no seat in this room.",
     R"(function on_chat(player, text)
  if text:find("darn") then kick(player, "mind your words") end
end)",
     calls::kick},
    {"ban", "player: integer, minutes: integer, why?: string", "boolean",
     "Bans the player's address from all listeners, and ends its session. 0 minutes: for good. Bots have no address: "
     "they are kicked.",
     R"(function on_chat(player, text)
  if text:find("darn") then ban(player, 10, "ten minutes off") end
end)",
     calls::ban},
    {"move", "player: integer, route: string", "boolean",
     "Moves the player to another route, as `entente ctl move` does. `route`: its name.",
     R"(command("lobby", "brings you to the lobby", function(player)
  if not move(player, "lobby") then log("not here") end
end))",
     calls::move},
    {"set_score", "player: integer, wins: integer, losses: integer", "boolean",
     "Sets a player's score. Only in an arena.",
     R"(function on_chat(id, text)
  if text:find("darn") then
    local speaker = get_player(id)
    set_score(id, math.max(speaker.wins - 1, 0), speaker.losses)
  end
end)",
     calls::set_score},
    {"set_team", "player: integer, team: string", "boolean",
     "Moves a player to another team. It costs a life. Only in an arena.",
     R"(command("switch", "changes your team", function(id)
  set_team(id, get_player(id).team == "RED" and "BLUE" or "RED")
end))",
     calls::set_team},
    {"open_round", "", "boolean", "Begins a new round at once; scores start from 0. Only in an arena.",
     R"(command("restart", "begins a new round", function()
  open_round()
end))",
     calls::open_round},
    {"close_round", "winner?: string", "boolean",
     "Ends the round, and names the team that has won. All are out of play until open_round(). Only in an arena.",
     R"(command("stop", "ends the round", function()
  close_round("RED")
end))",
     calls::close_round},
    {"log", "text: string", "boolean", "Writes a line into Entente's log.",
     R"(function on_join(player)
  log(player.name .. " is here")
end)",
     calls::log},
    {"report", "player: integer, why: string, numbers?: table<string, number>", "boolean",
     "Says that a player seems to break the rules of the game. `entente judge` collects these reports.",
     R"(function on_fact.shot(word)
  local speed = math.sqrt(word.vx ^ 2 + word.vy ^ 2)
  if speed > 10 then report(word.shooter, "fast shot", { speed = speed }) end
end)",
     calls::report},
    {"command", "name: string, help: string, handler: fun(player: integer, arguments: string)", "",
     "Adds a chat command. Players see its help with /help. The file calls it when it is loaded.",
     R"(command("ready", "says that you are ready", function(id, arguments)
  tell_all(get_player(id).name .. " is ready " .. arguments)
end))",
     calls::command},
};

}  // namespace

std::span<const Described> described() { return kDescribed; }

}  // namespace entente::rules
