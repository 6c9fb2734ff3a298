#include <algorithm>
#include <cmath>
#include <utility>

#include "adapters/aos/front/player_table.h"
#include "adapters/aos/wire/drops.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"

namespace entente::aos {
namespace {

constexpr std::size_t kMostOthers = kMostPlayers - 1;
/// How long a number stays unused before another player gets it: packets under way may still mean the old player.
constexpr core::Micros kRest = 2 * core::kSecond;
/// A client draws nothing beyond its fog, so all players there are as far as each other, and none makes room for
/// another.
constexpr double kFogFar = 128 * kMetresPerBlock, kUnseen = kFogFar;
constexpr double kNearer = 0.8;  // shown players count as nearer, so that nobody flickers

constexpr std::size_t kMostListed = 20'000;  // units examined between two snapshots
/// How often the nearest units are chosen again if there are too many to show and none has come or left.
constexpr core::Micros kChoose = 250 * core::kMillisecond;

/// A Spawned at the same place, so soon after a player was put into play, is about that life.
constexpr core::Micros kSameLife = 100 * core::kMillisecond;

const core::UnitState* largest(const core::PlayerState& player, const core::WorldState& world) {
  const core::UnitState* most = nullptr;
  for (const core::Id id : player.units) {
    const core::UnitState* unit = world.unit(id);
    if (unit == nullptr || unit->unit.kind() != words::Unit::CELL) continue;
    const auto rank = [](const core::UnitState& cell) { return std::pair(!cell.hidden, cell.unit.radius()); };
    if (most == nullptr || rank(*unit) > rank(*most)) most = unit;
  }
  return most;
}

}  // namespace

std::optional<Slot> PlayerTable::slot_of_unit(core::Id unit) const {
  for (Slot slot = 0; slot < kMostPlayers; ++slot)
    if (unit != 0 && entries_[slot].player != 0 && entries_[slot].unit == unit) return slot;
  return std::nullopt;
}

std::optional<Slot> PlayerTable::slot_of_player(core::Id player) const {
  for (Slot slot = 0; slot < kMostPlayers; ++slot)
    if (player != 0 && entries_[slot].player == player) return slot;
  return std::nullopt;
}

std::optional<Slot> PlayerTable::shown_player(core::Id player) const {
  const auto slot = slot_of_player(player);
  return slot && entries_[*slot].told ? slot : std::nullopt;
}

// -- Which units are shown -------------------------------------------------------------------------------------------

void PlayerTable::list_candidates(FrontOut& out) {
  const core::WorldState& world = out.world();
  const core::UnitState* mine = world.active_unit(out.me());
  candidates_.clear();
  const auto add = [&](core::Id player, const core::UnitState& state) {
    const words::Pose& pose = state.unit.pose();
    const double dx = mine == nullptr ? 0 : pose.x() - mine->unit.pose().x();
    const double dy = mine == nullptr ? 0 : pose.y() - mine->unit.pose().y();
    const double far = std::sqrt(dx * dx + dy * dy);
    candidates_.push_back(
        {player, state.unit.id(), state.hidden || !std::isfinite(far) ? kUnseen : std::min(far, kFogFar)});
  };
  for (const auto& [id, player] : world.players()) {
    const std::size_t before = candidates_.size();
    for (const core::Id unit : player.units)
      if (const auto* state = world.unit(unit); state != nullptr && core::is_body(state->unit.kind()) && state != mine)
        add(id, *state);
    if (id == out.me()) continue;
    if (const auto* cell = largest(player, world)) add(id, *cell);
    if (candidates_.size() == before) candidates_.push_back({id, 0, kUnseen});
  }
}

void PlayerTable::leave_out_the_far(FrontOut& out) {
  if (candidates_.size() <= kMostOthers) {
    crowded_ = false;
    return;
  }
  if (!std::exchange(crowded_, true)) out.drop(drops::kPlayersFull);
  for (Candidate& candidate : candidates_) {
    const auto slot = candidate.unit != 0 ? slot_of_unit(candidate.unit) : slot_of_player(candidate.player);
    if (slot && entries_[*slot].told) candidate.far *= kNearer;
  }
  const auto end = candidates_.begin() + kMostOthers;
  std::nth_element(candidates_.begin(), end, candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.far < b.far; });
  candidates_.erase(end, candidates_.end());
}

/// Units that have a number keep it. A player's new unit gets the number of an old unit that is gone.
void PlayerTable::keep_assigned(FrontOut& out) {
  const auto find = [&](auto&& fits) {
    const auto at = std::find_if(candidates_.begin(), candidates_.end(),
                                 [&](const Candidate& candidate) { return !candidate.taken && fits(candidate); });
    if (at != candidates_.end()) at->taken = true;
    return at;
  };
  std::array<bool, kMostPlayers> kept{};
  for (Slot slot = 1; slot < kMostPlayers; ++slot) {
    const PlayerEntry& entry = entries_[slot];
    kept[slot] = entry.player == 0 || find([&](const Candidate& candidate) {
                                        return candidate.player == entry.player && candidate.unit == entry.unit;
                                      }) != candidates_.end();
  }
  for (Slot slot = 1; slot < kMostPlayers; ++slot) {
    if (kept[slot]) continue;
    const auto other = find([&](const Candidate& candidate) { return candidate.player == entries_[slot].player; });
    if (other == candidates_.end())
      dismiss(slot, out);
    else
      entries_[slot].unit = other->unit;
  }
}

void PlayerTable::assign(FrontOut& out) {
  if (const core::UnitState* mine = out.world().active_unit(out.me())) own().unit = mine->unit.id();
  list_candidates(out);
  leave_out_the_far(out);
  keep_assigned(out);
  for (const Candidate& candidate : candidates_)
    if (!candidate.taken) enlist(candidate, out);
}

void PlayerTable::greet(FrontOut& out) {
  assign(out);
  for (Slot slot = 1; slot < kMostPlayers; ++slot)
    if (entries_[slot].player != 0) introduce(slot, out);
}

void PlayerTable::refresh(FrontOut& out) {
  listed_ = 0;
  if (crowded_ && out.now() < choose_at_) return look_after_all(out);
  reassign(out);
}

/// Runs on every fact about players and units. After kMostListed units it waits for the next snapshot.
void PlayerTable::reassign(FrontOut& out) {
  if (!map_.loaded() || listed_ > kMostListed) return;
  listed_ += out.world().units().size();
  assign(out);
  choose_at_ = out.now() + kChoose;
  look_after_all(out);
}

void PlayerTable::look_after_all(FrontOut& out) {
  for (Slot slot = 0; slot < kMostPlayers; ++slot)
    if (entries_[slot].player != 0) look_after(slot, out);
}

/// Gives a unit the number that has been free for longest. If none has been free for long enough, the unit waits.
void PlayerTable::enlist(const Candidate& candidate, FrontOut& out) {
  PlayerEntry* free = nullptr;
  for (Slot slot = 1; slot < kMostPlayers; ++slot) {
    PlayerEntry& entry = entries_[slot];
    const bool rested = entry.freed == 0 || out.now() >= entry.freed + kRest;
    if (entry.player == 0 && rested && (free == nullptr || entry.freed < free->freed)) free = &entry;
  }
  if (free == nullptr) return;
  *free = {};
  free->player = candidate.player;
  free->unit = candidate.unit;
  describe(*free, out);
}

/// Creates the player on the client when its unit comes into play, or becomes visible in play.
void PlayerTable::look_after(Slot slot, FrontOut& out) {
  PlayerEntry& entry = entries_[slot];
  if (slot == kOwn && !profile_.entered()) return;
  if (entry.watches) {
    if (!entry.told && slot != kOwn) create_watcher(slot, out);
    return;
  }
  const core::UnitState* unit = out.world().unit(entry.unit);
  if (unit == nullptr) return;
  if (!unit->unit.alive() && slot != kOwn) entry.alive = false;  // not sent: shown nowhere until it is created again
  if (!unit->unit.alive() || entry.alive || entry.dead) return;
  if (std::exchange(entry.unseen, false))
    entry.alive = true;  // a client assumes that players it finds are alive
  else
    create(slot, unit->unit.pose(), out);
}

void PlayerTable::dismiss(Slot slot, FrontOut& out) {
  if (entries_[slot].told) client_.send(PlayerLeft{slot}, out);
  entries_[slot] = {};
  entries_[slot].freed = std::max<core::Micros>(out.now(), 1);
}

// -- What they look like ---------------------------------------------------------------------------------------------

std::uint8_t PlayerTable::side_of_player(const words::Player& player, const FrontOut& out) const {
  const auto wished = sides_.side_of(profile_.wish().team());
  if (same_game(out)) return sides_.side_of(player.team(), wished);
  const core::PlayerState* me = out.world().player(out.me());
  const words::Team mine = me != nullptr ? me->player.team() : profile_.wish().team();
  const std::uint8_t my_side = sides_.side_of(mine, wished);
  const bool alone = mine == words::TEAM_ANY || mine == words::ROGUE;
  const bool ally = player.id() == out.me() || (!alone && player.team() == mine);
  return ally ? my_side : static_cast<std::uint8_t>(1 - my_side);
}

void PlayerTable::describe(PlayerEntry& entry, FrontOut& out) const {
  const core::PlayerState* state = out.world().player(entry.player);
  words::Player wished;
  if (state == nullptr && entry.player != out.me()) return;
  if (state == nullptr)
    wished.set_id(out.me()), wished.set_name(profile_.wish().name()), wished.set_team(profile_.wish().team());
  const words::Player& player = state != nullptr ? state->player : wished;
  entry.watches = player.role() == words::WATCH;
  entry.side = side_of_player(player, out);
  name(entry, player.name(), same_game(out) || entry.player == out.me());
  if (same_game(out))
    entry.weapon = weapon_of(player.kit());
  else if (entry.player == out.me())
    entry.weapon = weapon_of(profile_.wish().kit());
}

/// A name that no player with another full name has. It stays as long as the player is called so. `as_told`: by a
/// server of this game, or by the client itself.
void PlayerTable::name(PlayerEntry& entry, const std::string& full_name, bool as_told) const {
  if (!entry.name.empty() && entry.full_name == full_name) return;
  entry.full_name = full_name;
  const auto taken = [&](const std::string& name) {
    return std::any_of(entries_.begin(), entries_.end(), [&](const PlayerEntry& other) {
      return &other != &entry && other.player != 0 && other.name == name && other.full_name != full_name;
    });
  };
  entry.name = wire_name(full_name);
  for (std::size_t nth = 2; !as_told && taken(entry.name); ++nth) entry.name = wire_name(full_name, nth);
}

/// Creates players again whose looks have changed. On a server of this game, the server creates them again: a change
/// kills a player in play. One who becomes a spectator has no spawn, and is created at once.
void PlayerTable::redress(FrontOut& out) {
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    PlayerEntry& entry = entries_[slot];
    if (entry.player == 0) continue;
    const auto look = [&] { return std::tuple(entry.name, entry.side, entry.weapon, entry.watches); };
    const auto before = look();
    const bool watched = entry.watches;
    describe(entry, out);
    if (entry.told && entry.watches && !watched) {
      create_watcher(slot, out);
      continue;
    }
    if (before == look()) continue;
    entry.unseen = false;  // its next spawn shows the new look
    const core::UnitState* unit = out.world().unit(entry.unit);
    if (same_game(out) || !entry.told || !entry.alive || unit == nullptr) continue;
    create(slot, unit->unit.pose(), out);
  }
}

/// Introduces a player that was there before the client (Existing Player).
void PlayerTable::introduce(Slot slot, FrontOut& out) {
  PlayerEntry& entry = entries_[slot];
  const core::PlayerState* state = out.world().player(entry.player);
  const core::UnitState* unit = out.world().unit(entry.unit);
  const std::uint32_t own_colour = state != nullptr ? state->player.colour() : 0;
  const std::uint32_t colour = own_colour != 0 || same_game(out) ? own_colour : kPlainColour;
  ExistingPlayer player;
  player.player = slot;
  player.team = entry.watches ? kSpectator : entry.side;
  player.weapon = entry.weapon;
  player.tool = entry.tool;
  player.kills = state != nullptr ? state->score.wins() : 0;
  player.colour = wire_colour(colour);
  player.name.chars = entry.name + '\0';
  client_.send(player, out);
  entry.told = true;
  entry.colour = colour;
  entry.alive = unit != nullptr && unit->unit.alive() && !entry.watches;
  entry.unseen = unit != nullptr && !entry.alive && !entry.watches && same_game(out);
  if (unit != nullptr) entry.motion.position = map_.stand(unit->unit.pose(), out);
}

/// Puts a player into play at `pose`. For our own client this is also the surest way to move it.
void PlayerTable::create(Slot slot, const words::Pose& pose, FrontOut& out) {
  PlayerEntry& entry = entries_[slot];
  if (slot == kOwn) describe(entry, out);
  CreatePlayer player;
  player.player = slot;
  player.weapon = entry.weapon;
  player.team = entry.watches ? kSpectator : entry.side;
  player.position = map_.stand(pose, out);
  player.name.chars = entry.name + '\0';
  client_.send(player, out);
  entry.told = true;
  entry.alive = !entry.watches;
  entry.unseen = false;
  entry.keys = entry.buttons = 0;
  entry.tool = kGun;
  entry.colour = kPlainColour;
  entry.shooting = entry.told_whole = 0;
  entry.motion = {player.position, orientation_of(pose.yaw(), pose.pitch()), {}};
  entry.created = out.now();
  entry.created_at = player.position;
  if (slot == kOwn) life_.begins(entry, out);
}

void PlayerTable::create_watcher(Slot slot, FrontOut& out) {
  words::Pose pose;
  if (slot == kOwn) pose.set_z(40 * kMetresPerBlock);
  create(slot, pose, out);
}

// -- Facts -----------------------------------------------------------------------------------------------------------

void PlayerTable::hear(const words::Player& player, FrontOut& out) {
  redress(out);
  if (const auto slot = slot_of_player(player.id()); slot && player.colour() != 0)
    show_colour(*slot, player.colour(), out);
  reassign(out);
}

void PlayerTable::hear(const words::Unit& unit, FrontOut& out) {
  if (unit.kind() == words::Unit::BRICK) return;                        // shown as a wall
  if (is_on_floor(unit) && unit.owner() == 0 && !map_.given()) return;  // FloorMarks shows it
  const bool shown = core::shown_as_tank(unit.kind());
  if (!shown || unit.owner() == 0) return out.drop(drops::kUnitOfNobody);
  reassign(out);
}

/// A client counts kills from the deaths that it is told. It misses those that a seek in a replay skips, so the player
/// is introduced again, with its score.
void PlayerTable::hear(const words::Score& score, FrontOut& out) {
  const auto slot = slot_of_player(score.player());
  if (resync_ && slot && *slot != kOwn && entries_[*slot].told) introduce(*slot, out);
}

void PlayerTable::hear(const words::UnitChanged& changed, FrontOut& out) {
  if (slot_of_unit(changed.unit())) redress(out);
}

void PlayerTable::hear(const words::Spawned& spawned, FrontOut& out) {
  const auto before = slot_of_unit(spawned.unit());
  const bool known = before && entries_[*before].alive;
  if (before) entries_[*before].dead = false;
  // Creates a player that was not in play. Where there are too many, the next choice finds those that came near.
  if (!crowded_ || before == kOwn)
    reassign(out);
  else if (before)
    look_after(*before, out);
  const auto slot = slot_of_unit(spawned.unit());
  if (!slot || !known || (*slot == kOwn && !profile_.entered())) return;
  PlayerEntry& entry = entries_[*slot];
  describe(entry, out);
  // Its Unit may have put it into play there a moment ago.
  const bool same = entry.created != 0 && out.now() - entry.created < kSameLife &&
                    entry.created_at == map_.stand(spawned.pose(), out);
  if (!same) create(*slot, spawned.pose(), out);
}

void PlayerTable::hear(const words::Input& input, FrontOut& out) {
  const auto slot = slot_of_unit(input.unit());
  if (!slot || *slot == kOwn || !entries_[*slot].told) return;
  PlayerEntry& entry = entries_[*slot];
  entry.has_keys = true;
  const auto tool = static_cast<std::uint8_t>(std::min<std::uint32_t>(input.tool(), kGrenades));
  if (std::exchange(entry.tool, tool) != tool) client_.send(SetTool{*slot, tool}, out);
  press_keys(*slot, static_cast<std::uint8_t>(input.bits()), out);
  press(*slot, static_cast<std::uint8_t>((input.primary() ? kPrimary : 0) | (input.secondary() ? kSecondary : 0)), out);
}

// -- Their keys, buttons and colours ---------------------------------------------------------------------------------

void PlayerTable::press_keys(Slot slot, std::uint8_t keys, FrontOut& out) {
  PlayerEntry& entry = entries_[slot];
  if (!entry.told || std::exchange(entry.keys, keys) == keys || client_.tells_states()) return;
  client_.send(InputData{slot, keys}, out);
}

void PlayerTable::press(Slot slot, std::uint8_t buttons, FrontOut& out) {
  PlayerEntry& entry = entries_[slot];
  if (entry.told && std::exchange(entry.buttons, buttons) != buttons) client_.send(WeaponInput{slot, buttons}, out);
}

/// Blocks have the colour that their builder set last.
void PlayerTable::show_colour(Slot slot, std::uint32_t colour, FrontOut& out) {
  PlayerEntry& entry = entries_[slot];
  if (!entry.told || slot == kOwn || entry.colour == colour) return;
  entry.colour = colour;
  client_.send(SetColour{slot, wire_colour(colour)}, out);
}

}  // namespace entente::aos
