-- Reports players whose shots kill through walls, or begin where their tank is not.

local enough = 1.5 -- evidence for a report
local kill, muzzle_off = 1, 0.7 -- evidence: of a kill through a wall; of a shot from elsewhere
local forgets_s, each_s = 600, 2 -- in this time, half of it is forgotten; so long, a shot is not another one
local muzzle = 12 -- metres from the tank
local beside, behind = 6, 12 -- metres: how near to the shot's line the victim is, and how far behind the wall
local silence, kept = 0.7, 32 -- seconds: who was silent so long may be anywhere; shots of a player that are kept

local shots = {} -- by player: its last shots, by their number
local found = {} -- by player: the evidence, and when the last came
local moved = {} -- by unit: when it last was in a teleporter, or spawned

local function strange(player, evidence, why, numbers)
  local its = found[player] or { sum = 0, at = now() - each_s }
  if now() - its.at < each_s then return end
  its.sum, its.at = its.sum * 0.5 ^ ((now() - its.at) / forgets_s) + evidence, now()
  found[player] = its
  if its.sum < enough then return end
  report(player, why, numbers)
  found[player] = nil
end

-- How far from its tank a shot begins, and how far it may: since its place was told, the tank drove elsewhere.
local function off_muzzle(shot, tank)
  local drives = (tonumber(setting("speed") or "") or 25) * 2 * (tank.age + 0.3)
  return math.sqrt((shot.x - tank.x) ^ 2 + (shot.y - tank.y) ^ 2), muzzle + drives
end

function on_fact.shot(shot)
  local mine, tank = shots[shot.shooter] or {}, unit_of(shot.shooter)
  shots[shot.shooter] = mine
  local plain = (shot.kind == "BALL" or shot.kind == "RAY") and shot.weapon == 0
  mine[shot.shot % kept] = plain and shot or nil
  if not plain or not tank or not tank.alive or tank.hidden or now() - (moved[tank.id] or -10) < 3 then return end
  local before = get_unit(tank.id, 0.1)
  if not before or before.age > silence then return end
  local off, most = off_muzzle(shot, tank)
  if off > most then strange(shot.shooter, muzzle_off, "shoots from where it is not", { metres = off }) end
end

function on_fact.teleported(word) moved[word.unit] = now() end
function on_fact.spawned(word) moved[word.unit] = now() end

function on_fact.died(death)
  local shot, victim = (shots[death.killer] or {})[death.shot % kept], get_unit(death.unit)
  if not shot or shot.shot ~= death.shot or not victim or death.killer == death.player then return end
  local speed, x, y = math.sqrt(shot.vx ^ 2 + shot.vy ^ 2), victim.x - shot.x, victim.y - shot.y
  local along, across = (x * shot.vx + y * shot.vy) / speed, math.abs(x * shot.vy - y * shot.vx) / speed
  if not (speed > 0 and across < beside and along > behind) then return end
  local free = clear_way(shot.x, shot.y, shot.z, shot.vx, shot.vy, shot.vz, along)
  if free < along - behind then
    strange(death.killer, kill, "shoots through walls", { wall = free, victim = along })
  end
end

function on_leave(player) shots[player.id], found[player.id] = nil, nil end
function on_fact.gone(word) moved[word.unit] = nil end
