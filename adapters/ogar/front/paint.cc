#include "adapters/ogar/front/paint.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/drops.h"
#include "proxy/core/bodies.h"
#include "proxy/core/gameplay/incoming.h"
#include "proxy/core/seconds.h"

namespace entente::ogar {
namespace {

using core::seconds;

using core::kSecond, core::Micros, words::Unit;

constexpr std::uint64_t kShotKey = 1ULL << 63U, kRayKey = 3ULL << 62U, kTokenKey = 3ULL << 61U;
constexpr std::size_t kMostEaten = 4096, kMostBalls = 4096, kMostRays = 64, kMostTokens = 64;
constexpr std::uint16_t kShotSize = 20;
constexpr Micros kRayFlies = 300 * core::kMillisecond;
constexpr double kRayRange = 150;                           // metres, for a ray without a range: six tiles
constexpr double kFarWide = 7.5 * 25, kFarHigh = 5.5 * 25;  // metres: half the sides of what a Panic client shows
constexpr double kSlack = 25;  // metres around the view where shapes are also sent, so that they are rarely looked up
constexpr double kMargin = 1.125;  // servers compute views from exact radii, but send rounded ones

/// Whether the room's server is an Ogar: what is shot there is a cell, and painted as one.
bool are_cells(const core::WorldState& world) { return world.room().game() == kGameName; }

/// As long as this value is the same, so are a unit's kind, colour and texts.
std::uint64_t look_hash_of(const core::UnitState& state, const core::WorldState& world) {
  return std::uint64_t{state.looks_version} << 32U | world.players_version();
}
constexpr std::uint64_t kPlain = 1;  // for what is not a unit: its looks never change

/// Whether it is so now, and was not before: what is left out is counted once until all is shown again.
bool begins(bool is, bool& was) { return !std::exchange(was, is) && is; }

}  // namespace

void Painter::hear(const core::Fact& fact, const core::WorldState& world) {
  resync_.hear(fact);
  const auto ate = [&](core::Id killed, core::Id killer) {
    if (killed != 0 && killer != 0 && eaten_.size() < kMostEaten) eaten_.push_back({killed, killer});
  };
  const auto wide = [&](double radius) { widest_ = std::max(widest_, radius); };
  const auto jump = [&](core::Id unit) {
    if (Painted* cell = painted_.find(unit)) cell->interpolator.jump();
  };
  std::visit(
      core::Overloaded{[&](const words::Gone& gone) {
                         // It names the cell that ate; the Died of a last cell, which comes before, only the player.
                         const bool died = !eaten_.empty() && eaten_.back().killed == gone.unit();
                         if (died && gone.by() != 0) eaten_.pop_back();
                         ate(gone.unit(), gone.by());
                       },
                       [&](const words::Died& died) {
                         const auto* killer = world.player(died.killer());
                         if (killer != nullptr) ate(died.unit(), killer->active);
                       },
                       [&](const words::WorldEdit& edit) {
                         if (world.geometry() != nullptr) shapes_.build(*world.geometry(), edit.edit());
                       },
                       [&](const words::Unit& unit) {
                         wide(unit.radius());
                         if (resync_) jump(unit.id());
                       },
                       [&](const words::Pose& pose) {
                         wide(pose.radius());
                         if (resync_) jump(pose.unit());
                       },
                       [&](const words::UnitChanged& changed) { wide(changed.radius()); },
                       [&](const words::Spawned& spawned) { jump(spawned.unit()); },
                       [&](const words::Teleported& teleported) { jump(teleported.unit()); },
                       [&](const words::Shot& shot) {
                         if (shot.kind() != words::RAY || are_cells(world)) return;
                         if (rays_.size() >= kMostRays) return void(rays_full_ = true);
                         const double far = std::hypot(shot.vx(), shot.vy());
                         const double range = (shot.range() > 0 ? shot.range() : kRayRange) / std::max(far, 1e-9);
                         rays_.push_back({kRayKey | ++next_ray_, shot.x(), shot.y(), shot.vx() * range,
                                          shot.vy() * range, colour_of(world, shot.shooter(), shot.team()), fact.at});
                       },
                       [](const auto&) {}},
      fact.content);
}

Changes& Painter::paint(const Viewpoint& viewpoint, core::FrontOut& out) {
  changes_.added.clear();
  changes_.updated.clear();
  changes_.eaten.clear();
  changes_.removed.clear();
  ++turn_;
  painted_.begin_round();
  measure(out.world(), out.now());
  const Box box = box_of(viewpoint.view(), out.world());
  in_play_ = viewpoint.in_play();
  paint_units(box, out);
  paint_shots(box, out);
  paint_tokens(out);
  paint_shapes(box, out);
  tell_eaten();
  sweep(painted_, turn_);
  return changes_;
}

void Painter::forget() {
  painted_.clear();
  still_.clear();
  laid_.reset();
  eaten_.clear();
}

/// The part of the world to send. In other games guns shoot farther than Ogar's window is wide for such small cells, so
/// more is sent, for clients that show more.
Painter::Box Painter::box_of(const View& view, const core::WorldState& world) {
  const Plane plane;
  double wide = kMargin * plane.metres(view.half_width()), high = kMargin * plane.metres(view.half_height());
  if (!world.room().game().empty() && !are_cells(world)) {
    wide = std::max(wide, kFarWide);
    high = std::max(high, kFarHigh);
  }
  const double x = plane.east(view.x), y = plane.north(view.y);
  return {x - wide, x + wide, y - high, y + high};
}

/// Measures the widest unit: a unit this far beyond the view may still touch it.
void Painter::measure(const core::WorldState& world, Micros now) {
  if (measured_ != 0 && now - measured_ < kSecond) return;
  measured_ = std::max<Micros>(now, 1);
  widest_ = Plane().metres(64);
  for (const auto& [id, state] : world.units()) widest_ = std::max(widest_, state.unit.radius());
}

void Painter::paint_units(const Box& box, core::FrontOut& out) {
  const core::WorldState& world = out.world();
  const core::PlayerState* me = world.player(out.me());
  if (me != nullptr)  // own cells are always in view
    for (const core::Id id : me->units)
      if (const core::UnitState* state = world.unit(id)) paint_unit(*state, me, out);
  world.in_box(box.west - widest_, box.east + widest_, box.south - widest_, box.north + widest_,
               [&](const core::UnitState& state) {
                 const auto& pose = state.unit.pose();
                 const double radius = Plane().metres(size_of(state.unit));
                 if (box.touches(pose.x(), pose.y(), radius)) paint_unit(state, me, out);
               });
}

/// `me`: null if the player is not in the room yet.
void Painter::paint_unit(const core::UnitState& state, const core::PlayerState* me, core::FrontOut& out) {
  if (!is_shown(state)) return;
  const Unit& unit = state.unit;
  Painted& cell = entry(unit.id());
  if (cell.turn == turn_) return;
  const std::uint64_t worn = look_hash_of(state, out.world());
  Look look;
  look.owned = me != nullptr && is_owned(unit, *me, in_play_);
  if (cell.look_hash == worn && cell.owned == look.owned) {
    look.type = cell.type;
    look.colour = cell.colour;
    look.size = size_of(unit, out.world());
  } else {
    set_look(unit, out.world(), look);
  }
  core::TileInterpolator::Point point{unit.pose().x(), unit.pose().y()};
  if (core::is_body(unit.kind())) point = cell.interpolator.at(unit.pose(), state.posed_at, out.now());
  const Plane plane;
  look.x = static_cast<float>(plane.x(point.x));
  look.y = static_cast<float>(plane.y(point.y));
  stroke(cell, unit.id(), worn, look);
}

void Painter::paint_shots(const Box& box, core::FrontOut& out) {
  balls_ = 0;
  if (are_cells(out.world())) return;
  const Micros now = out.now();
  for (const core::ShotState& state : out.world().shots()) {
    const words::Shot& shot = state.shot;
    const double flown = seconds(now - std::min(now, state.fired_at));
    if (flown > shot.life()) continue;
    const Key key = kShotKey | static_cast<Key>(shot.shooter() & 0x3fffffffU) << 32U | shot.shot();
    const auto colour = [&] { return colour_of(out.world(), shot.shooter(), shot.team()); };  // few shots are in sight
    if (shot.kind() == words::WAVE) {
      paint_ring(key, shot, core::wave_radius(shot, flown), box, colour());
      continue;
    }
    const double x = shot.x() + shot.vx() * flown, y = shot.y() + shot.vy() * flown;
    if (box.touches(x, y, 0)) paint_ball(key, x, y, colour());
  }
  std::erase_if(rays_, [&](const Ray& ray) { return now - ray.began > kRayFlies; });
  for (const Ray& ray : rays_) {
    const double part = seconds(now - ray.began) / seconds(kRayFlies);
    const double x = ray.x + part * ray.dx, y = ray.y + part * ray.dy;
    if (box.touches(x, y, 0)) paint_ball(ray.key, x, y, ray.colour);
  }
  const bool full = std::exchange(rays_full_, false) || balls_ > kMostBalls;
  if (begins(full, shots_full_)) out.drop(drops::kShotsFull);
}

/// A wave as balls around it.
void Painter::paint_ring(Key key, const words::Shot& wave, double radius, const Box& box, Colour colour) {
  constexpr Key kBalls = 16;
  for (Key i = 0; i < kBalls; ++i) {
    const double way = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kBalls);
    const double x = wave.x() + radius * std::cos(way), y = wave.y() + radius * std::sin(way);
    if (box.touches(x, y, 0)) paint_ball(key ^ i << 24U, x, y, colour);
  }
}

void Painter::paint_ball(Key key, double x, double y, Colour colour) {
  if (++balls_ > kMostBalls) return;
  const Plane plane;
  Look look;
  look.type = CellType::kEjected;
  look.size = kShotSize;
  look.colour = colour;
  look.x = static_cast<float>(plane.x(x));
  look.y = static_cast<float>(plane.y(y));
  stroke(entry(key), 0, kPlain, look);
}

/// Paints tokens on the ground. They are few, so all are sent, wherever they are.
void Painter::paint_tokens(core::FrontOut& out) {
  std::size_t lying = 0;
  for (const auto& [id, token] : out.world().tokens()) {
    if (token.state() != words::Token::GROUND || ++lying > kMostTokens) continue;
    const Plane plane;
    Look look;
    look.type = CellType::kPellet;
    look.size = kShotSize;
    look.colour = colour_of(token.team());
    look.x = static_cast<float>(plane.x(token.x()));
    look.y = static_cast<float>(plane.y(token.y()));
    stroke(entry(kTokenKey | id), 0, kPlain, look);
  }
  if (begins(lying > kMostTokens, tokens_full_)) out.drop(drops::kTokensFull);
}

void Painter::paint_shapes(const Box& box, core::FrontOut& out) {
  if (out.world().geometry() == nullptr) return;
  if (shapes_.lay(*out.world().geometry()) && shapes_.left_out() > 0) out.drop(drops::kSolidsFull);
  if (laid_ && laid_->holds(box) && laid_newest_ == shapes_.newest()) return;
  laid_ = {box.west - kSlack, box.east + kSlack, box.south - kSlack, box.north + kSlack};
  laid_newest_ = shapes_.newest();
  ++still_turn_;
  still_.begin_round();
  std::size_t shown = 0;
  shapes_.in_box(laid_->west, laid_->east, laid_->south, laid_->north, [&](Shapes::Key key, const Look& look) {
    if (++shown > kMostShapes) return;
    Still* still = still_.find(key);
    if (still == nullptr) {
      const std::uint32_t wire = spare_id();
      still = &still_.add(key);
      still->wire = wire;
      tell_added(wire, look);
    }
    still->turn = still_turn_;
  });
  if (begins(shown > kMostShapes, shapes_full_)) out.drop(drops::kSolidsFull);
  sweep(still_, still_turn_);
}

/// Paints one cell. `wire`: the id for a new cell; 0: a spare one. `dress`: if the cell already has this value, the
/// texts of `look` may be missing.
void Painter::stroke(Painted& cell, core::Id wire, std::uint64_t look_hash, const Look& look) {
  if (cell.turn == turn_) return;
  cell.turn = turn_;
  const bool unknown = cell.wire == 0, same_dress = cell.look_hash == look_hash;
  cell.look_hash = look_hash;
  if (!unknown && cell.owned == look.owned && cell.type == look.type) return update(cell, look, !same_dress);
  // Ownership and type can only be sent for added cells, so the cell is replaced by a new one.
  if (!unknown) changes_.removed.push_back(cell.wire);
  cell.wire = unknown && wire != 0 ? wire : spare_id();
  add(cell, look);
}

std::uint32_t Painter::spare_id() {
  return spare_ids_.next([&](std::uint32_t id) {
    const auto has_it = [&](const auto& entry) { return entry.value.wire == id; };
    return std::any_of(painted_.begin(), painted_.end(), has_it) || std::any_of(still_.begin(), still_.end(), has_it);
  });
}

void Painter::add(Painted& cell, const Look& look) {
  cell.type = look.type;
  cell.x = look.x;
  cell.y = look.y;
  cell.size = look.size;
  cell.colour = look.colour;
  cell.owned = look.owned;
  cell.name = look.name;
  cell.skin = look.skin;
  tell_added(cell.wire, look);
}

void Painter::tell_added(std::uint32_t wire, const Look& look) {
  AddedCell& added = changes_.added.emplace_back();
  added.id = wire;
  added.type = look.type;
  added.x = look.x;
  added.y = look.y;
  added.size = look.size;
  added.colour = look.colour;
  added.flags =
      static_cast<std::uint8_t>((look.owned ? 1 : 0) | (look.name.empty() ? 0 : 2) | (look.skin.empty() ? 0 : 4));
  added.name.chars = look.name;
  added.skin.chars = look.skin;
}

void Painter::update(Painted& cell, const Look& look, bool texts) {
  const unsigned flags = (cell.x != look.x || cell.y != look.y ? 1U : 0U) | (cell.size != look.size ? 2U : 0U) |
                         (cell.colour != look.colour ? 4U : 0U) | (texts && cell.name != look.name ? 8U : 0U) |
                         (texts && cell.skin != look.skin ? 16U : 0U);
  if (flags == 0) return;
  UpdatedCell& updated = changes_.updated.emplace_back();
  updated.id = cell.wire;
  updated.flags = static_cast<std::uint8_t>(flags);
  updated.x = cell.x = look.x;
  updated.y = cell.y = look.y;
  updated.size = cell.size = look.size;
  updated.colour = cell.colour = look.colour;
  if ((flags & 8U) != 0) updated.name.chars = cell.name = look.name;
  if ((flags & 16U) != 0) updated.skin.chars = cell.skin = look.skin;
}

/// Removes cells that were not painted this time.
template <class Cells>
void Painter::sweep(Cells& cells, std::uint32_t turn) {
  for (std::size_t i = 0; i < cells.size();) {
    const auto& [key, cell] = *(cells.begin() + static_cast<std::ptrdiff_t>(i));
    if (cell.turn == turn) {
      ++i;
      continue;
    }
    changes_.removed.push_back(cell.wire);
    cells.remove(key);  // moves another entry to this index
  }
}

/// Reports cells that were eaten, of those that are no longer in view. Called before any cell is removed, because the
/// eater may be removed, too.
void Painter::tell_eaten() {
  if (eaten_.empty()) return;
  for (const auto& [key, cell] : painted_)
    if (cell.turn != turn_) tell_eaten(key, cell);
  eaten_.clear();
}

/// Reports one, if the client knows the eater.
void Painter::tell_eaten(Key key, const Painted& cell) {
  const auto at = std::ranges::find(eaten_, key, &Eating::killed);
  if (at == eaten_.end()) return;
  const Painted* killer = painted_.peek(at->killer);
  if (killer != nullptr && killer != &cell) changes_.eaten.push_back({cell.wire, killer->wire});
}

Painter::Painted& Painter::entry(Key key) {
  if (Painted* known = painted_.find(key)) return *known;
  Painted& cell = painted_.add(key);
  cell.wire = cell.turn = 0;
  cell.look_hash = 0;
  cell.interpolator = {};
  return cell;
}

}  // namespace entente::ogar
