#include "adapters/bzflag/world/world_conversions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "adapters/bzflag/conversions.h"
#include "proxy/core/world.h"

namespace entente::bzflag {
namespace {

enum Bits : std::uint8_t { kDriveThrough = 1, kShootThrough = 2, kUpsideDown = 4 };

// Limits against hostile databases.
constexpr int kDeepestGroup = 8;
constexpr int kMostSolids = 20'000, kMostLinks = 4'096;
constexpr std::size_t kMostFaces = 2'048;
// Steps: points moved, names of groups and of faces compared. A copy of a group is a few bytes, and may have hundreds
// of points. The most takes less than 100 ms.
constexpr std::size_t kWorkAtOnce = 50'000, kWorkPerByte = 64, kMostWork = 1'000'000;
constexpr std::size_t kNameAStep = 16;  // characters of a group's name that are compared in one step

void place(words::Solid& solid, const Vec3& pos, const Vec3& size, float angle, std::uint8_t bits) {
  solid.set_x(pos[0]);
  solid.set_y(pos[1]);
  solid.set_z(pos[2]);
  solid.set_half_x(size[0]);
  solid.set_half_y(size[1]);
  solid.set_height(size[2]);
  solid.set_yaw(angle);
  solid.set_units_pass((bits & kDriveThrough) != 0);
  solid.set_shots_pass((bits & kShootThrough) != 0);
  solid.set_upside_down((bits & kUpsideDown) != 0);
}

/// The axis-parallel box around points.
class Around {
 public:
  void add(const Vec3& point) {
    for (std::size_t i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], point[i]);
      high_[i] = std::max(high_[i], point[i]);
    }
    empty_ = false;
  }
  bool empty() const { return empty_; }
  void write(words::Solid& solid, std::uint8_t bits) const {
    Vec3 middle{}, half{};
    for (std::size_t i = 0; i < 3; ++i) {
      middle[i] = (low_[i] + high_[i]) / 2;
      half[i] = (high_[i] - low_[i]) / 2;
    }
    place(solid, {middle[0], middle[1], low_[2]}, {half[0], half[1], 2 * half[2]}, 0, bits);
  }

 private:
  static constexpr float kFar = std::numeric_limits<float>::max();
  Vec3 low_{kFar, kFar, kFar}, high_{-kFar, -kFar, -kFar};
  bool empty_ = true;
};

/// `p` rotated about `axis` (Rodrigues).
Vec3 spun(const Vec3& p, Vec3 axis, float angle) {
  const float length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 0)) return p;
  for (float& part : axis) part /= length;
  const float c = std::cos(angle), s = std::sin(angle);
  const float along = (axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]) * (1 - c);
  const Vec3 across = {axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2],
                       axis[0] * p[1] - axis[1] * p[0]};
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = p[i] * c + across[i] * s + axis[i] * along;
  return out;
}

class Survey {
 public:
  Survey(const GroupWorld& database, std::size_t bytes, ConvertedWorld& out)
      : database_(database), out_(out), work_left_(std::min(kMostWork, kWorkAtOnce + kWorkPerByte * bytes)) {
    for (const Group& group : database_.groups) groups_[group.name].push_back(&group);
  }

  void run() {
    add(database_.world);
    for (const WorldLink& link : database_.links) add(link);
    out_.cut = out_.cut || work_left_ == 0;
  }

 private:
  using Path = std::vector<const Transform*>;  // innermost first

  void add(const Group& group) {
    for (const Wall& wall : group.walls) add(wall);
    for (const Box& box : group.boxes) add(box, words::Solid::BOX);
    for (const Box& box : group.pyramids) add(box, words::Solid::PYRAMID);
    for (const Base& base : group.bases) add(base);
    for (const Teleporter& teleporter : group.teleporters) add(teleporter);
    Path nowhere;
    add_boxed(group, nowhere);
    for (const Instance& instance : group.instances) add(instance, nowhere, 0);
  }

  words::Solid* solid() {
    if (out_.world.solids_size() < kMostSolids) return out_.world.add_solids();
    out_.cut = true;
    return nullptr;
  }
  void add(const Wall& wall) {
    if (words::Solid* one = solid()) {
      one->set_shape(words::Solid::WALL_FACE);
      place(*one, wall.pos, {0, wall.half_width, wall.height}, wall.angle, 0);
      out_.world.set_walled(true);
    }
  }
  void add(const Box& box, words::Solid::Shape shape) {
    if (words::Solid* one = solid()) {
      one->set_shape(shape);
      place(*one, box.pos, box.size, box.angle, box.bits);
    }
  }
  void add(const Base& base) {
    if (out_.world.bases_size() >= static_cast<int>(kMostFaces)) return void(out_.cut = true);
    words::Base& one = *out_.world.add_bases();
    one.set_team(team_of(static_cast<std::int16_t>(base.team)));
    place(*one.mutable_solid(), base.box.pos, base.box.size, base.box.angle, base.box.bits);
  }
  void add(const Teleporter& teleporter) {
    if (faces_.size() >= kMostFaces) return void(out_.cut = true);
    words::Teleporter& one = *out_.world.add_teleporters();
    place(*one.mutable_frame(), teleporter.pos, teleporter.size, teleporter.angle, teleporter.bits);
    one.set_border(teleporter.border);
    const std::string number = "/t" + std::to_string(faces_.size() / 2);
    const std::string name = teleporter.name.empty() ? number : teleporter.name;
    faces_.push_back({number + ":f", name + ":f"});
    faces_.push_back({number + ":b", name + ":b"});
  }
  void add(const WorldLink& link) {
    for (std::size_t from = 0; from < faces_.size() && work_left_ > 0; ++from) {
      if (!is(from, link.from)) continue;
      for (std::size_t to = 0; to < faces_.size() && work_left_ > 0; ++to) {
        if (!is(to, link.to)) continue;
        if (out_.world.links_size() >= kMostLinks) return void(out_.cut = true);
        words::Link& one = *out_.world.add_links();
        one.set_from(static_cast<std::uint32_t>(from));
        one.set_to(static_cast<std::uint32_t>(to));
      }
    }
  }

  // -- Obstacles of which only a box is left -----------------------------------------------------------------------

  void add(const Instance& instance, const Path& outer, int depth) {
    if (depth >= kDeepestGroup || !work(1 + instance.group.size() / kNameAStep)) return;
    Path path = {&instance.transform};
    path.insert(path.end(), outer.begin(), outer.end());
    // c_str(): the name ends at its first NUL. NOLINTNEXTLINE(readability-redundant-string-cstr)
    const auto named = groups_.find(std::string_view(instance.group.c_str()));
    if (named == groups_.end()) return;
    for (const Group* one : named->second) {
      if (!work()) return;
      const Group& group = *one;
      for (const Box& box : group.boxes) add_corners(box, path);
      for (const Box& box : group.pyramids) add_corners(box, path);
      for (const Base& base : group.bases) add_corners(base.box, path);
      add_boxed(group, path);
      for (const Instance& inner : group.instances) add(inner, path, depth + 1);
    }
  }
  void add_boxed(const Group& group, const Path& path) {
    for (const Mesh& mesh : group.meshes) {
      if (!work()) return;
      Around around;
      for (const Vec3& vertex : mesh.vertices) {
        if (!work()) break;
        around.add(moved(vertex, path));
      }
      add(around, mesh.state);
    }
    for (const Arc& arc : group.arcs) add_extent(arc, path);
    for (const Cone& cone : group.cones) add_extent(cone, path);
    for (const Sphere& sphere : group.spheres) add_extent(sphere, path);
    for (const Tetra& tetra : group.tetras) {
      if (!work(tetra.vertices.size())) return;
      Around around;
      for (const Vec3& vertex : tetra.vertices) around.add(moved(moved(vertex, {&tetra.transform}), path));
      add(around, tetra.state);
    }
  }
  template <class Round>
  void add_extent(const Round& round, const Path& path) {
    if (!work()) return;
    const float low = std::is_same_v<Round, Sphere> ? -round.size[2] : 0;
    Path all = {&round.transform};
    all.insert(all.end(), path.begin(), path.end());
    add_corners(round.pos, round.size, round.angle, low, all, round.state);
  }
  void add_corners(const Box& box, const Path& path) { add_corners(box.pos, box.size, box.angle, 0, path, box.bits); }
  void add_corners(const Vec3& pos, const Vec3& size, float angle, float low, const Path& path, std::uint8_t bits) {
    if (!work(8)) return;
    Around around;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 point = {(corner & 1) != 0 ? size[0] : -size[0], (corner & 2) != 0 ? size[1] : -size[1],
                          (corner & 4) != 0 ? size[2] : low};
      Vec3 there = spun(point, {0, 0, 1}, angle);
      for (std::size_t i = 0; i < 3; ++i) there[i] += pos[i];
      around.add(moved(there, path));
    }
    add(around, bits);
  }
  void add(const Around& around, std::uint8_t bits) {
    if (around.empty()) return;
    ++out_.boxed;
    if (words::Solid* one = solid()) around.write(*one, bits & (kDriveThrough | kShootThrough));
  }

  Vec3 moved(Vec3 point, const Path& path) const {
    for (const Transform* transform : path) point = moved(point, *transform, 0);
    return point;
  }
  Vec3 moved(Vec3 point, const Transform& transform, int depth) const {
    for (const TransformStep& step : transform.steps) {
      if (!work()) return point;
      if (step.type == 0)
        for (std::size_t i = 0; i < 3; ++i) point[i] += step.data[i];
      else if (step.type == 1)
        for (std::size_t i = 0; i < 3; ++i) point[i] *= step.data[i];
      else if (step.type == 2)
        point = {point[0] + step.data[0] * point[2], point[1] + step.data[1] * point[2], point[2]};
      else if (step.type == 3)
        point = spun(point, step.data, step.angle);
      else if (const auto index = static_cast<std::size_t>(step.index);
               index < database_.transforms.size() && depth < kDeepestGroup)
        point = moved(point, database_.transforms[index], depth + 1);
    }
    return point;
  }

  /// Takes `steps` of the work that is left, or all of it and returns false.
  bool work(std::size_t steps = 1) const {
    const bool enough = steps <= work_left_;
    work_left_ -= std::min(steps, work_left_);
    return enough;
  }
  bool is(std::size_t face, std::string_view pattern) const {
    return matches(pattern, faces_[face].number, work_left_) || matches(pattern, faces_[face].name, work_left_);
  }

  struct FaceNames {
    std::string number, name;
  };

  const GroupWorld& database_;
  ConvertedWorld& out_;
  std::map<std::string_view, std::vector<const Group*>> groups_;
  std::vector<FaceNames> faces_;
  mutable std::size_t work_left_;
};

}  // namespace

bool matches(std::string_view pattern, std::string_view name, std::size_t& work_left) {
  std::size_t at = 0, star = std::string_view::npos, retry = 0, in = 0;
  while (in < name.size()) {
    if (work_left == 0) return false;
    --work_left;
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == name[in])) {
      ++at;
      ++in;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      in = ++retry;
    } else {
      return false;
    }
  }
  for (; at < pattern.size() && pattern[at] == '*'; ++at) {
    if (work_left == 0) return false;
    --work_left;
  }
  return at == pattern.size();
}

ConvertedWorld world_from_database(const GroupWorld& database, std::size_t bytes, double size) {
  ConvertedWorld out;
  out.world.set_kind(words::World::SOLIDS);
  core::set_sides(out.world, size, size);
  Survey(database, bytes, out).run();
  return out;
}

double size_of(const words::World& world) {
  return 2 * std::max({std::abs(world.west()), std::abs(world.east()), std::abs(world.south()), std::abs(world.north()),
                       25.0});
}

}  // namespace entente::bzflag
