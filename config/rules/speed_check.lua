-- Reports players who move faster than the game allows, or jump to another place without a spawn or a teleporter. Units
-- are looked at each second, because looking at each of their positions would cost more.

local slack, enough, most_each = 1.08, 35, 15 -- times the allowed speed; metres too far until a report; in one look
local jump, jumps = 25, 3 -- metres too far that count as a jump; jumps until a report. A wide one counts as several
local forgets_s = 120 -- in this time, half of the jumps are forgotten
local silence = 0.9 -- seconds: who was silent so long has a bad link, and may be anywhere after it
local flags = { V = 1.5, A = 2.25, TH = 1.67, [""] = 2.25 } -- of BZFlag, which make fast; of an unknown kind
local last, waits = {}, {} -- by unit: where it was, and what it did; until when it may be elsewhere
local carried = {} -- by player: how fast its flag makes it, and until when that counts

-- What follows is not driving. Such a word may come later than the place, or earlier.
local function forgive(unit) waits[unit] = now() + 2 end
for _, kind in ipairs({ "spawned", "teleported", "died", "hidden" }) do
  on_fact[kind] = function(word) forgive(word.unit) end
end
function on_fact.corrected(word) forgive(word.pose.unit) end
function on_fact.gone(word) last[word.unit], waits[word.unit] = nil, nil end

local function was_silent(unit)
  for ago = 0.1, 1, 0.1 do if (get_unit(unit, ago) or { age = 1 }).age > silence then return true end end
end

local function look(player, unit, speed)
  local at, moved = now() - unit.age, math.min(unit.age, 1)
  local x, y = unit.x - unit.vx * moved, unit.y - unit.vy * moved -- as reported
  local its = last[unit.id] or { x = x, y = y, at = at, excess = 0, jumps = 0 }
  last[unit.id] = its
  local seconds, metres, jumped = at - its.at, math.sqrt((x - its.x) ^ 2 + (y - its.y) ^ 2), its.jumped
  if seconds <= 0 then return end
  its.x, its.y, its.at, its.jumped = x, y, at, nil
  if seconds > 1 + silence then forgive(unit.id) end
  if now() < (waits[unit.id] or 0) then its.excess = 0 return end
  its.jumps = its.jumps * 0.5 ^ (seconds / forgets_s) + (jumped and math.min(jumped / jump, 2) or 0)
  if its.jumps >= jumps then report(player, "jumps", { metres = jumped }) its.jumps = 0 end
  local over, claimed = metres - slack * speed * seconds, math.sqrt(unit.vx ^ 2 + unit.vy ^ 2)
  if over > jump then its.jumped = not was_silent(unit.id) and over or nil return end -- for the next look
  if unit.kind == "TANK" then over = math.max(over, (claimed - slack * speed) * seconds) end
  its.excess = math.max(0, its.excess + math.max(math.min(over, most_each), (1 - slack) / 2 * speed * seconds))
  if its.excess < enough then return end
  its.excess = 0
  report(player, "moves too fast", { speed = math.max(claimed, metres / seconds), allowed = speed })
end

function on_tick()
  local fastest = tonumber(setting("speed") or "")
  for _, token in ipairs(tokens()) do
    if token.state == "CARRIED" then carried[token.carrier] = { flags[token.code] or 1, now() + 3 } end
  end
  for _, player in ipairs(fastest and players() or {}) do
    local unit, flag = player.alive and unit_of(player.id), carried[player.id] or { 1, 0 }
    if unit and not unit.hidden and (unit.kind == "TANK" or unit.kind == "MAN") then
      look(player.id, unit, fastest * (now() <= flag[2] and flag[1] or 1))
    end
  end
end

function on_leave(player) carried[player.id] = nil end
