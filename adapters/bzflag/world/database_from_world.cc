// Makes the database of a world of any game: see world_conversions.h.
// Invariant: it has at most so many obstacles as are read from one; the others are counted.
#include <algorithm>

#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/world/world_conversions.h"
#include "proxy/core/gameplay/tank.h"

namespace entente::bzflag {
namespace {

constexpr unsigned kOpen = words::SHOTS_PASS | words::UNITS_PASS;

// As many as are read from a database.
constexpr std::size_t kMostObstacles = 20'000;
constexpr std::size_t kMostOfKind = 1'024, kMostWays = 4'096;  // bases, teleporters; links between their faces

Box box_of(const words::Solid& solid) {
  Box box;
  box.pos = vec3(solid.x(), solid.y(), solid.z());
  box.size = vec3(solid.half_x(), solid.half_y(), solid.height());
  box.angle = static_cast<float>(solid.yaw());
  box.bits = static_cast<std::uint8_t>((solid.units_pass() ? 1 : 0) | (solid.shots_pass() ? 2 : 0) |
                                       (solid.shots_bounce() ? 8 : 0) | (solid.upside_down() ? 4 : 0));
  return box;
}

void add_solid(const words::Solid& solid, Group& group) {
  switch (solid.shape()) {
    case words::Solid::PYRAMID:
      group.pyramids.push_back(box_of(solid));
      break;
    case words::Solid::WALL_FACE: {
      Wall wall;
      wall.pos = vec3(solid.x(), solid.y(), solid.z());
      wall.angle = static_cast<float>(solid.yaw());
      wall.half_width = static_cast<float>(solid.half_y());
      wall.height = static_cast<float>(solid.height());
      group.walls.push_back(wall);
      break;
    }
    default:
      group.boxes.push_back(box_of(solid));
  }
}

/// Merges tiles of one kind into few boxes, greedily: first eastwards, then southwards.
class Tiling {
 public:
  Tiling(const words::World& world, Group& group)
      : world_(world),
        group_(group),
        columns_(world.columns()),
        rows_(columns_ != 0 ? static_cast<unsigned>(world.tiles().size()) / columns_ : 0),
        done_(static_cast<std::size_t>(columns_) * rows_) {}

  /// Returns how many boxes are left out.
  std::size_t run() {
    std::size_t left_out = 0;
    for (unsigned row = 0; row < rows_; ++row)
      for (unsigned column = 0; column < columns_; ++column) {
        if (done_[row * columns_ + column] || tile(column, row) == kOpen) continue;
        if (group_.boxes.size() < kMostObstacles)
          add_from(column, row);
        else
          ++left_out;
      }
    return left_out;
  }

 private:
  unsigned tile(unsigned column, unsigned row) const {
    return static_cast<std::uint8_t>(world_.tiles()[row * columns_ + column]) & kOpen;
  }
  bool free(unsigned column, unsigned row, unsigned kind) const {
    return !done_[row * columns_ + column] && tile(column, row) == kind;
  }
  void add_from(unsigned column, unsigned row) {
    const unsigned kind = tile(column, row);
    unsigned end = column, bottom = row;
    while (end < columns_ && free(end, row, kind)) ++end;
    const auto whole = [&](unsigned line) {
      for (unsigned i = column; i < end; ++i)
        if (!free(i, line, kind)) return false;
      return true;
    };
    while (bottom < rows_ && whole(bottom)) ++bottom;
    for (unsigned y = row; y < bottom; ++y)
      for (unsigned x = column; x < end; ++x) done_[y * columns_ + x] = true;
    add_box(column, row, end, bottom, kind);
  }
  void add_box(unsigned left, unsigned top, unsigned right, unsigned bottom, unsigned kind) {
    const double side_x = (world_.east() - world_.west()) / columns_,
                 side_y = (world_.north() - world_.south()) / rows_;
    Box box;
    box.pos = vec3(world_.west() + (left + right) * side_x / 2, world_.north() - (top + bottom) * side_y / 2, 0);
    box.size = vec3((right - left) * side_x / 2, (bottom - top) * side_y / 2,
                    kind == words::SHOTS_PASS ? core::kWaterHeight : core::kTileHeight);
    box.bits = kind == words::UNITS_PASS ? 1 : 0;
    group_.boxes.push_back(box);
  }

  const words::World& world_;
  Group& group_;
  unsigned columns_, rows_;
  std::vector<bool> done_;
};

}  // namespace

std::string face_name(std::uint32_t face) { return "/t" + std::to_string(face / 2) + (face % 2 == 0 ? ":f" : ":b"); }

Database database_of(const words::World& world, std::size_t dialect, const GameSettings& settings, std::size_t most) {
  GroupWorld database;
  Group& group = database.world;
  Database out;
  /// Adds the first ones of a list; the others are counted.
  const auto add_first = [&](const auto& list, std::size_t count, auto&& add) {
    const auto size = static_cast<std::size_t>(list.size());
    for (std::size_t i = 0; i < std::min(size, count); ++i) add(list.Get(static_cast<int>(i)));
    out.left_out += size - std::min(size, count);
  };
  add_first(world.solids(), kMostObstacles, [&](const words::Solid& solid) { add_solid(solid, group); });
  add_first(world.bases(), kMostOfKind, [&](const words::Base& base) {
    group.bases.push_back({static_cast<std::uint16_t>(wire_team(base.team(), 0)), box_of(base.solid())});
  });
  add_first(world.teleporters(), kMostOfKind, [&](const words::Teleporter& teleporter) {
    const Box frame = box_of(teleporter.frame());
    const std::string name = "/t" + std::to_string(group.teleporters.size());
    group.teleporters.push_back(
        {name, frame.pos, frame.angle, frame.size, static_cast<float>(teleporter.border()), 0, frame.bits});
  });
  add_first(world.links(), kMostWays, [&](const words::Link& link) {
    database.links.push_back({face_name(link.from()), face_name(link.to())});
  });
  if (world.kind() == words::World::TILES) out.left_out += Tiling(world, group).run();
  if (group.walls.empty())
    for (const auto& wall : core::walls_around(world)) add_solid(wall, group);
  if (kDialects[dialect].grouped_world) {
    write_world(database, dialect, out.bytes);
    return out;
  }
  std::size_t no_room = 0;
  write_world(records_of(database, settings, dialect, most, no_room), dialect, out.bytes);
  out.left_out += no_room;
  return out;
}

}  // namespace entente::bzflag
