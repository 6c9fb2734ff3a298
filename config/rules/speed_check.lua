-- Reports players who move faster than the game allows, or jump to another place without a spawn or a teleporter. Units
-- are looked at each second, because looking at each of their positions would cost more.

local factor, window_s = 1.5, 3 -- how much faster, on average over this time
local jump_metres = 60 -- in one second, beyond what it may drive
local last = {} -- by unit: where it was, since when it is watched, and the metres since then

local function fastest()
  return tonumber(setting("speed") or "") or 25
end

local function begin(unit, x, y)
  last[unit] = { x = x, y = y, at = now(), since = now(), metres = 0 }
end

-- What follows is not driving.
local function forget(unit) last[unit] = nil end
function on_fact.spawned(word) forget(word.unit) end
function on_fact.teleported(word) forget(word.unit) end
function on_fact.corrected(word) forget(word.pose.unit) end
function on_fact.gone(word) forget(word.unit) end
function on_fact.hidden(word) forget(word.unit) end
function on_fact.died(word) forget(word.unit) end

local function look(player, unit)
  local before = last[unit.id]
  if not before then return begin(unit.id, unit.x, unit.y) end
  local metres = math.sqrt((unit.x - before.x) ^ 2 + (unit.y - before.y) ^ 2)
  local seconds, watched = now() - before.at, now() - before.since
  before.x, before.y, before.at, before.metres = unit.x, unit.y, now(), before.metres + metres
  if metres > jump_metres + factor * fastest() * seconds then
    report(player, "jumped", { metres = metres, seconds = seconds })
    return begin(unit.id, unit.x, unit.y)
  end
  if watched < window_s then return end
  local speed = before.metres / watched
  if speed > factor * fastest() then report(player, "moves too fast", { speed = speed, allowed = fastest() }) end
  begin(unit.id, unit.x, unit.y)
end

function on_tick()
  for _, player in ipairs(players()) do
    local unit = player.alive and unit_of(player.id)
    if unit and not unit.hidden and (unit.kind == "TANK" or unit.kind == "MAN") then look(player.id, unit) end
  end
end
