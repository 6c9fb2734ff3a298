-- Sends players away who do nothing for some minutes, and warns them before. Spectators and bots may stay.

local warn_s, kick_s = 240, 300
local active_at, warned = {}, {} -- by player

local function is_active(_, player)
  active_at[player], warned[player] = now(), nil
end

-- What a person does; a client sends positions by itself, so those count only if the unit moves.
for _, kind in ipairs { "fire", "say", "spawn", "step", "toward", "trigger", "split", "eject", "edit", "enter" } do
  on_intent[kind] = is_active
end

function on_intent.keys(word, player)
  if word.bits ~= 0 then is_active(word, player) end
end

function on_intent.pose_claim(word, player)
  if word.vx ^ 2 + word.vy ^ 2 > 0.01 or word.yaw_rate ~= 0 then is_active(word, player) end
end

function on_tick()
  for _, player in ipairs(players()) do
    local idle = now() - (active_at[player.id] or now())
    if not player.here or player.role ~= "PLAY" then
      active_at[player.id] = nil
    elseif not active_at[player.id] then
      active_at[player.id] = now()
    elseif idle >= kick_s then
      kick(player.id, "you were idle")
      active_at[player.id] = now() -- if it stays, it is not kicked again each second
    elseif idle >= warn_s and not warned[player.id] then
      warned[player.id] = true
      tell(player.id, string.format("Do something, or you leave in %d seconds.", kick_s - warn_s))
    end
  end
end

function on_leave(player)
  active_at[player.id], warned[player.id] = nil, nil
end
