-- Reports players who shoot faster than their guns reload.
--
-- Each shot takes a share of the time in which the guns reload. Who shoots as fast as he may is never ahead of the
-- clock by more than one reload. Shots that a bad link holds up arrive together, which counts as `late` seconds.

local late = 3
local ahead = {} -- by player: how far ahead it was, when, and the number of shots since it was not

function on_fact.shot(shot)
  local reload, guns = tonumber(setting("reload") or ""), room().most_shots
  local plain = shot.kind == "BALL" and shot.weapon == 0 -- flags may make guns faster
  if not plain or not reload or guns == 0 then return end
  local its = ahead[shot.shooter] or { seconds = 0, at = now(), shots = 0 }
  local left = its.seconds - (now() - its.at)
  local seconds, shots = math.max(0, left) + reload / guns, left > 0 and its.shots + 1 or 1
  ahead[shot.shooter] = { seconds = seconds, at = now(), shots = shots }
  if seconds <= reload + late then return end
  report(shot.shooter, "shoots faster than its guns reload", { ahead = seconds, reload = reload, shots = shots })
  ahead[shot.shooter] = nil
end

function on_leave(player) ahead[player.id] = nil end
