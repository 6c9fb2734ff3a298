#include <algorithm>
#include <cmath>
#include <utility>

#include "adapters/aos/front/cast.h"
#include "adapters/aos/losses.h"
#include "proxy/core/bodies.h"

namespace entente::aos {
namespace {

constexpr std::size_t kMostOthers = kMostPlayers - 1;
/// So long a number is nobody's before somebody else has it: what is on its way names who had it.
constexpr core::Micros kRest = 2 * core::kSecond;
constexpr double kUnseen = 1e9, kNearer = 0.8;  // who is shown counts as so much nearer: nobody flickers

constexpr std::size_t kMostListed = 20'000;  // units between two paintings
/// How often the nearest of too many are chosen anew, where nobody came or left.
constexpr core::Micros kChoose = 250 * core::kMillisecond;

constexpr std::uint32_t kPlainBlock = 0x6f6f6f;  // a client's own first colour

const core::UnitState* largest(const core::PlayerState& player, const core::World& world) {
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

std::optional<Slot> Cast::slot_of_unit(core::Id unit) const {
  for (Slot slot = 0; slot < kMostPlayers; ++slot)
    if (unit != 0 && actors_[slot].player != 0 && actors_[slot].unit == unit) return slot;
  return std::nullopt;
}

std::optional<Slot> Cast::slot_of_player(core::Id player) const {
  for (Slot slot = 0; slot < kMostPlayers; ++slot)
    if (player != 0 && actors_[slot].player == player) return slot;
  return std::nullopt;
}

std::optional<Slot> Cast::shown_player(core::Id player) const {
  const auto slot = slot_of_player(player);
  return slot && actors_[*slot].told ? slot : std::nullopt;
}

// -- Who shall be seen -----------------------------------------------------------------------------------------------

void Cast::list_parts(FrontOut& out) {
  const core::World& world = out.world();
  const core::UnitState* mine = world.active_unit(out.me());
  parts_.clear();
  const auto add = [&](core::Id player, const core::UnitState& state) {
    const words::Pose& pose = state.unit.pose();
    const double dx = mine == nullptr ? 0 : pose.x() - mine->unit.pose().x();
    const double dy = mine == nullptr ? 0 : pose.y() - mine->unit.pose().y();
    const double far = std::sqrt(dx * dx + dy * dy);
    parts_.push_back({player, state.unit.id(), state.hidden || !std::isfinite(far) ? kUnseen : far});
  };
  for (const auto& [id, player] : world.players()) {
    const std::size_t before = parts_.size();
    for (const core::Id unit : player.units)
      if (const auto* state = world.unit(unit); state != nullptr && core::is_body(state->unit.kind()) && state != mine)
        add(id, *state);
    if (id == out.me()) continue;
    if (const auto* cell = largest(player, world)) add(id, *cell);
    if (parts_.size() == before) parts_.push_back({id, 0, kUnseen});
  }
}

void Cast::leave_out_the_far(FrontOut& out) {
  if (parts_.size() <= kMostOthers) {
    crowded_ = false;
    return;
  }
  if (!std::exchange(crowded_, true)) out.lose(loss::kPlayersFull);
  for (Part& part : parts_) {
    const auto slot = part.unit != 0 ? slot_of_unit(part.unit) : slot_of_player(part.player);
    if (slot && actors_[*slot].told) part.far *= kNearer;
  }
  const auto end = parts_.begin() + kMostOthers;
  std::nth_element(parts_.begin(), end, parts_.end(), [](const Part& a, const Part& b) { return a.far < b.far; });
  parts_.erase(end, parts_.end());
}

/// Who has a number already keeps it; a player's new unit takes the place of an old one that is gone.
void Cast::keep_parts(FrontOut& out) {
  const auto find = [&](auto&& fits) {
    const auto at =
        std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) { return !part.taken && fits(part); });
    if (at != parts_.end()) at->taken = true;
    return at;
  };
  std::array<bool, kMostPlayers> kept{};
  for (Slot slot = 1; slot < kMostPlayers; ++slot) {
    const Actor& actor = actors_[slot];
    kept[slot] = actor.player == 0 || find([&](const Part& part) {
                                        return part.player == actor.player && part.unit == actor.unit;
                                      }) != parts_.end();
  }
  for (Slot slot = 1; slot < kMostPlayers; ++slot) {
    if (kept[slot]) continue;
    const auto other = find([&](const Part& part) { return part.player == actors_[slot].player; });
    if (other == parts_.end())
      dismiss(slot, out);
    else
      actors_[slot].unit = other->unit;
  }
}

void Cast::cast(FrontOut& out) {
  if (const core::UnitState* mine = out.world().active_unit(out.me())) own().unit = mine->unit.id();
  list_parts(out);
  leave_out_the_far(out);
  keep_parts(out);
  for (const Part& part : parts_)
    if (!part.taken) enlist(part, out);
}

void Cast::greet(FrontOut& out) {
  cast(out);
  for (Slot slot = 1; slot < kMostPlayers; ++slot)
    if (actors_[slot].player != 0) introduce(slot, out);
}

void Cast::refresh(FrontOut& out) {
  listed_ = 0;
  if (crowded_ && out.now() < choose_at_) return look_after_all(out);
  recast(out);
}

/// With every word of who is there, or, where that are too many, with the next painting.
void Cast::recast(FrontOut& out) {
  if (!ground_.loaded() || listed_ > kMostListed) return;
  listed_ += out.world().units().size();
  cast(out);
  choose_at_ = out.now() + kChoose;
  look_after_all(out);
}

void Cast::look_after_all(FrontOut& out) {
  for (Slot slot = 0; slot < kMostPlayers; ++slot)
    if (actors_[slot].player != 0) look_after(slot, out);
}

/// The number that has been nobody's for longest. None has been for long enough: it waits.
void Cast::enlist(const Part& part, FrontOut& out) {
  Actor* free = nullptr;
  for (Slot slot = 1; slot < kMostPlayers; ++slot) {
    Actor& actor = actors_[slot];
    const bool rested = actor.freed == 0 || out.now() >= actor.freed + kRest;
    if (actor.player == 0 && rested && (free == nullptr || actor.freed < free->freed)) free = &actor;
  }
  if (free == nullptr) return;
  *free = {};
  free->player = part.player;
  free->unit = part.unit;
  dress(*free, out);
}

/// Tells the client of who came into play, or came to be seen in play.
void Cast::look_after(Slot slot, FrontOut& out) {
  Actor& actor = actors_[slot];
  if (slot == kOwn && !newcomer_.entered()) return;
  if (actor.watches) {
    if (!actor.told && slot != kOwn) create(slot, {}, out);
    return;
  }
  const core::UnitState* unit = out.world().unit(actor.unit);
  if (unit == nullptr) return;
  if (!unit->unit.alive() && slot != kOwn) actor.alive = false;  // no event: painted nowhere until it is created again
  if (!unit->unit.alive() || actor.alive || actor.dead) return;
  if (std::exchange(actor.unseen, false))
    actor.alive = true;  // the client takes who was there first for one who lives
  else
    create(slot, unit->unit.pose(), out);
}

void Cast::dismiss(Slot slot, FrontOut& out) {
  if (actors_[slot].told) client_.send(PlayerLeft{slot}, out);
  actors_[slot] = {};
  actors_[slot].freed = std::max<core::Micros>(out.now(), 1);
}

// -- What they look like ---------------------------------------------------------------------------------------------

std::uint8_t Cast::side_of_player(const words::Player& player, const FrontOut& out) const {
  const auto wished = sides_.side_of(newcomer_.wish().team());
  if (same_game(out)) return sides_.side_of(player.team(), wished);
  const core::PlayerState* me = out.world().player(out.me());
  const words::Team mine = me != nullptr ? me->player.team() : newcomer_.wish().team();
  const std::uint8_t my_side = sides_.side_of(mine, wished);
  const bool alone = mine == words::TEAM_ANY || mine == words::ROGUE;
  const bool ally = player.id() == out.me() || (!alone && player.team() == mine);
  return ally ? my_side : static_cast<std::uint8_t>(1 - my_side);
}

void Cast::dress(Actor& actor, FrontOut& out) const {
  const core::PlayerState* state = out.world().player(actor.player);
  words::Player wished;
  if (state == nullptr && actor.player != out.me()) return;
  if (state == nullptr)
    wished.set_id(out.me()), wished.set_name(newcomer_.wish().name()), wished.set_team(newcomer_.wish().team());
  const words::Player& player = state != nullptr ? state->player : wished;
  actor.watches = player.role() == words::WATCH;
  actor.side = side_of_player(player, out);
  actor.name = wire_name(player.name());
  if (same_game(out))
    actor.weapon = weapon_of(player.kit());
  else if (actor.player == out.me())
    actor.weapon = weapon_of(newcomer_.wish().kit());
}

/// Somebody has changed. Of this game's servers, who changes dies, and is created again by them.
void Cast::redress(FrontOut& out) {
  for (Slot slot = 0; slot < kMostPlayers; ++slot) {
    Actor& actor = actors_[slot];
    if (actor.player == 0) continue;
    const auto look = [&] { return std::tuple(actor.name, actor.side, actor.weapon, actor.watches); };
    const auto before = look();
    dress(actor, out);
    const core::UnitState* unit = out.world().unit(actor.unit);
    if (before == look() || same_game(out) || !actor.told || !actor.alive || unit == nullptr) continue;
    create(slot, unit->unit.pose(), out);
  }
}

/// How a client hears of who was there first.
void Cast::introduce(Slot slot, FrontOut& out) {
  Actor& actor = actors_[slot];
  const core::PlayerState* state = out.world().player(actor.player);
  const core::UnitState* unit = out.world().unit(actor.unit);
  const std::uint32_t own_colour = state != nullptr ? state->player.colour() : 0;
  const std::uint32_t colour = own_colour != 0 || same_game(out) ? own_colour : kPlainBlock;
  ExistingPlayer player;
  player.player = slot;
  player.team = actor.watches ? kSpectator : actor.side;
  player.weapon = actor.weapon;
  player.tool = actor.tool;
  player.kills = state != nullptr ? state->score.wins() : 0;
  player.colour = wire_colour(colour);
  player.name.chars = actor.name + '\0';
  client_.send(player, out);
  actor.told = true;
  actor.colour = colour;
  actor.alive = unit != nullptr && unit->unit.alive() && !actor.watches;
  actor.unseen = unit != nullptr && !actor.alive && !actor.watches && same_game(out);
  if (unit != nullptr) actor.motion.position = ground_.stand(unit->unit.pose(), out);
}

/// Into play, there; for our own client also the strongest way to move it.
void Cast::create(Slot slot, const words::Pose& pose, FrontOut& out) {
  Actor& actor = actors_[slot];
  if (slot == kOwn) dress(actor, out);
  CreatePlayer player;
  player.player = slot;
  player.weapon = actor.weapon;
  player.team = actor.watches ? kSpectator : actor.side;
  player.position = ground_.stand(pose, out);
  player.name.chars = actor.name + '\0';
  client_.send(player, out);
  actor.told = true;
  actor.alive = !actor.watches;
  actor.keys = actor.buttons = 0;
  actor.tool = kGun;
  actor.shooting = actor.told_whole = 0;
  actor.motion = {player.position, orientation_of(pose.yaw(), pose.pitch()), {}};
  if (slot == kOwn) life_.begins(actor, out);
}

// -- What is told ----------------------------------------------------------------------------------------------------

void Cast::hear(const words::Player& player, FrontOut& out) {
  redress(out);
  if (const auto slot = slot_of_player(player.id()); slot && player.colour() != 0)
    show_colour(*slot, player.colour(), out);
  recast(out);
}

void Cast::hear(const words::Unit& unit, FrontOut& out) {
  if (unit.kind() == words::Unit::BRICK) return;  // a wall
  const bool shown = core::is_driven(unit.kind());
  if (!shown || unit.owner() == 0) return out.lose(loss::kUnitOfNobody);
  recast(out);
}

/// A client counts the kills that it is told of. What a replay has gone past it cannot count: it hears of such a player
/// as of one who was there first, with his score.
void Cast::hear(const words::Score& score, FrontOut& out) {
  const auto slot = slot_of_player(score.player());
  if (retold_ && slot && *slot != kOwn && actors_[*slot].told) introduce(*slot, out);
}

void Cast::hear(const words::UnitChanged& changed, FrontOut& out) {
  if (slot_of_unit(changed.unit())) redress(out);
}

void Cast::hear(const words::Spawned& spawned, FrontOut& out) {
  const auto before = slot_of_unit(spawned.unit());
  const bool known = before && actors_[*before].alive;
  if (before) actors_[*before].dead = false;
  recast(out);  // says so of who was not in play
  const auto slot = slot_of_unit(spawned.unit());
  if (!slot || !known || (*slot == kOwn && !newcomer_.entered())) return;
  Actor& actor = actors_[*slot];
  dress(actor, out);
  create(*slot, spawned.pose(), out);
}

void Cast::hear(const words::Input& input, FrontOut& out) {
  const auto slot = slot_of_unit(input.unit());
  if (!slot || *slot == kOwn || !actors_[*slot].told) return;
  Actor& actor = actors_[*slot];
  actor.has_keys = true;
  const auto tool = static_cast<std::uint8_t>(std::min<std::uint32_t>(input.tool(), kGrenades));
  if (std::exchange(actor.tool, tool) != tool) client_.send(SetTool{*slot, tool}, out);
  press_keys(*slot, static_cast<std::uint8_t>(input.bits()), out);
  press(*slot, static_cast<std::uint8_t>((input.primary() ? kPrimary : 0) | (input.secondary() ? kSecondary : 0)), out);
}

// -- What is seen of their hands and feet ----------------------------------------------------------------------------

void Cast::press_keys(Slot slot, std::uint8_t keys, FrontOut& out) {
  Actor& actor = actors_[slot];
  if (!actor.told || std::exchange(actor.keys, keys) == keys || client_.tells_states()) return;
  client_.send(InputData{slot, keys}, out);
}

void Cast::press(Slot slot, std::uint8_t buttons, FrontOut& out) {
  Actor& actor = actors_[slot];
  if (actor.told && std::exchange(actor.buttons, buttons) != buttons) client_.send(WeaponInput{slot, buttons}, out);
}

/// A block has the colour that its builder last said.
void Cast::show_colour(Slot slot, std::uint32_t colour, FrontOut& out) {
  Actor& actor = actors_[slot];
  if (!actor.told || slot == kOwn || actor.colour == colour) return;
  actor.colour = colour;
  client_.send(SetColour{slot, wire_colour(colour)}, out);
}

}  // namespace entente::aos
