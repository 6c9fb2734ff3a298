#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "adapters/aos/wire/drops.h"

#include "adapters/aos/front/block_edits.h"

namespace entente::aos {
namespace {

constexpr int kLongestLineOfBlocks = 64;
constexpr std::size_t kMostEditsWaiting = 65'536;  // then the edits of the world are sent instead
/// Bytes of edits and walls for a slow client. Above 64 KiB, it would get no snapshots (snapshot_sender.cc).
constexpr std::size_t kMostBytesWaiting = 48 * 1024;
constexpr std::size_t kEditBytes = 32;  // about, as sent
constexpr core::Micros kEditsOn = 10 * core::kMillisecond;
constexpr std::uint32_t kWallColour = 0x8a8378;
constexpr int kLevelsOfWall = 6;
constexpr std::size_t kMostBricks = 256;
constexpr std::size_t kMostTilesWalled = 16'384;

void set_at(words::Edit& edit, const Block& at) {
  const Point middle = middle_of(at);
  edit.set_x(middle.x);
  edit.set_y(middle.y);
  edit.set_z(middle.z);
}

int length(const Block& from, const Block& to) {
  int most = 0;
  for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(to[i] - from[i]));
  return most + 1;
}

}  // namespace

// -- What our client does --------------------------------------------------------------------------------------------

bool BlockEdits::may_build(const Block& at, FrontOut& out) {
  weapons_.use();
  if (players_.playing() && in_map(at) && at[2] < static_cast<int>(kGround)) return true;
  out.drop(drops::kCannotBuild);
  return false;
}

void BlockEdits::hear(const BlockAction& action, FrontOut& out) {
  if (action.action > kSpadeColumn) return out.drop(drops::kServersAction);
  if (!may_build(action.at, out)) return;
  words::Edit edit;
  edit.set_op(edit_of(action.action));
  set_at(edit, action.at);
  edit.set_colour(profile_.colour());
  out.say(edit);
  const int reach = action.action == kSpadeColumn ? 1 : 0;
  for (int dz = -reach; dz <= reach; ++dz) take_back({action.at[0], action.at[1], action.at[2] + dz}, out);
}

void BlockEdits::hear(const BlockLine& line, FrontOut& out) {
  if (!may_build(line.from, out) || !may_build(line.to, out)) return;
  const int blocks = length(line.from, line.to);
  if (blocks > kLongestLineOfBlocks) return out.drop(drops::kLineTooLong);
  words::Edit edit;
  edit.set_op(words::Edit::LINE);
  set_at(edit, line.from);
  const Point end = middle_of(line.to);
  edit.set_x2(end.x);
  edit.set_y2(end.y);
  edit.set_z2(end.z);
  edit.set_colour(profile_.colour());
  out.say(edit);
  for (int i = 0; i < blocks; ++i) {
    Block at = line.from;
    for (std::size_t k = 0; k < 3; ++k) at[k] += (line.to[k] - line.from[k]) * i / std::max(blocks - 1, 1);
    take_back(at, out);
  }
}

/// Undoes our client's edit in a world that is not made of blocks. A block that it built is dug again in its own name,
/// which gives the block back to it.
void BlockEdits::take_back(const Block& at, FrontOut& out) {
  if (map_.given() || !in_map(at) || at[2] >= static_cast<int>(kGround)) return;
  if (!std::exchange(told_, true)) client_.notice("nothing can be built or dug in this world", out);
  const auto x = static_cast<std::uint32_t>(at[0]), y = static_cast<std::uint32_t>(at[1]),
             z = static_cast<std::uint32_t>(at[2]);
  const bool mapped = map_.map().solid(x, y, z);
  if (!mapped && !is_walled(at, out)) return client_.send(BlockAction{kOwn, kDestroy, at}, out);
  show_colour(kWorldId, mapped ? map_.colour(x, y, z) & 0xffffffU : kWallColour, out);
  client_.send(BlockAction{kWorldId, kBuild, at}, out);
}

/// Whether a wall is shown there that the map does not have.
bool BlockEdits::is_walled(const Block& at, const FrontOut& out) const {
  const words::World* world = out.world().geometry();
  if (walls_.empty() || world == nullptr || world->columns() == 0 || world->rows() == 0) return false;
  const Point middle = middle_of(at);
  const auto tile = tile_at(middle.x, middle.y, out);
  const auto wall = tile ? walls_.find(place_of(*tile)) : walls_.end();
  if (wall == walls_.end() || !wall->second.shown) return false;
  const int ground = wall->second.tile.first[2];
  return at[2] <= ground && at[2] > ground - kLevelsOfWall;
}

// -- What the room says ----------------------------------------------------------------------------------------------

void BlockEdits::hear(const words::WorldEdit& edit, FrontOut& out) {
  if (!map_.loaded()) return;  // the world keeps it
  if (edits_.empty() && due_.empty()) return show_edit(edit, out);
  if (edits_.size() >= kMostEditsWaiting) return take_edits(out);
  edits_.emplace_back(edit);
}

void BlockEdits::show_edit(const words::WorldEdit& word, FrontOut& out) {
  edited_ = true;
  const words::Edit& edit = word.edit();
  const words::World* world = out.world().geometry();
  const bool tile = !map_.given() && world != nullptr && world->columns() != 0 && edit.op() == words::Edit::BUILD;
  if (tile) {
    const auto ground = tile_at(edit.x(), edit.y(), out);
    if (!ground) return out.drop(drops::kEditOutside);
    if (Wall* wall = wall_on(*ground, out)) wall->edited = true;
    return;
  }
  const Block at = block_at({edit.x(), edit.y(), edit.z()}), end = block_at({edit.x2(), edit.y2(), edit.z2()});
  const bool line = edit.op() == words::Edit::LINE;
  if (!in_map(at) || (line && !in_map(end))) return out.drop(drops::kEditOutside);
  const Slot slot = players_.shown_player(word.by()).value_or(kWorldId);
  const bool builds = line || edit.op() == words::Edit::BUILD;
  if (builds && slot != kOwn && edit.colour() != 0) show_colour(slot, edit.colour(), out);
  if (line)
    client_.send(BlockLine{slot, at, end}, out);
  else
    client_.send(BlockAction{slot, action_of(edit.op()), at}, out);
}

/// The tile at a place. None if a client cannot be shown it: it is outside the map, or larger than a line of blocks.
std::optional<BlockEdits::Tile> BlockEdits::tile_at(double x, double y, const FrontOut& out) const {
  const words::World& world = *out.world().geometry();
  const double wide = (world.east() - world.west()) / world.columns(),
               high = (world.north() - world.south()) / world.rows();
  const double inside = kMetresPerBlock / 2;
  const double west = world.west() + std::floor((x - world.west()) / wide) * wide,
               north = world.north() - std::floor((world.north() - y) / high) * high;
  const Block first = block_at({west + inside, north - inside, inside});
  const Block last = block_at({west + wide - inside, north - high + inside, inside});
  if (!in_map(first) || !in_map(last) || length(first, last) > kLongestLineOfBlocks) return std::nullopt;
  return Tile{first, last};
}

/// The wall on a tile. It is shown at once, or later if much waits. Null: there are too many.
BlockEdits::Wall* BlockEdits::wall_on(const Tile& tile, FrontOut& out) {
  const Place place = place_of(tile);
  auto at = walls_.find(place);
  if (at != walls_.end()) return &at->second;
  if (walls_.size() >= kMostTilesWalled) return out.drop(drops::kWallsFull), nullptr;
  at = walls_.emplace(place, Wall{tile}).first;
  if (due_.empty() && has_room(out)) {
    show_wall(at->second, out);
  } else {
    due_.insert(place);
    out.wake(out.now() + kEditsOn);
  }
  return &at->second;
}

void BlockEdits::show_wall(Wall& wall, FrontOut& out) {
  const auto& [first, last] = wall.tile;
  wall.shown = true;
  show_colour(kWorldId, kWallColour, out);
  for (int level = 0; level < kLevelsOfWall; ++level)
    for (int y = first[1]; y <= last[1]; ++y) {
      client_.send(BlockLine{kWorldId, {first[0], y, first[2] - level}, {last[0], y, first[2] - level}}, out);
      sent_ += kEditBytes;
    }
}

/// Shows a brick as a wall on its tile.
void BlockEdits::hear(const words::Unit& unit, FrontOut& out) {
  const words::World* world = out.world().geometry();
  if (unit.kind() != words::Unit::BRICK || !unit.alive() || map_.given() || world == nullptr || world->columns() == 0)
    return;
  const auto tile = tile_at(unit.pose().x(), unit.pose().y(), out);
  if (!tile || bricks_.contains(unit.id())) return;
  if (bricks_.size() >= kMostBricks) return out.drop(drops::kBricksFull);
  Wall* wall = wall_on(*tile, out);
  if (wall == nullptr) return;
  ++wall->bricks;
  bricks_.emplace(unit.id(), *tile);
}

void BlockEdits::hear(const words::Gone& gone, FrontOut& out) {
  const auto at = bricks_.find(gone.unit());
  if (at == bricks_.end()) return;
  const Tile tile = at->second;
  bricks_.erase(at);
  const auto wall = walls_.find(place_of(tile));
  if (wall == walls_.end() || --wall->second.bricks > 0 || wall->second.edited) return;
  if (wall->second.shown) raze_wall(tile, out);
  due_.erase(wall->first);
  walls_.erase(wall);
}

/// Removes a wall by blasts, each of which clears 3 x 3 x 3 blocks. The last blast of a row may overlap the one before
/// it.
void BlockEdits::raze_wall(const Tile& tile, FrontOut& out) {
  const auto& [first, last] = tile;
  for (int level = 1; level < kLevelsOfWall; level += 3)
    for (int y = first[1] + 1; y < last[1] + 2; y += 3)
      for (int x = first[0] + 1; x < last[0] + 2; x += 3)
        client_.send(
            BlockAction{kWorldId, kBlast, {std::min(x, last[0] - 1), std::min(y, last[1] - 1), first[2] - level}}, out);
}

void BlockEdits::show_colour(Slot slot, std::uint32_t colour, FrontOut& out) {
  if (slot != kWorldId) return players_.show_colour(slot, colour, out);
  if (std::exchange(world_colour_, colour) != colour) client_.send(SetColour{slot, wire_colour(colour)}, out);
}

void BlockEdits::catch_up(FrontOut& out) {
  take_edits(out);
  send_on(out);
  for (const core::Id id : out.world().sorted_units()) hear(out.world().unit(id)->unit, out);
}

void BlockEdits::take_edits(const FrontOut& out) {
  edits_.clear();
  out.world().edits().each([&](const core::BlockEdit& edit) { edits_.push_back(edit); });
}

bool BlockEdits::has_room(const FrontOut& out) const { return out.waiting_bytes() + sent_ < kMostBytesWaiting; }

/// Walls come first: an edit may change one.
void BlockEdits::send_on(FrontOut& out) {
  sent_ = 0;
  while (!due_.empty() && has_room(out)) {
    Wall& wall = walls_.at(*due_.begin());
    due_.erase(due_.begin());
    show_wall(wall, out);
  }
  while (due_.empty() && !edits_.empty() && has_room(out)) {
    show_edit(edits_.front().word(), out);
    edits_.pop_front();
    sent_ += kEditBytes;
  }
  if (!due_.empty() || !edits_.empty()) out.wake(out.now() + kEditsOn);
}

void BlockEdits::forget_map() {
  edited_ = told_ = false;
  world_colour_.reset();
  bricks_.clear();
  walls_.clear();
  due_.clear();
  forget_edits();
}

}  // namespace entente::aos
