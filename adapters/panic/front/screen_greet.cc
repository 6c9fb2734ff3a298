// Greets a Panic client. Invariant: state, ammunition, every piece, start, in this order and once. The released client
// fails on anything else.
#include <algorithm>
#include <tuple>
#include <vector>

#include "adapters/panic/front/screen.h"
#include "adapters/panic/wire/dialect.h"
#include "adapters/panic/wire/drops.h"
#include "adapters/panic/world/ground.h"

namespace entente::panic {
namespace {

constexpr std::size_t kMostTanks = 255;  // as many as a byte can count
constexpr std::size_t kMostWalls = 400;  // a client takes seven seconds to read them
constexpr int kShownAside = 32;          // tiles a side of the map that stands for worlds of other games
constexpr MapNumber kStandIn = {2, 1};

/// A grid over a world of another game: its larger side has as many tiles as the map that stands for it.
Tiles laid_over(const words::World* world) {
  if (world == nullptr || !(world->east() > world->west()) || !(world->north() > world->south()))
    return {kShownAside, kShownAside};
  const double side = std::max(world->east() - world->west(), world->north() - world->south()) / kShownAside;
  return {kShownAside, kShownAside, side, (world->east() + world->west()) / 2, (world->north() + world->south()) / 2};
}

bool is_tiled(const words::World& world) {
  return world.kind() == words::World::TILES && world.columns() - 1 < 255 && world.rows() - 1 < 255;
}

/// The number of the map, if the world is one of Panic's.
std::optional<MapNumber> map_of(const words::World* world) {
  return world != nullptr && is_tiled(*world) ? map_named(world->name()) : std::nullopt;
}

}  // namespace

void Screen::greet(std::uint16_t number, bool watcher, Out& out) {
  forget_all();
  take_map(out);
  take_units(watcher, out);
  const auto watchers_tank = watcher ? std::optional(new_piece()) : std::nullopt;
  greeted_ = true;
  send(state_of(number, watchers_tank, out), kGameState, out);
  if (!ammo_) ammo_ = watcher ? 0 : kFullAmmo;
  ammo_told_ = ammo_;
  tell_event(kUpdateAmmo, Direction::kNone, *ammo_, std::nullopt, out);
  tell_walls(first_look(out), out);
  tell_pieces(out);
  if (watchers_tank) tell_thing(*watchers_tank, kFirstTank, 0, first_look(out), out);
  tell_event(kGameStart, Direction::kNone, 0, std::nullopt, out);
  if (watchers_tank) tell_event(kDestroy, Direction::kNone, 0, watchers_tank, out);
  send_counters(out);
}

/// The tile that the client shows first: that of the player's own tank, else of any player in play, else the middle.
Tile Screen::first_look(const Out& out) const {
  if (const core::UnitState* me = out.world().active_unit(out.me()))
    return tiles_.at(me->unit.pose().x(), me->unit.pose().y());
  for (const Piece& piece : pieces_) {
    const core::UnitState* state = out.world().unit(piece.unit);
    if (state == nullptr || state->unit.owner() == 0 || !state->unit.alive() || state->hidden) continue;
    return tiles_.at(state->unit.pose().x(), state->unit.pose().y());
  }
  return {tiles_.columns() / 2, tiles_.rows() / 2};
}

/// Takes another world. Edits follow the world, even if it is the same world again.
void Screen::take_world(Out& out) {
  const words::World* world = out.world().geometry();
  if (world == nullptr) return;
  masonry_.lay(*world, laid_over(world));
  if (!greeted_ || same_game_) return;
  tiles_ = tiles_of(world);
  lay_walls(out);
  add_walls(out);
  for (Index i = 0; i < pieces_.size(); ++i) waits(i);
  if (!waiting_.empty()) out.wake(out.now());
}

void Screen::forget_all() {
  greeted_ = false;
  pieces_.clear();
  index_of_.clear();
  index_of_token_.clear();
  index_of_wall_.clear();
  free_.clear();
  own_.clear();
  looks_for_gone_ = false;
  waiting_.clear();
  pellets_.clear();
  over_told_ = false;
  pace_.start_again();
}

void Screen::take_map(Out& out) {
  const core::WorldState& world = out.world();
  same_game_ = world.room().game() == kGameName;
  const MapNumber map = map_of(world.geometry()).value_or(kStandIn);
  map_ = map.id;
  map_version_ = map.version;
  tiles_ = tiles_of(world.geometry());
  lay_walls(out);
}

/// Finds the walls of a world of another game. Maps of Panic have theirs in the client's picture.
void Screen::lay_walls(Out& out) {
  const core::WorldState& world = out.world();
  const bool has_walls = world.geometry() != nullptr && !same_game_ && !map_of(world.geometry());
  walls_ = has_walls ? walls_of(world.shared_geometry(), tiles_) : std::make_shared<const Walls>();
  picture_ = nullptr;
  if (!has_walls) return;
  if (walls_->left_out() != 0) out.drop(drops::kObstaclesFull);
  for (const Ground& picture : pictures_->grounds)
    if (picture.id() == map_ && picture.version() == map_version_) picture_ = &picture;
}

/// Adds the walls that this world has and the one before it had not.
void Screen::add_walls(Out& out) {
  const auto stays = [&](const auto& wall) { return shows_wall(pieces_[wall.second].at); };
  auto shown = static_cast<std::size_t>(std::count_if(index_of_wall_.begin(), index_of_wall_.end(), stays));
  for (Tile tile; tile.y < tiles_.rows(); ++tile.y)
    for (tile.x = 0; tile.x < tiles_.columns(); ++tile.x) {
      if (!shows_wall(tile) || index_of_wall_.contains(index_of(tile))) continue;
      if (shown++ >= kMostWalls) return out.drop(drops::kWallsFull);
      wall_at(tile);
    }
}

/// Creates the walls, the nearest first, and before all units, because a client draws the newest piece on top.
void Screen::tell_walls(Tile from, Out& out) {
  std::vector<Tile> walls;
  for (Tile tile; tile.y < tiles_.rows(); ++tile.y)
    for (tile.x = 0; tile.x < tiles_.columns(); ++tile.x)
      if (shows_wall(tile)) walls.push_back(tile);
  const auto far = [&](Tile tile) {
    const int east = tile.x - from.x, south = tile.y - from.y;
    return std::tuple(east * east + south * south, tile.y, tile.x);
  };
  std::sort(walls.begin(), walls.end(), [&](Tile a, Tile b) { return far(a) < far(b); });
  if (walls.size() > kMostWalls) {
    out.drop(drops::kWallsFull);
    walls.resize(kMostWalls);
  }
  for (const Tile tile : walls) {
    const Index index = wall_at(tile);
    pieces_[index].there = true;
    tell_thing(index, kFirstPiece, 1, tile, out);
  }
  pace_.owe(out.now(), walls.size());
}

/// The tiles of the client's map if the world is that map, else a grid over the world.
Tiles Screen::tiles_of(const words::World* world) const {
  const auto map = map_of(world);
  if (!map || map->id != map_ || map->version != map_version_) return laid_over(world);
  return {static_cast<int>(world->columns()), static_cast<int>(world->rows())};
}

/// Numbers the units in the order of their ids, which is the order in which they appeared.
void Screen::take_units(bool watcher, Out& out) {
  refresh_pellets(core::NearestPellets::kMost, out);
  const auto shown = [&](const core::UnitState& state) { return shows(state.unit, out); };
  for (const core::Id id : out.world().sorted_units(shown)) piece_for(id);
  const core::PlayerState* me = out.world().player(out.me());
  if (watcher || me == nullptr) return;
  for (const core::Id id : me->units) {
    const auto at = index_of_.find(id);
    if (at == index_of_.end() || !out.world().unit(id)->unit.alive() || own_.size() >= kMostTanks) continue;
    pieces_[at->second].own = true;
    own_.push_back(at->second);
  }
  std::sort(own_.begin(), own_.end());
}

GameState Screen::state_of(std::uint16_t number, std::optional<Index> watchers_tank, Out& out) const {
  GameState state;
  state.map = map_;
  state.map_version = map_version_;
  state.player = number;
  const core::PlayerState* me = out.world().player(out.me());
  for (const core::Id unit : me != nullptr ? me->units : std::vector<core::Id>()) {
    const auto at = index_of_.find(unit);
    if (at != index_of_.end() && pieces_[at->second].own)
      state.tanks.push_back(static_cast<std::uint32_t>(at->second + 1));
  }
  if (watchers_tank) state.tanks.push_back(static_cast<std::uint32_t>(*watchers_tank + 1));
  state.tank_count = static_cast<std::uint8_t>(state.tanks.size());
  return state;
}

/// Creates the pieces row by row, as the released server does.
void Screen::tell_pieces(Out& out) {
  struct Place {
    Tile at;
    Index index;
  };
  std::vector<Place> places;
  for (Index i = 0; i < pieces_.size(); ++i) {
    const core::UnitState* state = out.world().unit(pieces_[i].unit);
    if (state == nullptr || state->hidden || !state->unit.alive() || is_covered(state->unit, out)) continue;
    places.push_back({tiles_.at(state->unit.pose().x(), state->unit.pose().y()), i});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(a.at.y, a.at.x, a.index) < std::tuple(b.at.y, b.at.x, b.index);
  });
  for (const Place& place : places) tell_create(place.index, *out.world().unit(pieces_[place.index].unit), out);
  for (const auto& [id, token] : out.world().tokens()) look_at_token(id, out);
}

}  // namespace entente::panic
