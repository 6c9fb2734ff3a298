-- /votekick NAME: more than half of the players of an arena, and at least three, send somebody away for five minutes.
-- /yes votes for the vote that runs. In a bridge there are never enough votes: each player has a room, which hears only
-- the commands of that player.

local least, share, vote_s, away_minutes = 3, 0.5, 45, 5
local vote -- { who, name, ends, voters, count }

local function plays(id) return (get_player(id) or {}).role == "PLAY" end
local function needed()
  local count = 0
  for _, player in ipairs(players()) do
    if player.role == "PLAY" then count = count + 1 end
  end
  return math.max(least, math.floor(count * share) + 1)
end

local function add(voter)
  if not vote or vote.voters[voter] then return end
  vote.voters[voter] = true
  vote.count = vote.count + 1
  if vote.count < needed() then
    return tell_all(string.format("%d of %d votes to kick %s; /yes votes for it", vote.count, needed(), vote.name))
  end
  tell_all(vote.name .. " is sent away")
  if get_player(vote.who) then ban(vote.who, away_minutes, "the players voted") end
  vote = nil
end

command("votekick", "NAME: begins a vote to send a player away", function(voter, name)
  if not plays(voter) then return tell(voter, "Only players vote.") end
  local found = find_player(name)
  if not found then return tell(voter, "I see nobody of that name.") end
  if found.admin then return tell(voter, "That is an operator.") end
  if vote then return tell(voter, "A vote is running already; /yes votes for it.") end
  vote = { who = found.id, name = found.name, ends = now() + vote_s, voters = {}, count = 0 }
  add(voter)
end)

command("yes", "votes for the vote that runs", function(voter)
  if not plays(voter) then return tell(voter, "Only players vote.") end
  if not vote then return tell(voter, "There is no vote.") end
  add(voter)
end)

function on_tick()
  if not vote or now() < vote.ends then return end
  tell_all("The vote to kick " .. vote.name .. " has failed.")
  vote = nil
end

function on_leave(player)
  if not vote then return end
  if vote.who == player.id then
    vote = nil
  elseif vote.voters[player.id] then -- who comes back is another player, and may vote again
    vote.voters[player.id] = nil
    vote.count = vote.count - 1
  end
end
