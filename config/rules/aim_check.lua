-- Reports players whose shots, again and again, would meet an enemy who moves across them exactly in the middle.
--
-- Each aimed shot is evidence: how much likelier is such a miss if a tool aims some of the shots than if the best of
-- people aims them all? People's misses grow with the distance. A shot is told later than it was aimed, by a time that
-- depends on the player's link. So there is a sum for each such time, and people's sums stay near 0.

local people, tools = 0.014, 0.001 -- radians: how much they miss, as standard deviations
local share, enough = 0.3, 8 -- of the shots of a cheat, that a tool aims; evidence for a report
local jitter, drift = 0.2, 0.3 -- metres that a target drives while the link varies; what a step in `lates` costs
local least_speed, most_metres, oldest = 5, 300, 0.8 -- of a target: across the shot; away; seconds since it was seen
local most_enemies, ahead, aimed = 12, 0.6, 0.06 -- units, and radians around the shot, to look at; radians to who is aimed at
local lates = {} -- by how many seconds shots may be late
for late = 0, 0.4, 0.025 do lates[#lates + 1] = late end
local sums = {} -- by player: evidence, by the number of the time

-- By how many metres the shot passes an enemy, and how fast that one moves across it. Nil: it flies elsewhere.
local function miss_of(shot, enemy)
  local vx, vy, its_vx, its_vy = -shot.vx, -shot.vy, enemy.vx, enemy.vy
  if shot.kind == "BALL" then vx, vy = its_vx + vx, its_vy + vy end
  local speed, x, y = math.sqrt(vx ^ 2 + vy ^ 2), enemy.x - shot.x, enemy.y - shot.y
  if speed == 0 or x * vx + y * vy >= 0 then return end
  return (x * vy - y * vx) / speed, math.abs(its_vx * vy - its_vy * vx) / speed
end

-- The enemy that the shot is aimed at, if it is hard to hit.
local function target_of(shot)
  local best, target = aimed, nil
  for _, unit in ipairs(near(shot.x, shot.y, most_metres, most_enemies, math.atan(shot.vy, shot.vx), ahead)) do
    local owner = unit.owner
    local enemy = owner ~= 0 and owner ~= shot.shooter and unit.alive and unit.age < oldest
    if enemy and (unit.team ~= shot.team or shot.team == "ROGUE") then
      local miss, across = miss_of(shot, unit)
      local off = miss and across >= least_speed and math.abs(miss) / unit.away or best
      if off < best then best, target = off, unit end
    end
  end
  return target
end

function on_fact.shot(shot)
  local target = (shot.kind == "BALL" or shot.kind == "RAY") and target_of(shot)
  local away = target and target.away or 0
  if people * away < jitter then return end -- from so near, everybody hits
  local its, below, man = sums[shot.shooter] or {}, 0, people * away
  local id, tool = target.id, math.sqrt((tools * away) ^ 2 + jitter ^ 2)
  sums[shot.shooter] = its
  for number, late in ipairs(lates) do
    local sum, before = its[number] or 0, get_unit(id, late)
    local best, miss = math.max(sum, below - drift, (its[number + 1] or 0) - drift), before and miss_of(shot, before)
    local ratio = miss and man / tool * math.exp(-miss ^ 2 / 2 * (1 / tool ^ 2 - 1 / man ^ 2))
    its[number], below = ratio and math.max(0, best + math.log(1 - share + share * ratio)) or sum, sum
    if its[number] >= enough then
      sums[shot.shooter] = nil
      return report(shot.shooter, "aims better than people can", { evidence = its[number], late = late })
    end
  end
end

function on_leave(player) sums[player.id] = nil end
