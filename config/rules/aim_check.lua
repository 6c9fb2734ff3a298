-- Reports players whose shots are aimed better than people can: again and again, the shot leaves within a fraction of a
-- degree of the line to an enemy that moves across it, or of the place where that enemy and the shot would meet.

local window, share = 30, 0.8 -- shots that are judged together; how many of them must be exact
local exact, aimed = math.tan(math.rad(0.35)), math.tan(math.rad(12)) -- tangents of angles
local least_speed, least_metres, most_metres = 5, 40, 300 -- of a target that is hard to hit
local most_enemies = 12 -- that are looked at, the nearest first

local shots = {} -- by player: the errors of the last aimed shots

local abs, huge = math.abs, math.huge

-- The tangent of the angle between the way to (x, y) and the direction (u, v); huge: it is not ahead.
local function tangent(x, y, u, v)
  local ahead = x * u + y * v
  return ahead > 0 and abs(x * v - y * u) / ahead or huge
end

-- The smallest one between the shot and an enemy that moves across it; nil: there is none.
local function error_of(shot)
  local u, v, best = shot.vx, shot.vy, aimed
  local speed = math.sqrt(u ^ 2 + v ^ 2)
  if speed == 0 then return end
  for _, unit in ipairs(near(shot.x, shot.y, most_metres, most_enemies)) do
    local enemy = unit.away >= least_metres and unit.owner ~= 0 and unit.owner ~= shot.shooter and unit.alive
    if enemy and (unit.team ~= shot.team or shot.team == "ROGUE") then
      local x, y, vx, vy = unit.x - shot.x, unit.y - shot.y, unit.vx, unit.vy
      if abs(vx * y - vy * x) >= least_speed * unit.away then
        local t = shot.kind == "RAY" and 0 or unit.away / speed
        best = math.min(best, tangent(x, y, u, v), tangent(x + vx * t, y + vy * t, u, v))
      end
    end
  end
  return best < aimed and best or nil
end

function on_fact.shot(shot)
  if shot.kind ~= "BALL" and shot.kind ~= "RAY" then return end
  local off = error_of(shot)
  if not off then return end
  local mine = shots[shot.shooter] or {}
  shots[shot.shooter] = mine
  mine[#mine + 1] = off
  if #mine < window then return end
  local count = 0
  for _, one in ipairs(mine) do count = count + (one < exact and 1 or 0) end
  shots[shot.shooter] = nil
  if count >= share * window then
    report(shot.shooter, "aims better than people can", { exact = count, shots = window })
  end
end

function on_leave(player) shots[player.id] = nil end
