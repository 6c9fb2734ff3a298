#include "proxy/core/gameplay/tank.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "proxy/core/gameplay/steering.h"

namespace entente::core {
namespace {

constexpr double kPiece = 0.5;  // metres driven between two collision tests
constexpr double kMostPieces = 256;
constexpr double kSmallestReach = 8;     // metres: the side of the finest grid
constexpr double kLongestFlight = 1e6;   // metres that a shot flies
constexpr double kFirstPiece = 64;       // metres: the end of the piece of a way that is looked at first,
constexpr double kNextPiece = 4;         // and how many times as far the next one ends: there are eight at most
constexpr std::uint8_t kMostSizes = 24;  // the largest reach is 2^23 times as far
constexpr double kFacing = 0.1;          // radians: within this angle it faces a direction
constexpr double kMiss = 1e-9;
constexpr int kMostSteps = 4;  // steps away from obstacles beside a turning tank: two walls, twice

/// Separating axes of two rectangles: half sides a and b, the second's axes turned by `turn` in the first's frame, its
/// middle at x, y there.
bool overlap(double ax, double ay, double bx, double by, double x, double y, double turn) {
  const double c = std::abs(std::cos(turn)), s = std::abs(std::sin(turn));
  if (std::abs(x) >= ax + bx * c + by * s || std::abs(y) >= ay + bx * s + by * c) return false;
  const double rc = std::cos(turn), rs = std::sin(turn);
  return std::abs(x * rc + y * rs) < bx + ax * c + ay * s && std::abs(-x * rs + y * rc) < by + ax * s + ay * c;
}

/// Whether the segment from a to a + d meets the box around the origin with these half sides (z: from 0 to its height).
bool crosses(const std::array<double, 3>& a, const std::array<double, 3>& d, const std::array<double, 3>& low,
             const std::array<double, 3>& high) {
  double enter = 0, leave = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(d[i]) < kMiss) {
      if (a[i] < low[i] || a[i] > high[i]) return false;
      continue;
    }
    double in = (low[i] - a[i]) / d[i], out = (high[i] - a[i]) / d[i];
    if (in > out) std::swap(in, out);
    enter = std::max(enter, in);
    leave = std::min(leave, out);
  }
  return enter <= leave;
}

/// Whether the way from a to b, as seen from a tank, comes within reach of its middle, at the height of the tank.
bool reaches(const TankModel& model, const std::array<double, 3>& a, const std::array<double, 3>& b) {
  if (std::max(a[2], b[2]) < 0 || std::min(a[2], b[2]) > model.height) return false;
  const std::array<double, 3> middle = {0, 0, model.height / 2};
  double along = 0, length = 0, off = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    along += (middle[i] - a[i]) * (b[i] - a[i]);
    length += (b[i] - a[i]) * (b[i] - a[i]);
  }
  const double fraction = length > 0 ? std::clamp(along / length, 0.0, 1.0) : 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double gap = a[i] + fraction * (b[i] - a[i]) - middle[i];
    off += gap * gap;
  }
  return off <= model.target * model.target;
}

/// Turns a tank that has something beside it, and moves it away from that as far as needed, if there is room.
void turn_away(const TankModel& model, const Terrain& terrain, double yaw, TankState& tank) {
  const double step =
      std::hypot(model.length, model.width) / 2 * std::abs(wrap_angle(yaw - tank.yaw));  // of its corners
  const auto goes = [&](double x, double y) {
    if (!terrain.free(model, x, y, tank.z, yaw)) return false;
    tank.x = x;
    tank.y = y;
    tank.yaw = yaw;
    return true;
  };
  double x = tank.x, y = tank.y;
  for (int tries = 0; tries < kMostSteps; ++tries) {  // away from walls
    const auto wall = terrain.normal(model, x, y, tank.z, yaw);
    if (!wall) break;
    x += step * wall->first;
    y += step * wall->second;
  }
  if (goes(x, y)) return;
  for (int quarter = 0; quarter < 4; ++quarter) {  // away from a corner that its side would meet
    const double way = yaw + quarter * std::numbers::pi / 2;
    if (goes(tank.x + step * std::cos(way), tank.y + step * std::sin(way))) return;
  }
}

double reach_of(std::uint8_t size) { return std::ldexp(kSmallestReach, size); }

/// The row or column of a place in the grid of blocks of this size.
std::uint32_t grid_line(double place, std::uint8_t size) {
  constexpr double kHalf = 2'147'483'648, kLast = 4'294'967'294;
  return static_cast<std::uint32_t>(std::clamp(std::floor(place / reach_of(size)) + kHalf, 0.0, kLast));
}
double begin_of(std::uint32_t line, std::uint8_t size) { return (line - 2'147'483'648.0) * reach_of(size); }

std::uint64_t cell_of(std::uint32_t row, std::uint32_t column) { return std::uint64_t{row} << 32U | column; }

std::array<double, 3> seen_from(const TankState& tank, const std::array<double, 3>& point) {
  const double c = std::cos(tank.yaw), s = std::sin(tank.yaw), x = point[0] - tank.x, y = point[1] - tank.y;
  return {x * c + y * s, -x * s + y * c, point[2] - tank.z};
}

}  // namespace

TankState state_of(const words::Pose& pose) {
  return {pose.x(), pose.y(), pose.z(), pose.vx(), pose.vy(), pose.vz(), pose.yaw(), pose.yaw_rate()};
}

void put(const TankState& tank, words::Pose& pose) {
  pose.set_x(tank.x);
  pose.set_y(tank.y);
  pose.set_z(tank.z);
  pose.set_vx(tank.vx);
  pose.set_vy(tank.vy);
  pose.set_vz(tank.vz);
  pose.set_yaw(tank.yaw);
  pose.set_yaw_rate(tank.yaw_rate);
}

// -- Terrain ----------------------------------------------------------------------------------------------------------

std::array<words::Solid, 4> walls_around(const words::World& world) {
  const double wide = (world.east() - world.west()) / 2, high = (world.north() - world.south()) / 2;
  const double x = world.west() + wide, y = world.south() + high;
  const auto wall = [&](double at_x, double at_y, double quarter_turns, double half) {
    words::Solid solid;
    solid.set_shape(words::Solid::WALL_FACE);
    solid.set_x(at_x);
    solid.set_y(at_y);
    solid.set_yaw(quarter_turns * std::numbers::pi / 2);
    solid.set_half_y(half);
    solid.set_height(kWallHeight);
    return solid;
  };
  return {wall(x, world.north(), 3, wide), wall(world.east(), y, 2, high), wall(x, world.south(), 1, wide),
          wall(world.west(), y, 0, high)};
}

Terrain::Terrain(const words::World& world)
    : bounded_(true), west_(world.west()), east_(world.east()), south_(world.south()), north_(world.north()) {
  for (const auto& solid : world.solids()) add(solid);
  for (const auto& base : world.bases()) add(base.solid());
  if (world.kind() == words::World::TILES) add_tiles(world);
  sort();
}

void Terrain::add(const words::Solid& solid) {
  if (solid.shape() == words::Solid::WALL_FACE) return;  // the bounds
  add({solid.x(), solid.y(), solid.z(), solid.z() + solid.height(), solid.half_x(), solid.half_y(),
       std::cos(solid.yaw()), std::sin(solid.yaw()), solid.shape() == words::Solid::PYRAMID, solid.upside_down(),
       !solid.units_pass(), !solid.shots_pass(), solid.shots_bounce()});
}

void Terrain::add(Block block) {
  const double reach = block.half_x + block.half_y;
  if (std::isnan(block.x + block.y + reach)) return;
  if (blocks_.size() >= kMostBlocks) return void(++left_out_);
  while (block.size + 1 < kMostSizes && reach > reach_of(block.size)) ++block.size;
  block.cell = cell_of(grid_line(block.y, block.size), grid_line(block.x, block.size));
  block.order = static_cast<std::uint32_t>(blocks_.size());
  blocks_.push_back(block);
}

void Terrain::sort() {
  const auto place = [](const Block& block) { return std::tuple(-block.size, block.cell, block.order); };
  std::sort(blocks_.begin(), blocks_.end(), [&](const Block& a, const Block& b) { return place(a) < place(b); });
  for (const Block& block : blocks_) {
    const std::size_t at = cells_.size();
    cells_.push_back(block.cell);
    if (grids_.empty() || grids_.back().size != block.size) grids_.push_back({block.size, at, at});
    grids_.back().end = at + 1;
  }
}

template <class See>
std::size_t Terrain::each_near(double x, double y, double dx, double dy, double reach, See&& see) const {
  if (!std::isfinite(x + y + dx + dy)) return 0;
  std::size_t looks = 0;
  for (const Grid& grid : grids_) {
    const double far = reach_of(grid.size) + reach;
    const auto line = [&](double place) { return grid_line(place, grid.size); };
    const auto from = [&](std::size_t begin, std::size_t end, std::uint64_t cell) {
      const auto first = cells_.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = cells_.begin() + static_cast<std::ptrdiff_t>(end);
      return static_cast<std::size_t>(std::lower_bound(first, last, cell) - cells_.begin());
    };
    std::size_t begin = from(grid.begin, grid.end, cell_of(line(std::min(y, y + dy) - far), 0));
    std::size_t end = from(begin, grid.end, cell_of(line(std::max(y, y + dy) + far) + 1, 0));
    while (begin < end) {  // row by row, from where the way begins
      if (++looks > kMostNear) return kMostNear;
      // The part of the way that is near this row.
      const auto row = static_cast<std::uint32_t>(cells_[dy < 0 ? end - 1 : begin] >> 32U);
      const double south = begin_of(row, grid.size) - far, north = begin_of(row + 1, grid.size) + far;
      const auto fraction = [&](double to_y) { return dy == 0 ? 0 : std::clamp((to_y - y) / dy, 0.0, 1.0); };
      const double one = x + dx * fraction(south), other = dy == 0 ? x + dx : x + dx * fraction(north);
      const std::size_t west = from(begin, end, cell_of(row, line(std::min(one, other) - far)));
      const std::size_t east = from(west, end, cell_of(row, line(std::max(one, other) + far) + 1));
      for (std::size_t i = west; i < east; ++i) {
        if (++looks > kMostNear) return kMostNear;
        see(blocks_[dx < 0 ? west + (east - 1 - i) : i]);
      }
      if (dy < 0)
        end = from(begin, west, cell_of(row, 0));
      else
        begin = from(east, end, cell_of(row + 1, 0));
    }
  }
  return looks;
}

void Terrain::add_tiles(const words::World& world) {
  if (world.columns() == 0 || world.rows() == 0) return;
  const double wide = (east_ - west_) / world.columns(), high = (north_ - south_) / world.rows();
  const std::size_t count = std::min<std::size_t>(world.tiles().size(), std::size_t{world.columns()} * world.rows());
  for (std::size_t i = 0; i < count; ++i) {
    const auto tile = static_cast<std::uint8_t>(world.tiles()[i]);
    const bool units = (tile & words::UNITS_PASS) != 0, shots = (tile & words::SHOTS_PASS) != 0;
    if (units && shots) continue;
    const std::size_t column = i % world.columns(), row = i / world.columns();
    add({west_ + (static_cast<double>(column) + 0.5) * wide, north_ - (static_cast<double>(row) + 0.5) * high, 0,
         shots ? kWaterHeight : kTileHeight, wide / 2, high / 2, 1, 0, false, false, !units, !shots, false});
  }
}

bool Terrain::meet(const Block& block, const TankModel& model, double x, double y, double z, double yaw) {
  if (z + model.height <= block.bottom || z + model.climb >= block.top) return false;
  double shrunk = 1;
  if (block.narrowing) {  // its width at the height of the tank's base (upside down: of its top)
    const double height = block.top - block.bottom;
    const double at = block.upside_down ? block.top - (z + model.height) : z - block.bottom;
    shrunk = std::clamp(1 - at / height, 0.0, 1.0);
  }
  const double dx = x - block.x, dy = y - block.y;
  const double turn = yaw - std::atan2(block.sin, block.cos);
  return overlap(block.half_x * shrunk, block.half_y * shrunk, model.length / 2, model.width / 2,
                 dx * block.cos + dy * block.sin, -dx * block.sin + dy * block.cos, turn);
}

/// Seen from above.
bool Terrain::holds(const Block& block, double x, double y) {
  const double dx = x - block.x, dy = y - block.y;
  return std::abs(dx * block.cos + dy * block.sin) < block.half_x &&
         std::abs(-dx * block.sin + dy * block.cos) < block.half_y;
}

/// The outward normal of the side that the tank's centre is farthest outside of, or least inside of.
std::pair<double, double> Terrain::side_of(const Block& block, double x, double y) {
  const double dx = x - block.x, dy = y - block.y;
  const double in_x = dx * block.cos + dy * block.sin, in_y = -dx * block.sin + dy * block.cos;
  if (std::abs(in_x) - block.half_x > std::abs(in_y) - block.half_y) {
    const double sign = in_x < 0 ? -1 : 1;
    return {sign * block.cos, sign * block.sin};
  }
  const double sign = in_y < 0 ? -1 : 1;
  return {-sign * block.sin, sign * block.cos};
}

bool Terrain::free(const TankModel& model, double x, double y, double z, double yaw) const {
  return !normal(model, x, y, z, yaw);
}

template <class Counts>
std::optional<std::pair<double, double>> Terrain::first_side(const TankModel& model, double x, double y, double z,
                                                             double yaw, Counts&& counts) const {
  const double c = std::abs(std::cos(yaw)), s = std::abs(std::sin(yaw));
  const double reach_x = (model.length * c + model.width * s) / 2, reach_y = (model.length * s + model.width * c) / 2;
  if (bounded_) {
    const std::pair<bool, std::pair<double, double>> sides[] = {{x - reach_x < west_, {1, 0}},
                                                                {x + reach_x > east_, {-1, 0}},
                                                                {y - reach_y < south_, {0, 1}},
                                                                {y + reach_y > north_, {0, -1}}};
    for (const auto& [beyond, side] : sides)
      if (beyond && counts(side, nullptr)) return side;
  }
  std::optional<std::pair<double, double>> first;
  std::uint32_t order = 0;
  each_near(x, y, 0, 0, model.length, [&](const Block& block) {
    const double near = block.half_x + block.half_y + model.length;
    if (!block.stops_units || std::abs(x - block.x) > near || std::abs(y - block.y) > near) return;
    if ((first && block.order > order) || !meet(block, model, x, y, z, yaw)) return;
    const auto side = side_of(block, x, y);
    if (!counts(side, &block)) return;
    first = side;
    order = block.order;
  });
  return first;
}

std::optional<std::pair<double, double>> Terrain::normal(const TankModel& model, double x, double y, double z,
                                                         double yaw) const {
  return first_side(model, x, y, z, yaw, [](const auto&, const Block*) { return true; });
}

std::optional<std::pair<double, double>> Terrain::normal_against(const TankModel& model, double x, double y, double z,
                                                                 double yaw, double dx, double dy) const {
  return first_side(model, x, y, z, yaw, [&](const std::pair<double, double>& out, const Block* block) {
    if (block != nullptr && holds(*block, x - dx, y - dy)) return false;
    return dx * out.first + dy * out.second < -kMiss;
  });
}

double Terrain::floor(const TankModel& model, double x, double y, double z, double yaw) const {
  double height = model.lowest;
  TankModel standing = model;
  standing.climb = 0;
  each_near(x, y, 0, 0, model.length, [&](const Block& block) {
    if (!block.stops_units || block.narrowing || block.top > z + model.climb || block.top <= height) return;
    if (meet(block, standing, x, y, block.top - kMiss, yaw)) height = block.top;
  });
  return height;
}

double Terrain::clear_way(double x, double y, double z, double dx, double dy, double most) const {
  const auto hit = first_solid({x, y, z}, {dx, dy, 0}, most);
  return hit ? hit->after : most;
}

std::optional<Terrain::Strike> Terrain::first_solid(const std::array<double, 3>& at,
                                                    const std::array<double, 3>& velocity, double most,
                                                    std::size_t* looked) const {
  const double speed = std::hypot(velocity[0], velocity[1]);
  const double farthest = speed > 0 ? std::min(most, kLongestFlight / speed) : 0;
  std::optional<Strike> first;
  const auto see = [&](const Block& block) {
    if (!block.stops_shots) return;
    if (const auto hit = enter(block, at, velocity, first ? first->after : most)) first = hit;
  };
  double from = 0;
  for (double end = kFirstPiece;; end *= kNextPiece) {
    const double to = end < farthest * speed ? end / speed : farthest;
    const std::size_t looks = each_near(at[0] + velocity[0] * from, at[1] + velocity[1] * from,
                                        velocity[0] * (to - from), velocity[1] * (to - from), 0, see);
    if (looked != nullptr) *looked += looks;
    if (!(to < farthest) || (first && first->after <= to)) return first;
    from = to;
  }
}

/// Where a point enters the convex block: the last of its sides that it crosses inwards, before it crosses any
/// outwards.
std::optional<Terrain::Strike> Terrain::enter(const Block& block, const std::array<double, 3>& at,
                                              const std::array<double, 3>& velocity, double most) {
  const double height = block.top - block.bottom;
  const double lean = block.narrowing && height > 0 ? 1 / height : 0, lean_x = lean * block.half_x,
               lean_y = lean * block.half_y;
  const double up = block.upside_down && block.narrowing ? -1 : 1;  // the way to the end where a pyramid is a point
  const double base = up > 0 ? block.bottom : block.top;
  const auto turned = [&](double x, double y) {
    return std::pair(x * block.cos + y * block.sin, -x * block.sin + y * block.cos);
  };
  const auto [x, y] = turned(at[0] - block.x, at[1] - block.y);
  const auto [vx, vy] = turned(velocity[0], velocity[1]);
  const double z = up * (at[2] - base), vz = up * velocity[2];
  struct Side {
    double x, y, z, most;  // inside: x * place.x + y * place.y + z * place.z <= most
  };
  const Side sides[] = {{0, 0, 1, height},
                        {0, 0, -1, 0},
                        {1, 0, lean_x, block.half_x},
                        {-1, 0, lean_x, block.half_x},
                        {0, 1, lean_y, block.half_y},
                        {0, -1, lean_y, block.half_y}};
  double in = 0, out = most;
  Side face{};
  for (const Side& side : sides) {
    const double gap = side.most - (side.x * x + side.y * y + side.z * z),
                 into = side.x * vx + side.y * vy + side.z * vz;
    if (std::abs(into) < kMiss) {
      if (gap < 0) return std::nullopt;
      continue;
    }
    const double when = gap / into;
    if (into > 0) {
      out = std::min(out, when);
    } else if (when > in) {
      in = when;
      face = side;
    }
  }
  if (!(in <= out)) return std::nullopt;
  const double length = std::max(kMiss, std::hypot(face.x, face.y, face.z));
  return Strike{in,
                {(face.x * block.cos - face.y * block.sin) / length, (face.x * block.sin + face.y * block.cos) / length,
                 up * face.z / length},
                block.shots_bounce};
}

std::optional<Terrain::Strike> Terrain::strike(const std::array<double, 3>& at, const std::array<double, 3>& velocity,
                                               double most, bool through, std::size_t* looked) const {
  std::optional<Strike> first;
  if (!through) first = first_solid(at, velocity, most, looked);
  const auto plane = [&](double gap, double speed, const std::array<double, 3>& normal, double highest) {
    if (!(speed > 0) || gap < 0) return;
    const double after = gap / speed;
    if (after > (first ? first->after : most) || at[2] + velocity[2] * after > highest) return;
    first = Strike{after, normal, false};
  };
  plane(at[2], -velocity[2], {0, 0, 1}, kMiss);
  if (!bounded_ || through) return first;
  plane(east_ - at[0], velocity[0], {-1, 0, 0}, kWallHeight);
  plane(at[0] - west_, -velocity[0], {1, 0, 0}, kWallHeight);
  plane(north_ - at[1], velocity[1], {0, -1, 0}, kWallHeight);
  plane(at[1] - south_, -velocity[1], {0, 1, 0}, kWallHeight);
  return first;
}

// -- Driving ----------------------------------------------------------------------------------------------------------

Controls turn_to(const TankModel& model, const TankState& tank, double yaw, double dt) {
  const double off = wrap_angle(yaw - tank.yaw);
  return {0, std::clamp(off / (model.turn_rate * dt), -1.0, 1.0), 0};
}

Controls steer_to(const TankModel& model, const TankState& tank, double x, double y, double speed, double dt) {
  const double dx = x - tank.x, dy = y - tank.y, far = std::hypot(dx, dy);
  if (far < 1e-3) return {};
  const double way = std::atan2(dy, dx);
  Controls controls = turn_to(model, tank, way, dt);
  const double off = std::abs(wrap_angle(way - tank.yaw));
  const double most = std::min(speed, far / (model.speed * dt));
  // Far away it may drive a curve; near, or looking elsewhere, it turns first.
  const double circle = model.speed / model.turn_rate;
  if (off < kFacing)
    controls.ahead = most * std::cos(off);
  else if (far > 2 * circle)
    controls.ahead = most * std::max(0.0, std::cos(off));
  return controls;
}

bool drive(const TankModel& model, const Terrain& terrain, const Controls& controls, double dt, TankState& tank) {
  const double ahead = std::clamp(controls.ahead, -1.0, 1.0) * model.speed;
  tank.yaw_rate = std::clamp(controls.turn, -1.0, 1.0) * model.turn_rate;
  const int pieces = static_cast<int>(std::clamp(std::ceil(std::abs(ahead) * dt / kPiece), 1.0, kMostPieces));
  const double piece = dt / pieces;
  const double from_x = tank.x, from_y = tank.y;
  bool clear = true;
  const bool stuck = !terrain.free(model, tank.x, tank.y, tank.z, tank.yaw);  // it may drive out
  const auto in_the_way = [&](double dx, double dy) {
    const double x = tank.x + dx, y = tank.y + dy;
    return stuck ? terrain.normal_against(model, x, y, tank.z, tank.yaw, dx, dy)
                 : terrain.normal(model, x, y, tank.z, tank.yaw);
  };
  for (int i = 0; i < pieces; ++i) {
    const double yaw = wrap_angle(tank.yaw + tank.yaw_rate * piece);
    const bool turns = stuck || terrain.free(model, tank.x, tank.y, tank.z, yaw);
    if (turns)
      tank.yaw = yaw;
    else
      clear = false;
    double dx = std::cos(tank.yaw) * ahead * piece, dy = std::sin(tank.yaw) * ahead * piece;
    for (int tries = 0; tries < 2; ++tries) {
      const auto wall = in_the_way(dx, dy);
      if (!wall) break;
      clear = false;
      const double into = std::min(0.0, dx * wall->first + dy * wall->second);
      dx -= into * wall->first;
      dy -= into * wall->second;
    }
    const bool moves = std::hypot(dx, dy) > kMiss && !in_the_way(dx, dy);
    if (moves) {
      tank.x += dx;
      tank.y += dy;
    } else if (!turns) {  // a tank along a wall can neither turn nor, if its goal is elsewhere, drive
      turn_away(model, terrain, yaw, tank);
    }
  }
  const double floor = terrain.floor(model, tank.x, tank.y, tank.z, tank.yaw);
  tank.vz = tank.z > floor ? tank.vz - model.gravity * dt : controls.jump;
  tank.z = std::max(floor, tank.z + tank.vz * dt);
  if (tank.z <= floor) tank.vz = 0;
  tank.vx = (tank.x - from_x) / dt;
  tank.vy = (tank.y - from_y) / dt;
  return clear;
}

bool met(const TankModel& model, const TankState& was, const TankState& is, const std::array<double, 3>& from,
         const std::array<double, 3>& to) {
  // The path of the shot as seen from the tank, which may turn meanwhile: approximated by four straight pieces.
  constexpr int kStraight = 4;
  const std::array<double, 3> low = {-model.length / 2, -model.width / 2, 0};
  const std::array<double, 3> high = {model.length / 2, model.width / 2, model.height};
  const auto between = [](double a, double b, double t) { return a + (b - a) * t; };
  const auto seen = [&](double t) {
    TankState tank;
    tank.x = between(was.x, is.x, t);
    tank.y = between(was.y, is.y, t);
    tank.z = between(was.z, is.z, t);
    tank.yaw = was.yaw + wrap_angle(is.yaw - was.yaw) * t;
    return seen_from(tank, {between(from[0], to[0], t), between(from[1], to[1], t), between(from[2], to[2], t)});
  };
  auto here = seen(0);
  for (int i = 1; i <= kStraight; ++i) {
    const auto there = seen(static_cast<double>(i) / kStraight);
    if (model.target > 0 && reaches(model, here, there)) return true;
    if (model.target <= 0 && crosses(here, {there[0] - here[0], there[1] - here[1], there[2] - here[2]}, low, high))
      return true;
    here = there;
  }
  return false;
}

}  // namespace entente::core
