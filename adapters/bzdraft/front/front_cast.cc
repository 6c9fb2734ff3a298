// Who is there, as our client sees it: a robot player for each unit that is somebody's. See front.h.
#include "adapters/bzdraft/front/front.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"

namespace entente::bzdraft {
namespace {

constexpr std::size_t kLongestMotto = 127;

bool same(const AddPlayer& a, const AddPlayer& b) {
  return a.type == b.type && a.team == b.team && a.callsign.chars == b.callsign.chars && a.email.chars == b.email.chars;
}

}  // namespace

core::Id FrontSession::player_of(std::uint8_t number) const {
  const auto at = cast_.find(number);
  return at != cast_.end() ? at->second.player : 0;
}

core::Id FrontSession::own_unit() const {
  const auto at = cast_.find(kNumber);
  return at != cast_.end() ? at->second.unit : 0;
}

// -- Who plays whom ---------------------------------------------------------------------------------------------------

void FrontSession::recast_all(Outlet& out) {
  const core::World& world = out.world();
  for (const auto& [id, player] : world.players())
    if (id != out.me()) recast(id, out);
  for (const core::Id unit : core::bodies_of_nobody(world)) enlist(0, unit, 0, out);
  recast(out.me(), out);  // a client that has heard of itself has heard of all who were there
}

/// Makes the cast of one player what the world says.
void FrontSession::recast(core::Id id, Outlet& out) {
  const core::PlayerState* player = out.world().player(id);
  std::vector<core::Id> units;
  if (player != nullptr) units = core::bodies_of(*player, out.world());

  std::vector<std::uint8_t> spare;  // numbers of this player that play a unit it has no more
  for (const auto& [number, actor] : cast_) {
    if (actor.player != id || id == 0 || number == players_.wire_or(id, number)) continue;
    if (std::find(units.begin(), units.end(), actor.unit) == units.end()) spare.push_back(number);
  }
  for (const std::uint8_t number : spare) dismiss(number, out);
  const std::uint8_t* known = players_.wire(id);
  if (player == nullptr && id != out.me()) return known != nullptr ? dismiss(std::uint8_t{*known}, out) : void();
  const core::Id first = units.empty() ? 0 : units.front();
  if (known == nullptr)
    enlist(id, first, 0, out);
  else if (cast_.at(*known).unit != first)
    take_part(std::uint8_t{*known}, first, out);
  for (std::size_t i = 1; i < units.size(); ++i)
    if (units_.wire(units[i]) == nullptr) enlist(id, units[i], i, out);
}

/// From now on this number is that unit; who played it before leaves.
void FrontSession::take_part(std::uint8_t number, core::Id unit, Outlet& out) {
  if (const std::uint8_t* other = units_.wire(unit); unit != 0 && other != nullptr) dismiss(std::uint8_t{*other}, out);
  Actor& actor = cast_.at(number);
  units_.remove_id(actor.unit);
  actor.unit = unit;
  if (unit == 0) return out.wake(out.now());  // it goes out of sight then, unless its player has left by then
  units_.add(number, unit);
  const core::UnitState* state = out.world().unit(unit);
  core::is_seen(state) ? put(number, state->unit.pose(), out) : show(number, out);
}

/// For a unit. If none is left, who is in sight gets that of somebody who is not.
std::optional<std::uint8_t> FrontSession::free_number(core::Id unit, Outlet& out) {
  for (std::uint8_t number = kNumber + 1; number <= kLastPlayer; ++number)
    if (!cast_.contains(number)) return number;
  if (!core::is_seen(out.world().unit(unit))) return std::nullopt;
  for (const auto& [number, actor] : cast_) {
    if (number == kNumber || actor.shown) continue;
    const std::uint8_t freed = number;
    dismiss(freed, out);
    return freed;
  }
  return std::nullopt;
}

void FrontSession::enlist(core::Id player, core::Id unit, std::size_t nth, Outlet& out) {
  const bool me = player != 0 && player == out.me() && nth == 0;
  const std::optional<std::uint8_t> free = me ? kNumber : free_number(unit, out);
  if (!free) return out.lose(loss::kUnitsFull);
  const std::uint8_t number = *free;
  Actor& actor = cast_[number];
  actor.player = player;
  actor.unit = unit;
  if (player != 0 && nth == 0) players_.add(number, player);
  if (unit != 0) units_.add(number, unit);
  actor.said = entry(number, actor, nth, out);
  peer_.send(out, actor.said);
  const core::UnitState* state = out.world().unit(unit);
  actor.alive = number != kNumber && state != nullptr && state->unit.alive();
  if (core::is_seen(state)) put(number, state->unit.pose(), out);
}

AddPlayer FrontSession::entry(std::uint8_t number, const Actor& actor, std::size_t nth, Outlet& out) const {
  const core::PlayerState* owner = out.world().player(actor.player);
  const core::UnitState* state = out.world().unit(actor.unit);
  const bool me = number == kNumber;
  std::string name = owner != nullptr ? owner->player.name() : me ? wish_.name() : "";
  if (name.empty() && state != nullptr) name = state->unit.name();
  if (name.empty()) name = "player " + std::to_string(number);
  words::Team team = owner != nullptr ? owner->player.team() : me ? wish_.team() : words::TEAM_ANY;
  if (team == words::TEAM_ANY && state != nullptr) team = state->unit.team();
  const words::Role role = owner != nullptr ? owner->player.role() : me ? wish_.role() : words::ROBOT;
  AddPlayer add;
  add.player = number;
  add.type = nth != 0 ? kRobot : wire_type(role);
  add.team = wire_team(team);
  add.callsign.chars = me ? ended_text(name, kLongestName) : callsign_for(name, nth);
  const std::string& motto = owner != nullptr ? owner->player.motto() : me ? wish_.motto() : std::string();
  add.email.chars = ended_text(motto, kLongestMotto);
  if (owner == nullptr || nth != 0) return add;
  add.wins = counted(owner->score.wins());
  add.losses = counted(owner->score.losses());
  return add;
}

/// As no other of the cast is called.
std::string FrontSession::callsign_for(const std::string& name, std::size_t nth) const {
  return free_name(ascii(name), kLongestName, nth + 1, [&](const std::string& callsign) {
    const auto same = [&](const auto& entry) { return entry.second.said.callsign.chars == callsign; };
    return std::any_of(cast_.begin(), cast_.end(), same);
  });
}

void FrontSession::dismiss(std::uint8_t number, Outlet& out) {
  if (number == kNumber) return;  // our client stays as long as it likes
  players_.remove_wire(number);
  units_.remove_wire(number);
  cast_.erase(number);
  peer_.send(out, RemovePlayer{number});
}

// -- What is told of them ---------------------------------------------------------------------------------------------

/// A player that is known already is told of again: the page lets players change.
void FrontSession::told(const words::Player& player, const core::Fact& fact, Outlet& out) {
  if (fact.audience == words::ADMINS) return out.lose(loss::kAddress);
  const std::uint8_t* known = players_.wire(player.id());
  if (known == nullptr) return recast(player.id(), out);
  const std::uint8_t number = *known;
  if (number == kNumber && changing_ != 0) {
    const bool as_wished = player.name() == wish_.name() && player.motto() == wish_.motto();
    return as_wished ? confirm_change(out) : void();
  }
  Actor& actor = cast_.at(number);
  const AddPlayer before = actor.said;
  actor.said.callsign.chars.clear();  // its own name is free for itself
  actor.said = entry(number, actor, 0, out);
  if (!same(actor.said, before)) peer_.send(out, actor.said);
}

void FrontSession::told(const words::Unit& unit, const core::Fact&, Outlet& out) {
  if (unit.kind() == words::Unit::PICKUP) return see_pickup(unit.id(), out);
  if (unit.kind() == words::Unit::PELLET) return litter_.stir(out);
  if (!core::is_driven(unit.kind())) return out.lose(loss::kUnitUnlike);
  if (unit.owner() != 0)
    recast(unit.owner(), out);
  else if (units_.wire(unit.id()) == nullptr)
    enlist(0, unit.id(), 0, out);
  const std::uint8_t* number = units_.wire(unit.id());
  if (number == nullptr) return;
  Actor& actor = cast_.at(*number);
  if (unit.alive() && !actor.alive) return put(*number, unit.pose(), out);
  if (*number != kNumber) actor.alive = unit.alive();
  show(*number, out);
}

void FrontSession::told(const words::Hidden& hidden, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(hidden.unit());
  if (number == nullptr) return tell_pickup(hidden.unit(), false, out);
  if (const core::Id player = player_of(*number); player != 0) recast(player, out);  // it may have a cell in sight
  if (const std::uint8_t* still = units_.wire(hidden.unit())) show(*still, out);
}

/// The world has forgotten it already.
void FrontSession::told(const words::Gone& gone, const core::Fact&, Outlet& out) {
  const std::uint8_t* number = units_.wire(gone.unit());
  if (number == nullptr) return tell_pickup(gone.unit(), false, out);
  const core::Id player = player_of(*number);
  player == 0 ? dismiss(std::uint8_t{*number}, out) : recast(player, out);
}

void FrontSession::told(const words::Score& score, const core::Fact&, Outlet& out) {
  if (const std::uint8_t* number = players_.wire(score.player()))
    peer_.send(out, Score{*number, counted(score.wins()), counted(score.losses())});
}

void FrontSession::told(const words::TeamScore& score, const core::Fact&, Outlet& out) {
  const std::uint8_t team = wire_team(score.team());
  if (team_of(team) != score.team()) return out.lose(loss::kOtherTeam);
  peer_.send(out, TeamUpdate{team, counted(score.wins()), counted(score.losses())});
}

}  // namespace entente::bzdraft
