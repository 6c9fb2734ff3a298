-- Greets who joins, and answers /rules.

local greeting = "Welcome, %s! There are %d players. /rules shows what is allowed here."
local rules = { "Be kind.", "Do not shoot at the bases." }
local told_at = {} -- by player

function on_join(player)
  if player.role ~= "ROBOT" then tell(player.id, greeting:format(player.name, #players())) end
end

function on_leave(player) told_at[player.id] = nil end

command("rules", "shows what is allowed here", function(player)
  if now() - (told_at[player] or -10) < 1 then return end
  told_at[player] = now()
  for number, line in ipairs(rules) do tell(player, number .. ". " .. line) end
end)
