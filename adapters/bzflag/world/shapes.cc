#include "adapters/bzflag/world/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

namespace entente::bzflag {
namespace {

constexpr double kThin = 0.1;                    // metres: the thickness of a face
constexpr double kCoarse = 0.2;                  // metres: what is thinner counts as so thick when waste is measured
constexpr double kFine = 4;                      // cubic metres: a piece that wastes less is not divided
constexpr double kFull = 0.97;                   // of its box: a part that fills so much of it is a box
constexpr double kLevel = 1e-3;                  // how much of a normal's length may point elsewhere
constexpr double kLow = 0.3;                     // metres: what is no higher stops neither tanks nor shots
constexpr double kFar = 1e6;                     // metres: no shape is farther away
constexpr std::size_t kMostYaws = 8;             // directions that are tried for a box
constexpr std::size_t kMostRemembered = 16'000;  // remembered at once; the smallest are left out beyond

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
bool sane(const Point& point) {
  return std::all_of(point.begin(), point.end(), [](double part) { return std::abs(part) < kFar; });  // NaN is not
}

/// Twice the area of a face, along its normal.
Point doubled_area(std::span<const Point> corners) {
  Point sum{};
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const Point part = cross(minus(corners[i - 1], corners[0]), minus(corners[i], corners[0]));
    for (std::size_t k = 0; k < 3; ++k) sum[k] += part[k];
  }
  return sum;
}

Point turned(const Point& point, double yaw) {
  const double c = std::cos(yaw), s = std::sin(yaw);
  return {point[0] * c + point[1] * s, -point[0] * s + point[1] * c, point[2]};
}

/// The box around points in a frame that is turned by `yaw`.
std::pair<Point, Point> around(std::span<const Point> points, double yaw) {
  constexpr double kMost = std::numeric_limits<double>::max();
  Point low{kMost, kMost, kMost}, high{-kMost, -kMost, -kMost};
  for (const Point& point : points) {
    const Point seen = turned(point, yaw);
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], seen[i]);
      high[i] = std::max(high[i], seen[i]);
    }
  }
  return {low, high};
}

/// The direction of the smallest box around the points that is parallel to one of the edges.
double best_yaw(std::span<const Point> points, std::span<const double> yaws) {
  double best = 0, least = std::numeric_limits<double>::max();
  for (const double yaw : yaws) {
    const auto [low, high] = around(points, yaw);
    const double area = (high[0] - low[0]) * (high[1] - low[1]);
    if (area < least * (1 - 1e-9)) least = area, best = yaw;
  }
  return best;
}

void add_yaws(std::span<const Point> corners, std::vector<double>& yaws) {
  for (std::size_t i = 0; i < corners.size() && yaws.size() < kMostYaws; ++i) {
    const Point edge = minus(corners[(i + 1) % corners.size()], corners[i]);
    if (std::hypot(edge[0], edge[1]) > kThin) yaws.push_back(std::atan2(edge[1], edge[0]));
  }
}

/// The part of a convex face on one side of a plane: where sign * (place along the axis, turned) <= sign * at.
std::vector<Point> clipped(std::span<const Point> corners, double yaw, std::size_t axis, double at, double sign) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point& a = corners[i];
    const Point& b = corners[(i + 1) % corners.size()];
    const double in_a = sign * (at - turned(a, yaw)[axis]), in_b = sign * (at - turned(b, yaw)[axis]);
    if (in_a >= 0) kept.push_back(a);
    if ((in_a > 0 && in_b < 0) || (in_a < 0 && in_b > 0)) {
      const double part = in_a / (in_a - in_b);
      kept.push_back({a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])});
    }
  }
  return kept;
}

double thick(double side) { return std::max(side, kCoarse); }

}  // namespace

// -- Maps -------------------------------------------------------------------------------------------------------------

Point Affine::operator()(const Point& point) const {
  Point out = shift;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[k] += axes[i][k] * point[i];
  return out;
}

Affine Affine::after(const Affine& inner) const {
  Affine both;
  both.shift = (*this)(inner.shift);
  for (std::size_t i = 0; i < 3; ++i) both.axes[i] = minus((*this)(inner.axes[i]), shift);
  return both;
}

bool Affine::upright() const {
  const auto& [x, y, z] = axes;
  const double size = std::max({dot(x, x), dot(y, y), dot(z, z)});
  const auto none = [&](double part, double of) { return std::abs(part) <= kLevel * of; };
  return none(dot(x, y), size) && none(dot(x, z), size) && none(dot(y, z), size) && none(x[2], std::sqrt(size)) &&
         none(y[2], std::sqrt(size));
}

// -- Parts ------------------------------------------------------------------------------------------------------------

void Shapes::add(std::vector<Face> part) {
  std::erase_if(part, [&](const Face& face) {
    const bool stops = !face.passes.units || !face.passes.shots;
    return !stops || face.corners.size() < 3 || !work_.take(face.corners.size()) ||
           !std::all_of(face.corners.begin(), face.corners.end(), sane);
  });
  if (part.empty() || add_whole(part)) return;
  for (Face& face : part) {
    Piece piece;
    piece.corners = std::move(face.corners);
    piece.passes = face.passes;
    const Point area = doubled_area(piece.corners);
    piece.area = std::sqrt(dot(area, area)) / 2;
    if (!(piece.area > 0)) continue;
    std::vector<double> yaws;
    const bool level = std::hypot(area[0], area[1]) <= kLevel * 2 * piece.area;
    if (level)
      add_yaws(piece.corners, yaws);
    else
      yaws.push_back(std::atan2(area[0], -area[1]));  // along the face
    if (!work_.take(piece.corners.size() * yaws.size())) return void(++left_out_);
    piece.yaw = best_yaw(piece.corners, yaws);
    measure(piece);
    if (piece.high[2] <= kLow) continue;
    pieces_.push_back(std::move(piece));
  }
  if (pieces_.size() < 2 * kMostRemembered) return;
  const auto middle = pieces_.begin() + kMostRemembered;
  std::nth_element(pieces_.begin(), middle, pieces_.end(),
                   [](const Piece& a, const Piece& b) { return a.area > b.area; });
  left_out_ += pieces_.size() - kMostRemembered;
  pieces_.resize(kMostRemembered);
}

void Shapes::measure(Piece& piece) const {
  std::tie(piece.low, piece.high) = around(piece.corners, piece.yaw);
  const Point size = minus(piece.high, piece.low);
  piece.waste = thick(size[0]) * thick(size[1]) * thick(size[2]) - kCoarse * piece.area;
}

/// Adds the part as one box, if its faces enclose one. It may lack its bottom.
bool Shapes::add_whole(const std::vector<Face>& part) {
  std::vector<Point> points;
  std::vector<double> yaws;
  for (const Face& face : part) {
    if (!(face.passes == part[0].passes)) return false;
    points.insert(points.end(), face.corners.begin(), face.corners.end());
    add_yaws(face.corners, yaws);
  }
  if (part.size() < 5 || !work_.take(points.size() * (yaws.size() + 1))) return false;
  Piece whole;
  whole.passes = part[0].passes;
  whole.yaw = best_yaw(points, yaws);
  std::tie(whole.low, whole.high) = around(points, whole.yaw);
  const Point size = minus(whole.high, whole.low);
  const double box = size[0] * size[1] * size[2];
  const Point foot = points[0];  // only its height matters below
  double volume = 0;
  for (const Face& face : part) {
    const Point from = minus(face.corners[0], {foot[0], foot[1], whole.low[2]});
    volume += dot(from, doubled_area(face.corners)) / 6;
  }
  if (!(box > 0) || std::abs(volume) < kFull * box || whole.high[2] <= kLow) return false;
  whole.area = box;  // it is kept before all faces
  pieces_.push_back(std::move(whole));
  return true;
}

// -- Pieces -----------------------------------------------------------------------------------------------------------

/// The piece cut in two, in the way that wastes least; empty if no cut helps.
std::vector<Shapes::Piece> Shapes::halves(const Piece& piece) {
  std::vector<Piece> best;
  double least = piece.waste - kFine / 4;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (piece.high[axis] - piece.low[axis] < 2 * kCoarse || !work_.take(4 * piece.corners.size())) continue;
    const double at = (piece.low[axis] + piece.high[axis]) / 2;
    std::vector<Piece> both;
    double waste = 0;
    for (const double sign : {1.0, -1.0}) {
      Piece half = piece;
      half.corners = clipped(piece.corners, piece.yaw, axis, at, sign);
      if (half.corners.size() < 3) continue;
      const Point area = doubled_area(half.corners);
      half.area = std::sqrt(dot(area, area)) / 2;
      measure(half);
      waste += half.waste;
      both.push_back(std::move(half));
    }
    if (waste < least) least = waste, best = std::move(both);
  }
  return best;
}

/// Divides the pieces that waste most, as long as there is room for more.
void Shapes::refine(std::size_t most) {
  std::make_heap(pieces_.begin(), pieces_.end());
  std::vector<Piece> done;
  while (!pieces_.empty() && pieces_.size() + done.size() < most && pieces_.front().waste > kFine && work_.left > 0) {
    std::pop_heap(pieces_.begin(), pieces_.end());
    Piece piece = std::move(pieces_.back());
    pieces_.pop_back();
    std::vector<Piece> two = piece.corners.empty() ? std::vector<Piece>{} : halves(piece);
    if (two.empty()) done.push_back(std::move(piece));
    for (Piece& half : two) {
      pieces_.push_back(std::move(half));
      std::push_heap(pieces_.begin(), pieces_.end());
    }
  }
  pieces_.insert(pieces_.end(), std::make_move_iterator(done.begin()), std::make_move_iterator(done.end()));
}

void Shapes::put(const Piece& piece, words::Solid& solid) {
  const bool whole = piece.corners.empty();
  const Point size = minus(piece.high, piece.low);
  const Point middle = turned({(piece.low[0] + piece.high[0]) / 2, (piece.low[1] + piece.high[1]) / 2, 0}, -piece.yaw);
  const double height = whole ? size[2] : std::max(size[2], kThin);
  const double bottom = std::max(0.0, piece.high[2] - height);
  solid.set_x(middle[0]);
  solid.set_y(middle[1]);
  solid.set_z(bottom);
  solid.set_half_x((whole ? size[0] : std::max(size[0], kThin)) / 2);
  solid.set_half_y((whole ? size[1] : std::max(size[1], kThin)) / 2);
  solid.set_height(piece.high[2] - bottom);
  solid.set_yaw(piece.yaw);
  solid.set_units_pass(piece.passes.units);
  solid.set_shots_pass(piece.passes.shots);
  solid.set_shots_bounce(piece.passes.bounce);
  const double side = std::max({size[0] * size[1], size[0] * size[2], size[1] * size[2]});  // a rectangle fills it
  solid.set_approximate(!whole && std::abs(piece.area - side) > kLevel * side);
}

void Shapes::write(words::World& world, std::size_t most) {
  const std::size_t there = static_cast<std::size_t>(world.solids_size());
  const std::size_t room = std::min(kMost, most > there ? most - there : 0);
  std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
    return std::pair(a.corners.empty(), a.area) > std::pair(b.corners.empty(), b.area);
  });
  if (const std::size_t first = room - room / 4; pieces_.size() > first) {  // a quarter is for dividing large ones
    left_out_ += pieces_.size() - first;
    pieces_.resize(first);
  }
  refine(room);
  for (const Piece& piece : pieces_) put(piece, *world.add_solids());
  world.set_left_out(static_cast<std::uint32_t>(left_out_));
  pieces_.clear();
}

// -- Shapes as faces --------------------------------------------------------------------------------------------------

void Shapes::add_mapped(std::vector<std::vector<Point>> faces, const Affine& map, Passes passes) {
  std::vector<Face> part;
  for (std::vector<Point>& face : faces) {
    for (Point& corner : face) corner = map(corner);
    part.push_back({std::move(face), passes});
  }
  add(std::move(part));
}

void Shapes::add_box(const Point& half, double yaw, const Point& at, const Affine& map, Passes passes) {
  if (!may_add(6, passes)) return;
  const auto corner = [&](double x, double y, double z) {
    const Point point = turned({x * half[0], y * half[1], 0}, -yaw);
    return Point{at[0] + point[0], at[1] + point[1], at[2] + z * half[2]};
  };
  const std::array<Point, 4> low = {corner(-1, -1, 0), corner(1, -1, 0), corner(1, 1, 0), corner(-1, 1, 0)};
  const std::array<Point, 4> high = {corner(-1, -1, 1), corner(1, -1, 1), corner(1, 1, 1), corner(-1, 1, 1)};
  std::vector<std::vector<Point>> faces = {{low.rbegin(), low.rend()}, {high.begin(), high.end()}};
  for (std::size_t i = 0; i < 4; ++i) faces.push_back({low[i], low[(i + 1) % 4], high[(i + 1) % 4], high[i]});
  add_mapped(std::move(faces), map, passes);
}

void Shapes::add_pyramid(const Point& half, double yaw, const Point& at, bool upside_down, const Affine& map,
                         Passes passes) {
  if (!may_add(5, passes)) return;
  const double base = upside_down ? half[2] : 0;
  const auto corner = [&](double x, double y) {
    const Point point = turned({x * half[0], y * half[1], 0}, -yaw);
    return Point{at[0] + point[0], at[1] + point[1], at[2] + base};
  };
  const std::array<Point, 4> low = {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)};
  const Point top = {at[0], at[1], at[2] + half[2] - base};
  std::vector<std::vector<Point>> faces = {{low.rbegin(), low.rend()}};
  for (std::size_t i = 0; i < 4; ++i) faces.push_back({low[i], low[(i + 1) % 4], top});
  add_mapped(std::move(faces), map, passes);
}

namespace {

/// The angles between the sides of a round shape, from `yaw` on.
std::vector<double> angles(double yaw, double sweep, int sides, bool& circle) {
  double whole = std::clamp(sweep, -360.0, 360.0) * std::numbers::pi / 180;
  if (whole < 0) yaw += whole, whole = -whole;
  circle = whole > 2 * std::numbers::pi - 1e-6;
  const int count = std::clamp(sides, 1, Shapes::kMostSides);
  std::vector<double> all;
  for (int i = 0; i <= count; ++i) all.push_back(yaw + whole * i / count);
  return all;
}

}  // namespace

void Shapes::add_arc(const Point& half, double yaw, double sweep, double ratio, int sides, const Point& at,
                     const Affine& map, Passes passes) {
  if (!may_add(4 * static_cast<std::size_t>(std::clamp(sides, 1, kMostSides)), passes)) return;
  bool circle = false;
  const std::vector<double> ways = angles(yaw, sweep, sides, circle);
  const double inner = 1 - std::clamp(ratio, 0.0, 1.0);
  const auto corner = [&](double way, double part, double z) {
    return Point{at[0] + std::cos(way) * part * half[0], at[1] + std::sin(way) * part * half[1], at[2] + z * half[2]};
  };
  std::vector<std::vector<Point>> faces;
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    const double a = ways[i], b = ways[i + 1];
    faces.push_back({corner(a, 1, 0), corner(b, 1, 0), corner(b, 1, 1), corner(a, 1, 1)});
    faces.push_back({corner(a, inner, 1), corner(a, 1, 1), corner(b, 1, 1), corner(b, inner, 1)});
    faces.push_back({corner(a, inner, 0), corner(b, inner, 0), corner(b, 1, 0), corner(a, 1, 0)});
    if (inner > 0)
      faces.push_back({corner(a, inner, 0), corner(a, inner, 1), corner(b, inner, 1), corner(b, inner, 0)});
  }
  if (!circle) {
    const double a = ways.front(), b = ways.back();
    faces.push_back({corner(a, inner, 0), corner(a, 1, 0), corner(a, 1, 1), corner(a, inner, 1)});
    faces.push_back({corner(b, inner, 0), corner(b, inner, 1), corner(b, 1, 1), corner(b, 1, 0)});
  }
  add_mapped(std::move(faces), map, passes);
}

void Shapes::add_cone(const Point& half, double yaw, double sweep, int sides, const Point& at, const Affine& map,
                      Passes passes) {
  if (!may_add(2 * static_cast<std::size_t>(std::clamp(sides, 1, kMostSides)), passes)) return;
  bool circle = false;
  const std::vector<double> ways = angles(yaw, sweep, sides, circle);
  const auto corner = [&](double way) {
    return Point{at[0] + std::cos(way) * half[0], at[1] + std::sin(way) * half[1], at[2]};
  };
  const Point top = {at[0], at[1], at[2] + half[2]};
  std::vector<std::vector<Point>> faces;
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    faces.push_back({corner(ways[i]), corner(ways[i + 1]), top});
    faces.push_back({at, corner(ways[i + 1]), corner(ways[i])});
  }
  if (!circle) {
    faces.push_back({at, corner(ways.front()), top});
    faces.push_back({at, top, corner(ways.back())});
  }
  add_mapped(std::move(faces), map, passes);
}

void Shapes::add_sphere(const Point& half, double yaw, bool upper_half, int rings, const Point& at, const Affine& map,
                        Passes passes) {
  const int count = std::clamp(rings, 1, kMostRings), sides = 4 * count, first = upper_half ? 0 : -count;
  if (!may_add(static_cast<std::size_t>(2 * sides * count), passes)) return;
  const auto corner = [&](int ring, int side) {
    const double up = std::numbers::pi / 2 * ring / count, way = yaw + 2 * std::numbers::pi * side / sides;
    return Point{at[0] + std::cos(way) * std::cos(up) * half[0], at[1] + std::sin(way) * std::cos(up) * half[1],
                 at[2] + std::sin(up) * half[2]};
  };
  std::vector<std::vector<Point>> faces;
  for (int ring = first; ring < count; ++ring)
    for (int side = 0; side < sides; ++side) {
      std::vector<Point>& face = faces.emplace_back();
      face.push_back(corner(ring, side));
      if (ring > -count) face.push_back(corner(ring, side + 1));
      face.push_back(corner(ring + 1, side + 1));
      if (ring + 1 < count) face.push_back(corner(ring + 1, side));
    }
  if (upper_half)
    for (int side = 0; side < sides; ++side) faces.push_back({at, corner(0, side + 1), corner(0, side)});
  add_mapped(std::move(faces), map, passes);
}

}  // namespace entente::bzflag
