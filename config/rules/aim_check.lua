-- Reports players whose shots are aimed better than people can: again and again, the shot leaves within a fraction of a
-- degree of the line to an enemy that moves across it, or of the place where that enemy and the shot would meet.

local window, share = 30, 0.8 -- shots that are judged together; how many of them must be exact
local exact, aimed = math.rad(0.35), math.rad(12) -- angles
local least_speed, least_metres, most_metres = 5, 40, 300 -- of a target that is hard to hit
local most_enemies = 12 -- that are looked at, the nearest first

local shots = {} -- by player: the errors of the last aimed shots

local function angle(a, b)
  local difference = (a - b) % (2 * math.pi)
  return difference > math.pi and 2 * math.pi - difference or difference
end

-- The smallest angle between the shot and an enemy that moves across it; nil: there is none.
local function error_of(shot)
  local speed, best = math.sqrt(shot.vx ^ 2 + shot.vy ^ 2), nil
  if speed == 0 then return end
  local yaw = math.atan(shot.vy, shot.vx)
  for _, unit in ipairs(near(shot.x, shot.y, most_metres, most_enemies)) do
    local enemy = unit.owner ~= 0 and unit.owner ~= shot.shooter and unit.alive
    if enemy and (unit.team ~= shot.team or shot.team == "ROGUE") and unit.away >= least_metres then
      local x, y = unit.x - shot.x, unit.y - shot.y
      local across = math.abs(unit.vx * y - unit.vy * x) / unit.away
      if across >= least_speed then
        local now_off = angle(math.atan(y, x), yaw)
        local t = shot.kind == "RAY" and 0 or unit.away / speed
        local then_off = angle(math.atan(y + unit.vy * t, x + unit.vx * t), yaw)
        local off = math.min(now_off, then_off)
        if off < aimed and (not best or off < best) then best = off end
      end
    end
  end
  return best
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
