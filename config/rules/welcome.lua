-- Greets who joins, and answers /rules.

local greeting = "Welcome, %s! There are %d players. /rules shows what is allowed here."
local rules = { "Be kind.", "Do not shoot at the bases." }

function on_join(player)
  if player.role ~= "ROBOT" then tell(player.id, greeting:format(player.name, #players())) end
end

command("rules", "shows what is allowed here", function(player)
  for number, line in ipairs(rules) do tell(player, number .. ". " .. line) end
end)
