-- A match in an arena: it begins when all players have said /ready, has two halves, and players change sides between
-- them. The score of both halves decides.

local half_s = 300

state.half = state.half or 0 -- 0: waiting for players
state.total = state.total or {} -- wins of the players who begin as RED and as BLUE
local ready = {} -- by player

local function playing()
  local all = {}
  for _, player in ipairs(players()) do
    if player.role == "PLAY" then all[#all + 1] = player end
  end
  return all
end

local function begin_half(half)
  state.half, state.ends = half, now() + half_s
  open_round()
  tell_all(half == 1 and "The match begins." or "Second half. You have changed sides.")
end

local function end_half()
  local scores = team_scores()
  local red, blue = scores.RED and scores.RED.wins or 0, scores.BLUE and scores.BLUE.wins or 0
  if state.half == 1 then
    state.total = { red, blue }
    for _, player in ipairs(playing()) do set_team(player.id, player.team == "RED" and "BLUE" or "RED") end
    return begin_half(2)
  end
  local first, second = state.total[1] + blue, state.total[2] + red -- who began as RED is BLUE now
  close_round(first > second and "BLUE" or second > first and "RED" or nil)
  tell_all(string.format("The match is over: %d to %d. Say /ready for another one.", first, second))
  state.half, ready = 0, {}
end

command("ready", "says that you are ready for the match", function(id)
  if state.half ~= 0 then return tell(id, "The match is running.") end
  local said_before = ready[id]
  ready[id] = true
  local missing = {}
  for _, player in ipairs(playing()) do
    if not ready[player.id] then missing[#missing + 1] = player.name end
  end
  if #missing == 0 then return begin_half(1) end
  local waiting = "Waiting for " .. table.concat(missing, ", ")
  if said_before then return tell(id, waiting) end
  tell_all(get_player(id).name .. " is ready. " .. waiting)
end)

function on_server_up() close_round() end
function on_leave(player) ready[player.id] = nil end
function on_tick() if state.half ~= 0 and now() >= state.ends then end_half() end end
