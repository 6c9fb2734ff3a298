-- Reports players who shoot faster than their guns reload.
--
-- Each shot takes a share of the time in which the guns reload. Who shoots as fast as he may is never ahead of the
-- clock by more than one reload. Shots that a bad link holds up arrive together, which counts as `late` seconds.

local late = 3
local guns, guns_at = 0, -1 -- shots that a player may have in the air, and when that was asked
local ahead = {} -- by player: how far ahead it was, when, and the number of shots since it was not

function on_fact.shot(shot)
  if shot.kind ~= "BALL" or shot.weapon ~= 0 then return end -- flags may make guns faster
  if now() - guns_at >= 1 then guns, guns_at = room().most_shots, now() end
  local reload = tonumber(setting("reload") or "")
  if not reload or guns == 0 then return end
  local its = ahead[shot.shooter] or { seconds = 0, at = now(), shots = 0 }
  local left = its.seconds - (now() - its.at)
  local seconds, shots = math.max(0, left) + reload / guns, left > 0 and its.shots + 1 or 1
  ahead[shot.shooter] = { seconds = seconds, at = now(), shots = shots }
  if seconds <= reload + late then return end
  report(shot.shooter, "shoots faster than its guns reload", { ahead = seconds, reload = reload, shots = shots })
  ahead[shot.shooter] = nil
end

function on_leave(player) ahead[player.id] = nil end
