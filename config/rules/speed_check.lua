-- Reports players who move faster than the game allows, or jump to another place without a spawn or a teleporter.

local factor, window_s = 1.5, 3 -- how much faster, on average over this time
local jump_metres = 60 -- in one message
local last = {} -- by unit: where and when it was, and the metres since then

local function fastest()
  return tonumber(setting("speed") or "") or 25
end

local function begin(unit, x, y)
  last[unit] = { x = x, y = y, at = now(), since = now(), metres = 0 }
end

function on_fact.spawned(word) begin(word.unit, word.pose.x, word.pose.y) end
function on_fact.teleported(word) last[word.unit] = nil end
function on_fact.corrected(word) begin(word.pose.unit, word.pose.x, word.pose.y) end
function on_fact.gone(word) last[word.unit] = nil end
function on_fact.hidden(word) last[word.unit] = nil end
function on_fact.died(word) last[word.unit] = nil end

function on_fact.pose(pose)
  local before = last[pose.unit]
  if not before then return begin(pose.unit, pose.x, pose.y) end
  local metres = math.sqrt((pose.x - before.x) ^ 2 + (pose.y - before.y) ^ 2)
  before.x, before.y, before.metres = pose.x, pose.y, before.metres + metres
  local silent, passed = now() - before.at, now() - before.since
  before.at = now()
  local unit = get_unit(pose.unit)
  if not unit or unit.owner == 0 or not (unit.kind == "TANK" or unit.kind == "MAN") then return end
  if metres > jump_metres + factor * fastest() * silent then
    report(unit.owner, "jumped", { metres = metres, seconds = silent })
    return begin(pose.unit, pose.x, pose.y)
  end
  if passed < window_s then return end
  local speed = before.metres / passed
  if speed > factor * fastest() then
    report(unit.owner, "moves too fast", { speed = speed, allowed = fastest() })
  end
  begin(pose.unit, pose.x, pose.y)
end
