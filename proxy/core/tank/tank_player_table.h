// The players that a client of a tank game sees. Each unit that can be shown as a tank has a player number. Further
// units of one player, and units without an owner, are shown as robot players.
// Invariant: the client's own number does not change while it plays. If no number is free, a unit that comes into sight
// takes the number of one that is out of sight. For a move of a unit that gets no number, the owner's other units are
// not looked at.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "proxy/core/bodies.h"
#include "proxy/core/id_map.h"

namespace entente::core {

/// A player as the client knows it: the client itself, or a unit.
struct TankPlayerEntry {
  Id player = 0;  ///< 0: the unit belongs to nobody
  Id unit = 0;    ///< 0: it has none
  bool alive = false;
  bool shown = false;           ///< the client sees it: it is alive, and not hidden
  bool update_pending = false;  ///< its pose waits for the rate limit
};

/// The front, which shows the client what happens to its players.
class TankDisplay {
 public:
  /// Puts the player into play at `there`.
  virtual void put(std::uint8_t number, const words::Pose& there, FrontOut& out) = 0;
  /// The player's visibility may have changed.
  virtual void show(std::uint8_t number, FrontOut& out) = 0;
  /// A player was added, or now stands for another unit.
  virtual void reassigned() {}
  /// The client was told all that its table knows about a new player.
  virtual void introduced(std::uint8_t /*number*/, FrontOut&) {}

 protected:
  ~TankDisplay() = default;
};

/// Which number stands for which unit and which player.
class TankNumbers {
 public:
  std::uint8_t own_number() const { return own_; }
  /// Null: no number stands for it. Valid until the players change.
  const std::uint8_t* of_unit(Id unit) const { return units_.number(unit); }
  const std::uint8_t* of_player(Id player) const { return players_.number(player); }
  /// The number of the unit, or else the number of the player. Null: neither has one.
  const std::uint8_t* of(Id unit, Id player) const {
    const std::uint8_t* number = of_unit(unit);
    return number != nullptr ? number : of_player(player);
  }
  std::uint8_t number_of(Id player, std::uint8_t otherwise) const { return players_.number_or(player, otherwise); }
  /// Null: the client has not entered yet.
  virtual const TankPlayerEntry* own_entry() const = 0;

 protected:
  ~TankNumbers() = default;

  std::uint8_t own_ = 0;
  IdMap<std::uint8_t> players_, units_;
};

/// `Entry`: a TankPlayerEntry with the fields that the game adds.
template <class Entry>
class TankPlayerTable : public TankNumbers {
 public:
  void hear(const words::PlayerGone& gone, FrontOut& out) { reassign(gone.id(), out); }
  void hear(const words::Owns& owns, FrontOut& out) { reassign(owns.player(), out); }
  void hear(const words::Spawned& spawned, FrontOut& out) {
    if (const std::uint8_t* number = of_unit(spawned.unit())) display_.put(*number, spawned.pose(), out);
  }
  void hear(const words::Hidden& hidden, FrontOut& out);
  void hear(const words::Gone& gone, FrontOut& out);
  /// REQUIRES: shown_as_tank().
  void see_unit(const words::Unit& unit, FrontOut& out);
  /// A unit of this owner, which no number stands for, has moved: it was hidden, or is one of many.
  void see_unnumbered(const words::Unit& unit, FrontOut& out);

  /// The client enters: announces all other players. A client takes the players announced before itself for those who
  /// were there already. No number is taken from anybody.
  void assign_others(FrontOut& out);
  /// The same, at last, of the client itself. Then units in sight take the numbers of those that are out of sight.
  void assign_own(FrontOut& out);
  /// Updates the numbers of one player's units from the world.
  void reassign(Id id, FrontOut& out);

  /// The client's own entry. REQUIRES: assign_own() was called.
  Entry& own() { return at(own_); }
  const Entry& own() const { return at(own_); }
  const Entry* own_entry() const final { return numbered_[own_]; }
  Id own_unit() const { return own_entry() != nullptr ? own_entry()->unit : 0; }

  /// REQUIRES: somebody has that number.
  Entry& at(std::uint8_t number) { return *numbered_[number]; }
  const Entry& at(std::uint8_t number) const { return *numbered_[number]; }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }

  /// The player behind a number. 0: its unit has no owner, or the number is not in use.
  Id player_of(std::uint8_t number) const { return numbered_[number] != nullptr ? numbered_[number]->player : 0; }

 protected:
  /// `first`, `last`: the numbers that others may have.
  TankPlayerTable(TankDisplay& display, std::uint8_t first, std::uint8_t last)
      : display_(display), first_(first), last_(last) {}
  ~TankPlayerTable() = default;

  void set_own_number(std::uint8_t number) { own_ = number; }
  void dismiss(std::uint8_t number, FrontOut& out);

  /// Tells the client about a new player. `nth`: which of the owner's units it stands for; 0: the first, or the owner
  /// itself.
  virtual void announce(std::uint8_t number, std::size_t nth, FrontOut& out) = 0;
  /// Called when the new player is complete: tells the client the rest.
  virtual void announced(std::uint8_t /*number*/, FrontOut&) {}
  /// Tells the client that the player has left.
  virtual void dismissed(std::uint8_t number, FrontOut& out) = 0;
  virtual void no_space(FrontOut& out) = 0;
  /// Whether this number, given another unit, stays out of play until its client asks to spawn.
  virtual bool waits(std::uint8_t /*number*/) const { return false; }

 private:
  void change_unit(std::uint8_t number, Id unit, FrontOut& out);
  std::optional<std::uint8_t> free_number() const;
  std::optional<std::uint8_t> number_for(Id unit, const FrontOut& out) const;
  bool has_better_cell(const UnitState& state, const FrontOut& out) const;
  bool comes_before(const UnitState& state, const Entry& owner, const FrontOut& out) const;
  bool enlist(Id player, Id unit, std::size_t nth, FrontOut& out);
  void dismiss_unused(Id player, std::vector<Id> units, FrontOut& out);

  TankDisplay& display_;
  std::uint8_t first_, last_;
  std::map<std::uint8_t, Entry> entries_;
  std::array<Entry*, 256> numbered_{};  // entries_, by number
};

template <class Entry>
void TankPlayerTable<Entry>::assign_others(FrontOut& out) {
  const WorldState& world = out.world();
  for (const auto& [id, player] : world.players())
    if (id != out.me()) reassign(id, out);
  for (const Id unit : tank_units_of_nobody(world))
    if (of_unit(unit) == nullptr) enlist(0, unit, 0, out);
}

template <class Entry>
void TankPlayerTable<Entry>::assign_own(FrontOut& out) {
  reassign(out.me(), out);
  const auto may_give_way = [&](const auto& numbered) { return numbered.first != own_ && !numbered.second.shown; };
  if (!free_number() && std::any_of(begin(), end(), may_give_way)) assign_others(out);
}

template <class Entry>
void TankPlayerTable<Entry>::reassign(Id id, FrontOut& out) {
  const PlayerState* player = out.world().player(id);
  std::vector<Id> units;
  if (player != nullptr) units = tank_units_of(*player, out.world());
  dismiss_unused(id, units, out);
  const std::uint8_t* known = of_player(id);
  if (player == nullptr && id != out.me()) return known != nullptr ? dismiss(std::uint8_t{*known}, out) : void();
  const Id first = units.empty() ? 0 : units.front();
  if (known == nullptr)
    enlist(id, first, 0, out);
  else if (at(*known).unit != first)
    change_unit(std::uint8_t{*known}, first, out);
  bool full = false;  // no number is free; only a unit in sight may take one
  for (std::size_t i = 1; i < units.size(); ++i) {
    if (of_unit(units[i]) != nullptr) continue;
    const bool seen = is_seen(out.world().unit(units[i]));
    if ((full && !seen) || enlist(id, units[i], i, out)) continue;
    if (seen) return;
    full = true;
  }
}

/// Removes the numbers of units that the player no longer has.
template <class Entry>
void TankPlayerTable<Entry>::dismiss_unused(Id player, std::vector<Id> units, FrontOut& out) {
  if (player == 0) return;
  std::sort(units.begin(), units.end());
  std::vector<std::uint8_t> unused;
  for (const auto& [number, entry] : entries_) {
    if (entry.player != player || number == number_of(player, number)) continue;
    if (!std::binary_search(units.begin(), units.end(), entry.unit)) unused.push_back(number);
  }
  for (const std::uint8_t number : unused) dismiss(number, out);
}

/// Makes this number stand for another unit. The number that stood for the unit before is removed.
template <class Entry>
void TankPlayerTable<Entry>::change_unit(std::uint8_t number, Id unit, FrontOut& out) {
  if (const std::uint8_t* other = of_unit(unit); unit != 0 && other != nullptr) dismiss(std::uint8_t{*other}, out);
  Entry& entry = at(number);
  units_.remove_id(entry.unit);
  entry.unit = unit;
  display_.reassigned();
  if (unit == 0) return out.wake(out.now());  // the next tick hides it, unless its player has left by then
  units_.add(number, unit);
  const UnitState* state = out.world().unit(unit);
  is_seen(state) && !waits(number) ? display_.put(number, state->unit.pose(), out) : display_.show(number, out);
}

template <class Entry>
std::optional<std::uint8_t> TankPlayerTable<Entry>::free_number() const {
  for (unsigned i = first_; i <= last_; ++i) {
    const auto number = static_cast<std::uint8_t>(i);
    if (number != own_ && numbered_[number] == nullptr) return number;
  }
  return std::nullopt;
}

/// A number for a unit: a free one. If none is free, the unit is visible, and the client has been told of itself: that
/// of a player who is not shown.
template <class Entry>
std::optional<std::uint8_t> TankPlayerTable<Entry>::number_for(Id unit, const FrontOut& out) const {
  if (const auto number = free_number()) return number;
  if (own_entry() == nullptr || !is_seen(out.world().unit(unit))) return std::nullopt;
  for (const auto& [number, entry] : entries_)
    if (number != own_ && !entry.shown) return number;
  return std::nullopt;
}

/// False, counted: there is no number for it.
template <class Entry>
bool TankPlayerTable<Entry>::enlist(Id player, Id unit, std::size_t nth, FrontOut& out) {
  const bool me = player != 0 && player == out.me() && nth == 0;
  const std::optional<std::uint8_t> found = me ? own_ : number_for(unit, out);
  if (!found) return no_space(out), false;
  const std::uint8_t number = *found;
  if (numbered_[number] != nullptr) dismiss(number, out);
  Entry& entry = entries_[number];
  numbered_[number] = &entry;
  display_.reassigned();
  entry.player = player;
  entry.unit = unit;
  if (player != 0 && nth == 0) players_.add(number, player);
  if (unit != 0) units_.add(number, unit);
  announce(number, nth, out);
  const UnitState* state = out.world().unit(unit);
  entry.alive = number != own_ && state != nullptr && state->unit.alive();
  if (is_seen(state)) display_.put(number, state->unit.pose(), out);
  announced(number, out);
  display_.introduced(number, out);
  return true;
}

template <class Entry>
void TankPlayerTable<Entry>::dismiss(std::uint8_t number, FrontOut& out) {
  if (number == own_) return;  // the client's own number stays
  players_.remove_number(number);
  units_.remove_number(number);
  numbered_[number] = nullptr;
  entries_.erase(number);
  dismissed(number, out);
}

template <class Entry>
void TankPlayerTable<Entry>::see_unit(const words::Unit& unit, FrontOut& out) {
  const std::uint8_t* number = of_unit(unit.id());
  if (number == nullptr && unit.owner() == 0)
    enlist(0, unit.id(), 0, out);
  else if (number == nullptr)
    see_unnumbered(unit, out);
  else if (unit.owner() != 0 && (!is_body(unit.kind()) || player_of(*number) != unit.owner()))
    reassign(unit.owner(), out);
  number = of_unit(unit.id());
  if (number == nullptr) return;
  Entry& entry = at(*number);
  if (unit.alive() && !entry.alive) return display_.put(*number, unit.pose(), out);
  if (*number != own_) entry.alive = unit.alive();
  display_.show(*number, out);
}

template <class Entry>
void TankPlayerTable<Entry>::see_unnumbered(const words::Unit& unit, FrontOut& out) {
  const UnitState* state = out.world().unit(unit.id());
  if (state == nullptr || !shown_as_tank(unit.kind())) return;
  const std::uint8_t* known = of_player(unit.owner());
  if (known != nullptr && comes_before(*state, at(*known), out)) return reassign(unit.owner(), out);
  if (!is_body(unit.kind()) && has_better_cell(*state, out)) return;
  const bool own = known == nullptr && unit.owner() == out.me();
  if (own || number_for(unit.id(), out)) return reassign(unit.owner(), out);
  no_space(out);
}

/// Whether a number stands for another cell of its owner, which is at least as good.
template <class Entry>
bool TankPlayerTable<Entry>::has_better_cell(const UnitState& state, const FrontOut& out) const {
  const PlayerState* player = out.world().player(state.unit.owner());
  const Id active = player != nullptr ? player->active : 0;
  return std::any_of(begin(), end(), [&](const auto& numbered) {
    if (numbered.second.player != state.unit.owner()) return false;
    const UnitState* other = out.world().unit(numbered.second.unit);
    return other != nullptr && !is_body(other->unit.kind()) && !is_better_cell(state, *other, active);
  });
}

/// Whether the number of its owner should stand for this unit, rather than for what it stands for.
template <class Entry>
bool TankPlayerTable<Entry>::comes_before(const UnitState& state, const Entry& owner, const FrontOut& out) const {
  const UnitState* first = out.world().unit(owner.unit);
  if (first == nullptr || first->unit.owner() != owner.player) return true;
  const PlayerState* player = out.world().player(owner.player);
  const Id active = player != nullptr ? player->active : 0;
  const bool body = is_body(state.unit.kind()), first_is_body = is_body(first->unit.kind());
  if (body) return !first_is_body || state.unit.id() == active;
  return !first_is_body && is_better_cell(state, *first, active);
}

template <class Entry>
void TankPlayerTable<Entry>::hear(const words::Hidden& hidden, FrontOut& out) {
  const std::uint8_t* number = of_unit(hidden.unit());
  if (number == nullptr) return;
  const UnitState* state = out.world().unit(hidden.unit());
  const bool of_many = state == nullptr || !is_body(state->unit.kind());
  const Id player = player_of(*number);
  if (player != 0 && of_many) reassign(player, out);  // another of its cells may be visible
  if (const std::uint8_t* still = of_unit(hidden.unit())) display_.show(*still, out);
}

/// The world has already removed the unit.
template <class Entry>
void TankPlayerTable<Entry>::hear(const words::Gone& gone, FrontOut& out) {
  const std::uint8_t* number = of_unit(gone.unit());
  if (number == nullptr) return;
  const Id player = player_of(*number);
  player == 0 ? dismiss(std::uint8_t{*number}, out) : reassign(player, out);
}

}  // namespace entente::core
