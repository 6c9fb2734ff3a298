// How a Panic client is greeted. Law: state, ammunition, every piece, start, in this order and once: the released
// client ends in an error on any other.
#include <algorithm>

#include "adapters/panic/ground.h"
#include "adapters/panic/screen.h"

namespace entente::panic {
namespace {

constexpr std::size_t kMostTanks = 255;  // what a byte counts
constexpr int kShownAside = 32;          // tiles a side of the map that stands for worlds that are none of Panic's
constexpr MapNumber kStandIn = {2, 1};

/// A grid over somebody else's world: its larger side is as many tiles as the map that stands for it.
Tiles laid_over(const words::World* world) {
  if (world == nullptr || !(world->east() > world->west()) || !(world->north() > world->south()))
    return {kShownAside, kShownAside};
  const double side = std::max(world->east() - world->west(), world->north() - world->south()) / kShownAside;
  return {kShownAside, kShownAside, side, (world->east() + world->west()) / 2, (world->north() + world->south()) / 2};
}

bool is_tiled(const words::World& world) {
  return world.kind() == words::World::TILES && world.columns() - 1 < 255 && world.rows() - 1 < 255;
}

/// The number of the map that the world is, if it is one of Panic's.
std::optional<MapNumber> map_of(const words::World* world) {
  return world != nullptr && is_tiled(*world) ? map_named(world->name()) : std::nullopt;
}

}  // namespace

void Screen::greet(std::uint16_t number, bool watcher, Out& out) {
  forget_all();
  take_map(out.world());
  take_units(watcher, out);
  greeted_ = true;
  send(state_of(number, out), kGameState, out);
  if (!ammo_) ammo_ = watcher ? 0 : kFullAmmo;
  ammo_told_ = ammo_;
  tell_event(kUpdateAmmo, Direction::kNone, *ammo_, std::nullopt, out);
  tell_pieces(out);
  if (!watcher) tell_event(kGameStart, Direction::kNone, 0, std::nullopt, out);
  send_counters(out);
}

/// What is built is told after it, once more if it is the same world.
void Screen::take_world(const words::World& world, Out& out) {
  masonry_.lay(world, laid_over(&world));
  if (!greeted_ || same_game_) return;
  tiles_ = tiles_of(&world);
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
  waiting_.clear();
  litter_.clear();
  over_told_ = false;
  pace_.start_again();
}

void Screen::take_map(const core::World& world) {
  same_game_ = world.room().game() == "panic";
  const MapNumber map = map_of(world.geometry()).value_or(kStandIn);
  map_ = map.id;
  map_version_ = map.version;
  tiles_ = tiles_of(world.geometry());
}

/// Those of the map that the client shows, if it is this world's; else a grid laid over it.
Tiles Screen::tiles_of(const words::World* world) const {
  const auto map = map_of(world);
  if (!map || map->id != map_ || map->version != map_version_) return laid_over(world);
  return {static_cast<int>(world->columns()), static_cast<int>(world->rows())};
}

/// Numbers in the order of ids, which is that in which they were met.
void Screen::take_units(bool watcher, Out& out) {
  look_about(core::Litter::kMost, out);
  const auto shown = [&](const core::UnitState& state) { return shows(state.unit, out); };
  for (const core::Id id : out.world().sorted_units(shown)) piece_for(id);
  const core::PlayerState* me = out.world().player(out.me());
  if (watcher || me == nullptr) return;
  for (const core::Id id : me->units)
    if (const auto at = index_of_.find(id); at != index_of_.end())
      pieces_[at->second].own = out.world().unit(id)->unit.alive();
}

GameState Screen::state_of(std::uint16_t number, Out& out) const {
  GameState state;
  state.map = map_;
  state.map_version = map_version_;
  state.player = number;
  const core::PlayerState* me = out.world().player(out.me());
  for (const core::Id unit : me != nullptr ? me->units : std::vector<core::Id>()) {
    const auto at = index_of_.find(unit);
    if (at != index_of_.end() && pieces_[at->second].own && state.tanks.size() < kMostTanks)
      state.tanks.push_back(static_cast<std::uint32_t>(at->second + 1));
  }
  state.tank_count = static_cast<std::uint8_t>(state.tanks.size());
  return state;
}

/// Row by row, as the released server does.
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
  for (int y = 0; y < masonry_.tiles().rows(); ++y)
    for (int x = 0; x < masonry_.tiles().columns(); ++x)
      if (masonry_.stands({x, y})) look_at_wall({x, y}, out);
}

}  // namespace entente::panic
