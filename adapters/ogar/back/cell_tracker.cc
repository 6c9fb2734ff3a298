#include "adapters/ogar/back/cell_tracker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adapters/ogar/wire/drops.h"
#include "adapters/ogar/wire/text.h"
#include "proxy/core/world.h"

namespace entente::ogar {
namespace {

constexpr std::size_t kMostCells = 20'000;               // as many units as a world keeps
constexpr std::size_t kMostOfOne = 256;                  // cells of one player
constexpr std::size_t kMostSought = 100'000;             // cells examined at one time, to find which one ejected mass
constexpr std::size_t kMostHidden = 2'000;               // cells out of sight, which may never be seen again
constexpr core::Micros kHiddenFor = 60 * core::kSecond;  // a cell out of sight for longer may be anywhere: it is Gone
constexpr double kThrown = 250;                          // units from a cell's edge that a new cell can be after a tick
constexpr core::Micros kStill = 60 * core::kMillisecond;  // a cell without an update for this long stands still

/// Seconds since the last move of a cell, in whole ticks. If it stood still, one tick, because it has just started.
double moved_for(bool moving, core::Micros since) {
  const double ticks = moving ? std::max(1.0, std::round(static_cast<double>(since) / kTick)) : 1;
  return ticks * static_cast<double>(kTick) / core::kSecond;
}

}  // namespace

CellOwners::Owner* CellTracker::owner_of(const AddedCell& cell, core::BackOut& out) {
  if (cell.type != CellType::kPlayer) return nullptr;
  const std::string name = (cell.flags & 2U) != 0 ? told_name(cell.name.chars) : std::string();
  const words::Team team = teams_ ? team_of(cell.colour) : words::ROGUE;
  const bool mine = (cell.flags & 1U) != 0 && out.me() != 0;
  if (!mine)
    for (const CellOwners::OwnCell& own : owners_.end_earlier_life(name, rgb_of(cell.colour), out))
      end(own.cell, 0, nullptr, words::UNKNOWN_DEATH, out);
  CellOwners::Owner* const owner =
      mine ? &owners_.me(name, rgb_of(cell.colour), team, out) : owners_.owner(name, rgb_of(cell.colour), team, out);
  if (owner == nullptr || owner->units.size() + owner->hidden.size() < kMostOfOne) return owner;
  out.drop(drops::kCellsOfOneFull);
  return nullptr;
}

void CellTracker::added(const AddedCell& told, core::BackOut& out) {
  const auto [at, is_new] = cells_.try_emplace(told.id);
  if (is_new && cells_.size() > kMostCells) {
    cells_.erase(at);
    return out.drop(drops::kCellsFull);
  }
  Cell& cell = at->second;
  const bool was_seen = !is_new && !cell.hidden;
  CellOwners::Owner* owner = is_new ? owner_of(told, out) : owners_.find(cell.owner);
  if (is_new) {
    cell.unit = out.new_id();
    cell.owner = owner != nullptr ? owner->player.id() : 0;
    cell.owned = cell.owner != 0 && cell.owner == out.me();
    if (cell.owned) own_.push_back(told.id);
  }
  cell.hidden = false;
  cell.size = told.size;
  cell.colour = rgb_of(told.colour);
  cell.moved = out.now();
  cell.moving = false;
  cell.pose.Clear();
  cell.pose.set_unit(cell.unit);
  cell.pose.set_x(plane_.east(told.x));
  cell.pose.set_y(plane_.north(told.y));
  cell.pose.set_radius(plane_.metres(told.size));
  if (cell.owned) window_.reset();

  words::Unit unit;
  unit.set_id(cell.unit);
  unit.set_owner(cell.owner);
  unit.set_kind(kind_of(told.type));
  unit.set_colour(rgb_of(told.colour));
  unit.set_radius(cell.pose.radius());
  unit.set_alive(true);
  if (owner != nullptr) unit.set_team(owner->player.team());
  if (owner == nullptr && (told.flags & 2U) != 0) unit.set_name(told_name(told.name.chars));
  if ((told.flags & 4U) != 0) unit.set_skin(told_name(told.skin.chars));
  *unit.mutable_pose() = cell.pose;
  out.say(std::move(unit));
  if (told.id > newest_before_) {
    thrown_ = thrown_ || is_thrown_by_us(told, out.now());
    look_for_shot(told, owner, out);
  }
  newest_ = std::max(newest_, told.id);
  if (owner != nullptr && !was_seen) owners_.gained(*owner, told.id, cell.pose, out);
}

/// A new cell of our own beside another one, or a new cell beside one of ours that may be its mass: not every server
/// tells what is ejected mass, or gives it the colour of its cell.
bool CellTracker::is_thrown_by_us(const AddedCell& told, core::Micros now) {
  if (told.type != CellType::kPlayer && told.type != CellType::kEjected) return false;
  if (std::exchange(compared_at_, now) != now) compared_ = 0;
  if (compared_ >= kMostSought) return false;
  compared_ += own_.size();
  const double x = plane_.east(told.x), y = plane_.north(told.y);
  return std::any_of(own_.begin(), own_.end(), [&](std::uint32_t id) {
    const Cell& own = cells_.at(id);
    const double far = std::hypot(x - own.pose.x(), y - own.pose.y());
    return id != told.id && far <= own.pose.radius() + plane_.metres(kThrown);
  });
}

/// A new cell beside another one of its owner was split off that one. A new piece of mass beside a cell of its colour
/// was ejected by that cell.
void CellTracker::look_for_shot(const AddedCell& told, const CellOwners::Owner* owner, core::BackOut& out) {
  const bool split = owner != nullptr;
  if (!split && told.type != CellType::kEjected) return;
  const double x = plane_.east(told.x), y = plane_.north(told.y);
  const Cell* from = nullptr;
  std::pair<double, std::uint32_t> nearest;  // and the server's id, because the order of cells_ means nothing
  const auto consider = [&](std::uint32_t id, const Cell& cell) {
    if (id > newest_before_) return;
    const double far = std::hypot(x - cell.pose.x(), y - cell.pose.y());
    const std::pair its(far, id);
    if (far > cell.pose.radius() + plane_.metres(kThrown) || (from != nullptr && its >= nearest)) return;
    from = &cell;
    nearest = its;
  };
  if (split) {
    for (const CellOwners::OwnCell& own : owner->units) consider(own.cell, cells_.at(own.cell));
  } else if (may_seek(out)) {
    for (const auto& [id, cell] : cells_)
      if (!cell.hidden && cell.owner != 0 && cell.colour == rgb_of(told.colour)) consider(id, cell);
  }
  if (from == nullptr || nearest.first == 0) return;
  if (!split) smallest_to_eject_ = std::min(smallest_to_eject_, from->size);
  const CellOwners::Owner* thrower = owners_.find(from->owner);
  const words::Team team = thrower != nullptr ? thrower->player.team() : words::TEAM_ANY;
  gunfire_.seen(from->owner, from->pose, std::atan2(y - from->pose.y(), x - from->pose.x()), team, out);
}

bool CellTracker::may_seek(core::BackOut& out) {
  if (std::exchange(sought_at_, out.now()) != out.now()) sought_ = 0;
  if (sought_ >= kMostSought) {
    out.drop(drops::kTraceFull);
    return false;
  }
  sought_ += cells_.size();
  return true;
}

void CellTracker::updated(const UpdatedCell& told, core::BackOut& out) {
  const auto at = cells_.find(told.id);
  if (at == cells_.end() || at->second.hidden) return;  // after a change of worlds, servers send stale ids
  Cell& cell = at->second;
  if ((told.flags & 2U) != 0) cell.size = told.size;
  if ((told.flags & 1U) != 0) {
    move(cell, told, out);
    cell.moving = true;
    moving_.push_back({told.id, cell.moved});
  }
  if (cell.owned) window_.reset();
  change(cell, told, out);
}

void CellTracker::move(Cell& cell, const UpdatedCell& to, core::BackOut& out) {
  const double x = plane_.east(to.x), y = plane_.north(to.y);
  const double took = moved_for(cell.moving, out.now() - cell.moved);
  const double vx = (x - cell.pose.x()) / took, vy = (y - cell.pose.y()) / took;
  cell.moved = out.now();
  cell.pose.set_x(x);
  cell.pose.set_y(y);
  cell.pose.set_vx(vx);
  cell.pose.set_vy(vy);
  if (vx != 0 || vy != 0) cell.pose.set_yaw(std::atan2(vy, vx));
  cell.pose.set_radius(plane_.metres(cell.size));
  out.say(cell.pose);
}

/// Reports the changes that a Pose does not contain.
void CellTracker::change(const Cell& cell, const UpdatedCell& to, core::BackOut& out) {
  const bool size_alone = (to.flags & 3U) == 2;
  const words::Unit* known = nullptr;
  if (const auto* state = out.world().unit(cell.unit)) known = &state->unit;
  const std::string worn = (to.flags & 16U) != 0 ? told_name(to.skin.chars) : std::string();
  const bool skin = (to.flags & 16U) != 0 && (known != nullptr ? known->skin() : "") != worn;
  if (!size_alone && (to.flags & 12U) == 0 && !skin) return;
  words::UnitChanged changed;
  changed.set_unit(cell.unit);
  if (size_alone) changed.set_radius(plane_.metres(to.size));
  if ((to.flags & 4U) != 0) changed.set_colour(rgb_of(to.colour));
  if ((to.flags & 8U) != 0) changed.set_name(told_name(to.name.chars));
  if (skin) changed.set_skin(worn);
  out.say(std::move(changed));
}

void CellTracker::eaten(const Eaten& told) {
  const auto at = cells_.find(told.killed);
  if (at == cells_.end() || at->second.killer) return;
  at->second.killer = told.killer;
  eaten_.push_back(told.killed);
}

void CellTracker::removed(std::uint32_t id, core::BackOut& out) {
  const auto at = cells_.find(id);
  if (at == cells_.end()) return;  // stale
  if (at->second.killer) {
    const auto eater = cells_.find(*at->second.killer);
    const bool known = eater != cells_.end();
    end(id, known ? eater->second.unit : 0, known ? owners_.find(eater->second.owner) : nullptr, words::BY_TOUCH, out);
  } else if (at->second.owned) {
    end(id, 0, nullptr, words::BY_SERVER, out);  // own cells are always in view
  } else if (window_before_.holds(at->second.pose) && window().holds(at->second.pose)) {
    const core::Id owner = at->second.owner;  // its place is still in view: the server has removed it
    end(id, 0, nullptr, words::UNKNOWN_DEATH, out);
    owners_.left(owner, out);
  } else {
    hide(id, at->second, out);
  }
}

/// Leaves a margin, because cells have moved since their last update, and sizes are rounded.
bool CellTracker::Window::holds(const words::Pose& pose) const {
  return std::abs(pose.x() - x) < 0.75 * half_width && std::abs(pose.y() - y) < 0.75 * half_height;
}

/// The part of the plane that the server shows our player.
const CellTracker::Window& CellTracker::window() {
  if (window_) return *window_;
  const Self self = this->self();
  double sizes = 0;
  for (const std::uint32_t id : own_) sizes += cells_.at(id).size;
  if (self.cells == 0) return window_.emplace(Window{});
  const double scale = scale_of(sizes);
  return window_.emplace(
      Window{self.x, self.y, plane_.metres(kWindowWidth / 2 / scale), plane_.metres(kWindowHeight / 2 / scale)});
}

void CellTracker::hide(std::uint32_t id, Cell& cell, core::BackOut& out) {
  if (cell.hidden) return;
  cell.hidden = true;
  cell.moving = false;
  cell.hidden_at = out.now();
  hidden_.push_back({id, out.now()});
  words::Hidden hidden;
  hidden.set_unit(cell.unit);
  out.say(hidden);
  if (CellOwners::Owner* owner = owners_.find(cell.owner)) owners_.hid(*owner, {cell.unit, id});
}

void CellTracker::end(std::uint32_t id, core::Id by, CellOwners::Owner* eater, words::DeathCause why,
                      core::BackOut& out) {
  const auto at = cells_.find(id);
  const Cell cell = at->second;
  cells_.erase(at);
  if (cell.owned) {
    std::erase(own_, id);
    window_.reset();
  }
  if (CellOwners::Owner* owner = owners_.find(cell.owner)) {
    owners_.lost(*owner, cell.unit);
    if (why == words::BY_TOUCH || cell.owned) owners_.died(*owner, cell.unit, eater, why, out);
  }
  words::Gone gone;
  gone.set_unit(cell.unit);
  gone.set_by(by);
  gone.set_why(why);
  out.say(gone);
}

void CellTracker::done(core::BackOut& out) {
  for (const std::uint32_t id : eaten_)
    if (const auto at = cells_.find(id); at != cells_.end()) at->second.killer.reset();
  eaten_.clear();
  newest_before_ = newest_;
  window_before_ = window();
  tell_changes(out);
}

void CellTracker::tell_changes(core::BackOut& out) {
  gunfire_.end_shots(out);
  stop_standing(out);
  forget_hidden(out);
  owners_.tell_changes([&](std::uint32_t id) { return static_cast<double>(cells_.at(id).size); }, out);
  if (out.now() - checked_ < core::kSecond) return;
  checked_ = out.now();
  owners_.forget_absent(out);
}

/// Reports that cells without further updates stand still. Otherwise clients would extrapolate their motion.
void CellTracker::stop_standing(core::BackOut& out) {
  auto move = moving_.begin();
  for (; move != moving_.end() && out.now() - move->at >= kStill; ++move) {
    const auto at = cells_.find(move->id);
    if (at == cells_.end() || !at->second.moving || at->second.moved != move->at) continue;
    Cell& cell = at->second;
    cell.moving = false;
    cell.pose.set_vx(0);
    cell.pose.set_vy(0);
    out.say(cell.pose);
  }
  moving_.erase(moving_.begin(), move);
}

void CellTracker::forget_hidden(core::BackOut& out) {
  const auto too_long = [&] { return out.now() - hidden_.front().at > kHiddenFor || hidden_.size() > kMostHidden; };
  while (!hidden_.empty() && too_long()) {
    const Since oldest = hidden_.front();
    hidden_.pop_front();
    const auto at = cells_.find(oldest.id);
    if (at != cells_.end() && at->second.hidden && at->second.hidden_at == oldest.at)
      end(oldest.id, 0, nullptr, words::UNKNOWN_DEATH, out);
  }
}

void CellTracker::clear(core::BackOut& out) {
  eaten_.clear();
  std::vector<std::uint32_t> all;
  for (const auto& [id, cell] : cells_) all.push_back(id);
  std::sort(all.begin(), all.end());
  for (const std::uint32_t id : all) end(id, 0, nullptr, words::BY_SERVER, out);
  hidden_.clear();
  moving_.clear();
  newest_ = newest_before_ = 0;
  tell_changes(out);
}

CellTracker::Self CellTracker::self() const {
  Self self;
  for (const std::uint32_t id : own_) {
    const Cell& cell = cells_.at(id);
    self.x += cell.pose.x();
    self.y += cell.pose.y();
    self.largest = std::max(self.largest, static_cast<double>(cell.size));
    ++self.cells;
  }
  if (self.cells == 0) return self;
  self.x /= static_cast<double>(self.cells);
  self.y /= static_cast<double>(self.cells);
  return self;
}

}  // namespace entente::ogar
