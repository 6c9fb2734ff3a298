#include "adapters/ogar/back/cell_owners.h"

#include <algorithm>

#include "adapters/ogar/wire/drops.h"

namespace entente::ogar {
namespace {

/// A player without cells in sight is dead, elsewhere, or gone; servers do not tell which. It counts as gone after
/// this.
constexpr core::Micros kAbsent = 600 * core::kSecond;

std::string look(const std::string& name, std::uint32_t colour) { return name + '\n' + std::to_string(colour); }

void drop_unit(std::vector<CellOwners::OwnCell>& cells, core::Id unit) {
  std::erase_if(cells, [&](const CellOwners::OwnCell& own) { return own.unit == unit; });
}

}  // namespace

CellOwners::Owner& CellOwners::entry(core::Id id) {
  Owner& owner = owners_[id];
  owner.player.set_id(id);
  owner.score.set_player(id);
  return owner;
}

void CellOwners::set_me(const words::Player& me, core::BackOut& out) {
  me_ = me.id();
  Owner& owner = entry(me_);
  owner.player = me;
  owner.told = true;
  out.say(owner.player);
}

CellOwners::Owner& CellOwners::me(const std::string& name, std::uint32_t colour, words::Team team, core::BackOut& out) {
  me_ = out.me();
  Owner& owner = entry(me_);
  words::Player& player = owner.player;
  if (!owner.told || player.name() != name || player.colour() != colour || player.team() != team ||
      player.role() != words::PLAY) {
    player.set_name(name);
    player.set_colour(colour);
    player.set_team(team);
    player.set_role(words::PLAY);
    player.set_responding(true);
    owner.told = true;
    out.say(player);
  }
  return owner;
}

std::vector<CellOwners::OwnCell> CellOwners::end_earlier_life(const std::string& name, std::uint32_t colour,
                                                              core::BackOut& out) {
  if (by_look_.contains(look(name, colour)) || find_absent(name) != nullptr) return {};
  Owner* earlier = find_hidden(name);
  if (earlier == nullptr) return {};
  if (earlier->doubt) say_died(*earlier, words::Died(earlier->doubt->died), out);
  return earlier->hidden;
}

CellOwners::Owner* CellOwners::owner(const std::string& name, std::uint32_t colour, words::Team team,
                                     core::BackOut& out) {
  const std::string key = look(name, colour);
  if (const auto at = by_look_.find(key); at != by_look_.end()) return &owners_.at(at->second);
  const Owner* absent = find_absent(name);
  if (absent == nullptr && owners_.size() >= kMost) forget_longest_absent(out);
  if (absent == nullptr && owners_.size() >= kMost) return out.drop(drops::kPlayersFull), nullptr;
  const core::Id id = absent != nullptr ? absent->player.id() : out.new_id();
  if (absent != nullptr) by_look_.erase(look(name, absent->player.colour()));
  Owner& owner = entry(id);
  by_look_[key] = id;
  owner.player.set_name(name);
  owner.player.set_colour(colour);
  owner.player.set_team(team);
  owner.player.set_responding(true);
  owner.told = true;
  out.say(owner.player);
  return &owner;
}

CellOwners::Owner* CellOwners::find(core::Id player) {
  const auto at = owners_.find(player);
  return at != owners_.end() ? &at->second : nullptr;
}

core::Id CellOwners::named(const std::string& name, std::uint32_t colour) const {
  if (const auto at = owners_.find(me_); at != owners_.end() && at->second.player.name() == name) return me_;
  if (const auto at = by_look_.find(look(name, colour)); at != by_look_.end()) return at->second;
  for (const auto& [id, owner] : owners_)
    if (owner.player.name() == name) return id;
  return 0;
}

void CellOwners::gained(Owner& owner, std::uint32_t cell, const words::Pose& pose, core::BackOut& out) {
  drop_unit(owner.hidden, pose.unit());
  const bool new_life = owner.units.empty() && (owner.dead || owner.player.id() == me_);
  if (new_life) owner.spawned = pose;
  owner.dead = false;
  owner.doubt.reset();
  owner.units.push_back({pose.unit(), cell});
  owner.changed = true;
  owner.seen = out.now();
}

void CellOwners::hid(Owner& owner, const OwnCell& cell) {
  lost(owner, cell.unit);
  owner.hidden.push_back(cell);
}

void CellOwners::lost(Owner& owner, core::Id unit) {
  drop_unit(owner.units, unit);
  drop_unit(owner.hidden, unit);
  if (owner.active.unit == unit) owner.active = {};
  owner.changed = true;
}

void CellOwners::died(Owner& owner, core::Id unit, Owner* by, words::DeathCause why, core::BackOut& out) {
  if (owner.dead || !owner.units.empty()) return;
  words::Died died;
  died.set_player(owner.player.id());
  died.set_unit(unit);
  died.set_why(why);
  died.set_synthesised(true);
  if (by != nullptr && by != &owner) died.set_killer(by->player.id());
  if (!owner.hidden.empty())
    owner.doubt = {died, out.now()};
  else
    say_died(owner, died, out);
}

void CellOwners::say_died(Owner& owner, const words::Died& died, core::BackOut& out) {
  owner.dead = true;
  owner.doubt.reset();
  out.say(died);
  owner.score.set_losses(owner.score.losses() + 1);
  say_score(owner, out);
  Owner* killer = died.killer() != 0 ? find(died.killer()) : nullptr;
  if (killer == nullptr) return;
  killer->score.set_wins(killer->score.wins() + 1);
  say_score(*killer, out);
}

void CellOwners::told_alive(const std::vector<std::string>& names, bool all, core::BackOut& out) {
  for (auto& [id, owner] : owners_) {
    if (!owner.doubt || owner.doubt->since >= out.now()) continue;
    if (std::find(names.begin(), names.end(), owner.player.name()) != names.end())
      owner.doubt.reset();
    else if (all)
      say_died(owner, words::Died(owner.doubt->died), out);
  }
}

void CellOwners::say_score(Owner& owner, core::BackOut& out) { out.say(owner.score); }

void CellOwners::say_owned(Owner& owner, core::BackOut& out) {
  owner.changed = false;
  owner.seen = out.now();
  words::Owns owns;
  owns.set_player(owner.player.id());
  for (const OwnCell& own : owner.units) owns.add_units(own.unit);
  for (const OwnCell& own : owner.hidden) owns.add_units(own.unit);
  owns.set_active(owner.active.unit);
  out.say(std::move(owns));
  if (!owner.spawned) return;
  words::Spawned spawned;
  spawned.set_unit(owner.spawned->unit());
  *spawned.mutable_pose() = *owner.spawned;
  owner.spawned.reset();
  out.say(std::move(spawned));
}

bool CellOwners::is_here(const Owner& owner) const {
  return !owner.units.empty() || !owner.hidden.empty() || owner.player.id() == me_;
}

CellOwners::Owners::iterator CellOwners::forget(Owners::iterator at, const char* why, core::BackOut& out) {
  const words::Player& player = at->second.player;
  words::PlayerGone gone;
  gone.set_id(player.id());
  gone.set_why(why);
  out.say(std::move(gone));
  by_look_.erase(look(player.name(), player.colour()));
  return owners_.erase(at);
}

void CellOwners::left(core::Id player, core::BackOut& out) {
  const auto at = owners_.find(player);
  if (at != owners_.end() && !is_here(at->second)) forget(at, "its cells are gone", out);
}

/// Finds a player without cells by its name: the one that lost them last.
const CellOwners::Owner* CellOwners::find_absent(const std::string& name) const {
  const Owner* latest = nullptr;
  for (const auto& [id, owner] : owners_)
    if (owner.player.name() == name && !is_here(owner) && (latest == nullptr || owner.seen > latest->seen))
      latest = &owner;
  return latest;
}

/// Finds a player whose cells are all out of sight by its name: the one that was not seen for longest.
CellOwners::Owner* CellOwners::find_hidden(const std::string& name) {
  Owner* longest = nullptr;
  for (auto& [id, owner] : owners_) {
    const bool hidden = id != me_ && owner.units.empty() && !owner.hidden.empty();
    if (hidden && owner.player.name() == name && (longest == nullptr || owner.seen < longest->seen)) longest = &owner;
  }
  return longest;
}

void CellOwners::forget_longest_absent(core::BackOut& out) {
  auto longest = owners_.end();
  for (auto at = owners_.begin(); at != owners_.end(); ++at)
    if (!is_here(at->second) && (longest == owners_.end() || at->second.seen < longest->second.seen)) longest = at;
  if (longest != owners_.end()) forget(longest, "not seen any more", out);
}

void CellOwners::forget_absent(core::BackOut& out) {
  for (auto at = owners_.begin(); at != owners_.end();) {
    const bool absent = !is_here(at->second) && out.now() - at->second.seen >= kAbsent;
    at = absent ? forget(at, "not seen any more", out) : std::next(at);
  }
}

}  // namespace entente::ogar
