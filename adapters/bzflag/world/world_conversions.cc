#include "adapters/bzflag/world/world_conversions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/world/shapes.h"
#include "proxy/core/world.h"

namespace entente::bzflag {
namespace {

constexpr unsigned kDriveThrough = 1, kShootThrough = 2, kUpsideDown = 4, kBounce = 8;  // bits of boxes

// Limits against hostile databases.
constexpr int kDeepestGroup = 8;
constexpr int kMostSolids = 20'000, kMostLinks = 4'096;
constexpr std::size_t kMostFaces = 2'048;
// Steps: points looked at, names of groups and of faces compared. A copy of a group is a few bytes, and may have
// hundreds of points. The most takes less than 100 ms.
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
  solid.set_shots_bounce((bits & kBounce) != 0);
}

Point point_of(const Vec3& place) { return {place[0], place[1], place[2]}; }

/// The map of one step of a transform.
Affine map_of(const TransformStep& step) {
  Affine map;
  const Point data = point_of(step.data);
  if (step.type == 0) {
    map.shift = data;
  } else if (step.type == 1) {
    for (std::size_t i = 0; i < 3; ++i) map.axes[i][i] = data[i];
  } else if (step.type == 2) {  // x and y by z, z by x (MeshTransform.cxx at v2.4.26)
    map.axes[2][0] = data[0];
    map.axes[2][1] = data[1];
    map.axes[0][2] = data[2];
  } else if (const double length = std::hypot(data[0], data[1], data[2]); step.type == 3 && length > 0) {
    const Point axis = {data[0] / length, data[1] / length, data[2] / length};
    const double c = std::cos(step.angle), s = std::sin(step.angle);
    for (std::size_t i = 0; i < 3; ++i) {  // where the unit vector i goes (Rodrigues)
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      for (std::size_t n = 0; n < 3; ++n) map.axes[i][n] = axis[i] * axis[n] * (1 - c);
      map.axes[i][i] += c;
      map.axes[i][j] += axis[k] * s;
      map.axes[i][k] -= axis[j] * s;
    }
  }
  return map;
}

/// The bits of boxes and the like.
Passes passes_of(unsigned bits) {
  return {(bits & kDriveThrough) != 0, (bits & kShootThrough) != 0, (bits & kBounce) != 0};
}

class Survey {
 public:
  Survey(const GroupWorld& database, std::size_t bytes, ConvertedWorld& out)
      : database_(database), out_(out), work_{std::min(kMostWork, kWorkAtOnce + kWorkPerByte * bytes)} {
    for (const Group& group : database_.groups) groups_[group.name].push_back(&group);
  }

  void run() {
    add(database_.world);
    for (const WorldLink& link : database_.links) add(link);
    out_.cut = out_.cut || work_.left == 0;  // what is divided further takes the rest
    shapes_.write(out_.world, kMostSolids);
    out_.left_out = out_.world.left_out();
  }

 private:
  void add(const Group& group) {
    for (const Wall& wall : group.walls) add(wall);
    for (const Box& box : group.boxes) add(box, words::Solid::BOX);
    for (const Box& box : group.pyramids) add(box, words::Solid::PYRAMID);
    for (const Base& base : group.bases) add(base);
    for (const Teleporter& teleporter : group.teleporters) add(teleporter);
    add_shapes(group, Affine(), 0);
    for (const Instance& instance : group.instances) add(instance, Affine(), 0, 0);
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
    for (std::size_t from = 0; from < faces_.size() && work_.left > 0; ++from) {
      if (!is(from, link.from)) continue;
      for (std::size_t to = 0; to < faces_.size() && work_.left > 0; ++to) {
        if (!is(to, link.to)) continue;
        if (out_.world.links_size() >= kMostLinks) return void(out_.cut = true);
        words::Link& one = *out_.world.add_links();
        one.set_from(static_cast<std::uint32_t>(from));
        one.set_to(static_cast<std::uint32_t>(to));
      }
    }
  }

  // -- Copies of groups, and shapes -------------------------------------------------------------------------------

  /// `bits`: what all copies around this one let pass.
  void add(const Instance& instance, const Affine& outer, unsigned bits, int depth) {
    if (depth >= kDeepestGroup || !work_.take(1 + instance.group.size() / kNameAStep)) return;
    const Affine map = outer.after(map_of(instance.transform, 0));
    bits |= instance.bits >> 4U & (kDriveThrough | kShootThrough);
    if ((instance.bits & 64U) != 0) bits |= kBounce;
    // c_str(): the name ends at its first NUL. NOLINTNEXTLINE(readability-redundant-string-cstr)
    const auto named = groups_.find(std::string_view(instance.group.c_str()));
    if (named == groups_.end()) return;
    for (const Group* one : named->second) {
      if (!work_.take()) return;
      const Group& group = *one;
      for (const Box& box : group.boxes) add(box, map, bits, words::Solid::BOX);
      for (const Box& box : group.pyramids) add(box, map, bits, words::Solid::PYRAMID);
      for (const Base& base : group.bases) add(base.box, map, bits, words::Solid::BOX);
      add_shapes(group, map, bits);
      for (const Instance& inner : group.instances) add(inner, map, bits, depth + 1);
    }
  }

  /// A box or pyramid of a copy. One that stands upright stays what it is.
  void add(const Box& box, const Affine& map, unsigned bits, words::Solid::Shape shape) {
    if (!work_.take()) return;
    bits |= box.bits;
    const Point half = point_of(box.size), at = point_of(box.pos);
    Affine turn;
    turn.axes[0] = {std::cos(box.angle), std::sin(box.angle), 0};
    turn.axes[1] = {-std::sin(box.angle), std::cos(box.angle), 0};
    turn.shift = at;
    const Affine whole = map.after(turn);
    if (!whole.upright()) {
      if (shape == words::Solid::PYRAMID)
        return shapes_.add_pyramid(half, box.angle, at, (bits & kUpsideDown) != 0, map, passes_of(bits));
      return shapes_.add_box(half, box.angle, at, map, passes_of(bits));
    }
    words::Solid* one = solid();
    if (one == nullptr) return;
    const auto& [x, y, z] = whole.axes;
    const float height = static_cast<float>(half[2] * z[2]);
    if (height < 0 && shape == words::Solid::PYRAMID) bits ^= kUpsideDown;
    one->set_shape(shape);
    const auto scaled = [&](double size, const Point& axis) {
      return static_cast<float>(std::abs(size) * std::hypot(axis[0], axis[1]));
    };
    place(*one,
          {static_cast<float>(whole.shift[0]), static_cast<float>(whole.shift[1]),
           static_cast<float>(whole.shift[2]) + std::min(height, 0.0F)},
          {scaled(half[0], x), scaled(half[1], y), std::abs(height)}, static_cast<float>(std::atan2(x[1], x[0])),
          static_cast<std::uint8_t>(bits));
  }

  void add_shapes(const Group& group, const Affine& map, unsigned bits) {
    for (const Mesh& mesh : group.meshes) {
      if (work_.left == 0) return;
      add(mesh, map, bits);
    }
    for (const Arc& arc : group.arcs) {
      if (work_.left == 0) return;
      shapes_.add_arc(half_of(arc.size), arc.angle, arc.sweep, arc.ratio, arc.divisions, point_of(arc.pos),
                      map.after(map_of(arc.transform, 0)), passes_of(bits | bits_of(arc.state, 16)));
    }
    for (const Cone& cone : group.cones) {
      if (work_.left == 0) return;
      shapes_.add_cone(half_of(cone.size), cone.angle, cone.sweep, cone.divisions, point_of(cone.pos),
                       map.after(map_of(cone.transform, 0)), passes_of(bits | bits_of(cone.state, 16)));
    }
    for (const Sphere& sphere : group.spheres) {
      if (work_.left == 0) return;
      shapes_.add_sphere(half_of(sphere.size), sphere.angle, (sphere.state & 16U) != 0, sphere.divisions,
                         point_of(sphere.pos), map.after(map_of(sphere.transform, 0)),
                         passes_of(bits | bits_of(sphere.state, 32)));
    }
    for (const Tetra& tetra : group.tetras) {
      if (work_.left == 0) return;
      add(tetra, map, bits);
    }
  }

  static unsigned bits_of(std::uint8_t state, unsigned bounce) {
    return (state & (kDriveThrough | kShootThrough)) | ((state & bounce) != 0 ? kBounce : 0U);
  }
  static Point half_of(const Vec3& size) { return {std::abs(size[0]), std::abs(size[1]), std::abs(size[2])}; }

  /// Each set of faces that are connected by their corners is a part.
  void add(const Mesh& mesh, const Affine& map, unsigned bits) {
    if (!work_.take(1 + mesh.vertices.size() + mesh.faces.size())) return;
    const unsigned all = bits | bits_of(mesh.state, 32);
    std::vector<std::size_t> root(mesh.vertices.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t vertex) {
      while (root[vertex] != vertex) vertex = root[vertex] = root[root[vertex]];
      return vertex;
    };
    const auto known = [&](Index index) { return static_cast<std::size_t>(index) < mesh.vertices.size(); };
    std::map<Vec3, std::size_t> same;  // vertices at one place are one
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
      if (std::isfinite(mesh.vertices[i][0] + mesh.vertices[i][1] + mesh.vertices[i][2]))
        root[i] = same.emplace(mesh.vertices[i], i).first->second;
    std::vector<const Face*> faces;
    for (const Face& face : mesh.faces) {
      if (face.vertices.size() < 3 || !work_.take(face.vertices.size())) continue;
      if (!std::all_of(face.vertices.begin(), face.vertices.end(), known)) continue;
      for (const Index index : face.vertices)
        root[find(static_cast<std::size_t>(index))] = find(static_cast<std::size_t>(face.vertices[0]));
      faces.push_back(&face);
    }
    std::map<std::size_t, std::vector<Shapes::Face>> parts;
    for (const Face* face : faces) {
      Shapes::Face& made = parts[find(static_cast<std::size_t>(face->vertices[0]))].emplace_back();
      for (const Index index : face->vertices)
        made.corners.push_back(map(point_of(mesh.vertices[static_cast<std::size_t>(index)])));
      made.passes = passes_of(all | (face->state >> 2U & 3U) | ((face->state & 64U) != 0 ? kBounce : 0U));
    }
    for (auto& [first, part] : parts) shapes_.add(std::move(part));
  }

  void add(const Tetra& tetra, const Affine& outer, unsigned bits) {
    if (!work_.take(12)) return;
    const Affine map = outer.after(map_of(tetra.transform, 0));
    std::vector<Shapes::Face> part;
    for (const auto& [a, b, c] : {std::array{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}) {
      Shapes::Face& face = part.emplace_back();
      for (const int corner : {a, b, c})
        face.corners.push_back(map(point_of(tetra.vertices[static_cast<std::size_t>(corner)])));
      face.passes = passes_of(bits | bits_of(tetra.state, 4));
    }
    shapes_.add(std::move(part));
  }

  /// All steps of a transform, one after another.
  Affine map_of(const Transform& transform, int depth) {
    Affine map;
    for (const TransformStep& step : transform.steps) {
      if (!work_.take()) return map;
      if (step.type != 4)
        map = bzflag::map_of(step).after(map);
      else if (const auto index = static_cast<std::size_t>(step.index);
               index < database_.transforms.size() && depth < kDeepestGroup)
        map = map_of(database_.transforms[index], depth + 1).after(map);
    }
    return map;
  }

  bool is(std::size_t face, std::string_view pattern) {
    return matches(pattern, faces_[face].number, work_.left) || matches(pattern, faces_[face].name, work_.left);
  }

  struct FaceNames {
    std::string number, name;
  };

  const GroupWorld& database_;
  ConvertedWorld& out_;
  std::map<std::string_view, std::vector<const Group*>> groups_;
  std::vector<FaceNames> faces_;
  Work work_;
  Shapes shapes_{work_};
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
