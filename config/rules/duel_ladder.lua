-- A ladder of duels: who beats somebody of a higher place takes that place. /ladder shows the first ten. The places
-- survive a reload, not a restart.

state.places = state.places or {} -- names, the best first
local most = 100

local function place_of(name)
  for place, other in ipairs(state.places) do
    if other == name then return place end
  end
end

local function enter(name)
  if place_of(name) or #state.places >= most then return end
  state.places[#state.places + 1] = name
end

function on_fact.died(word)
  local killer, victim = get_player(word.killer), get_player(word.player)
  if not killer or not victim or killer.id == victim.id then return end
  enter(victim.name)
  enter(killer.name)
  local won, lost = place_of(killer.name), place_of(victim.name)
  if not won or not lost or won < lost then return end
  table.remove(state.places, won)
  table.insert(state.places, lost, killer.name)
  tell_all(string.format("%s takes place %d from %s", killer.name, lost, victim.name))
end

command("ladder", "shows the first ten of the ladder", function(player)
  if #state.places == 0 then return tell(player, "Nobody has won a duel yet.") end
  for place = 1, math.min(10, #state.places) do tell(player, place .. ". " .. state.places[place]) end
end)
