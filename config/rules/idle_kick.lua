-- Sends players away who do nothing for some minutes, and warns them before. Spectators and bots may stay. Who moves is
-- seen every few seconds, because hearing each movement would cost more.

local warn_s, kick_s, look_s = 240, 300, 5
local seconds = 0 -- since the last look
local active_at, warned, place = {}, {}, {} -- by player

local function is_active(_, player)
  active_at[player], warned[player] = now(), nil
end

for _, kind in ipairs { "fire", "say", "spawn", "split", "eject", "edit", "enter" } do
  on_intent[kind] = is_active
end

local function moves(player)
  local unit, before = unit_of(player), place[player]
  if not unit then return false end
  place[player] = { x = unit.x, y = unit.y, yaw = unit.yaw }
  return before and (math.abs(unit.x - before.x) + math.abs(unit.y - before.y) > 0.5 or unit.yaw ~= before.yaw)
end

function on_tick()
  seconds = (seconds + 1) % look_s
  if seconds ~= 0 then return end
  for _, player in ipairs(players()) do
    local id = player.id
    if not player.here or player.role ~= "PLAY" then
      active_at[id] = nil
    elseif not active_at[id] or moves(id) then
      is_active(nil, id)
    elseif now() - active_at[id] >= kick_s then
      kick(id, "you were idle")
      is_active(nil, id) -- if it stays, it is not kicked again each second
    elseif now() - active_at[id] >= warn_s and not warned[id] then
      warned[id] = true
      tell(id, string.format("Do something, or you leave in %d seconds.", kick_s - warn_s))
    end
  end
end

function on_leave(player)
  active_at[player.id], warned[player.id], place[player.id] = nil, nil, nil
end
