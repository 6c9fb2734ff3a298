-- Replaces bad words by stars. Who keeps using them is silenced for a minute, and then kicked.

local words = { "darn", "heck" } -- in lower case; a word is also found inside of another
local strikes_until_silence, silence_s, strikes_until_kick = 3, 60, 6

local strikes, silent_until = {}, {} -- by player

local function starred(text)
  local found = false
  local lower = text:lower()
  for _, word in ipairs(words) do
    local from = 1
    while true do
      local first, last = lower:find(word, from, true)
      if not first then break end
      text = text:sub(1, first - 1) .. ("*"):rep(last - first + 1) .. text:sub(last + 1)
      from, found = last + 1, true
    end
  end
  return text, found
end

function on_chat(player, text)
  if (silent_until[player] or 0) > now() then
    tell(player, string.format("You are silenced for %.0f more seconds.", silent_until[player] - now()))
    return false
  end
  local clean, found = starred(text)
  if not found then return end
  strikes[player] = (strikes[player] or 0) + 1
  if strikes[player] >= strikes_until_kick then
    kick(player, "mind your words")
    return false
  end
  if strikes[player] % strikes_until_silence == 0 then silent_until[player] = now() + silence_s end
  tell(player, "Please mind your words.")
  return clean
end

function on_leave(player)
  strikes[player.id], silent_until[player.id] = nil, nil
end
