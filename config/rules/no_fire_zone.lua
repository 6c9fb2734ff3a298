-- Nobody shoots near a base: neither from there, nor into it.

local margin = 20 -- metres around each base
local told_at = {} -- by player

local bases -- of the world; nil: not asked for yet

local function near_base(x, y)
  bases = bases or (field() or {}).bases
  for _, base in ipairs(bases or {}) do
    if math.abs(x - base.x) < base.half_x + margin and math.abs(y - base.y) < base.half_y + margin then return true end
  end
  return false
end

-- Whether a shot flies into a base within its range. `speed` is 0 for a ray without a direction.
local function hits_base(shot)
  local speed = math.sqrt(shot.vx ^ 2 + shot.vy ^ 2)
  if speed == 0 then return false end
  for metres = 0, math.min(shot.range, 400), margin do
    if near_base(shot.x + shot.vx / speed * metres, shot.y + shot.vy / speed * metres) then return true end
  end
  return false
end

function on_intent.fire(shot, player)
  local unit = unit_of(player)
  if not (unit and near_base(unit.x, unit.y)) and not hits_base(shot) then return end
  if now() - (told_at[player] or -10) > 5 then
    tell(player, "No shooting at the bases.")
    told_at[player] = now()
  end
  return false
end

function on_intent.trigger(word, player)
  local unit = unit_of(player)
  if word.primary and unit and near_base(unit.x, unit.y) then return false end
end

function on_fact.world() bases = nil end

function on_leave(player)
  told_at[player.id] = nil
end
