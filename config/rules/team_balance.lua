-- Keeps teams equal: who joins, or wants to change sides, goes to the smaller team if the other has more players.

local allowed_difference = 1
local sides = { RED = "BLUE", BLUE = "RED" }
local told_at = {} -- by player

local function size(team, without)
  local count = 0
  for _, player in ipairs(players()) do
    if player.team == team and player.role ~= "WATCH" and player.id ~= without then count = count + 1 end
  end
  return count
end

-- The team that the player gets who wants this one.
local function fair(wish, player)
  local other = sides[wish]
  if not other or not room().teams then return wish end
  local too_large = size(wish, player) + 1 - size(other, player) > allowed_difference
  return too_large and other or wish
end

function on_intent.enter(word, player)
  local team = fair(word.team, player)
  if team == word.team then return end
  word.team = team
  return word
end

function on_intent.change(word, player)
  if not word.team then return end
  if fair(word.team, player) == word.team then return end
  if now() - (told_at[player] or -10) > 5 then
    tell(player, "That team has enough players.")
    told_at[player] = now()
  end
  return false
end

function on_leave(player)
  told_at[player.id] = nil
end
