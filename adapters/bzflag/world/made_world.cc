#include "adapters/bzflag/world/made_world.h"

#include <algorithm>
#include <vector>

#include "proxy/core/world.h"

namespace entente::bzflag {
namespace {

words::World open_field() {
  words::World world;
  core::set_sides(world, 800, 800);
  return world;
}

std::shared_ptr<const MadeWorld> make(const words::World& land, std::size_t dialect, GameSettings settings,
                                      std::size_t most) {
  auto made = std::make_shared<MadeWorld>();
  made->size = size_of(land);
  made->has_voxels = land.kind() == words::World::VOXELS;
  settings.world_size = static_cast<float>(made->size);
  made->database = database_of(land, dialect, settings, most);
  made->hash = world_hash(made->database.bytes, WorldSource::kRandom);
  return made;
}

/// A world, and of what it was made.
struct KeptWorld {
  std::weak_ptr<const words::World> geometry;
  std::size_t dialect = 0;
  GameSettings settings;
  std::size_t most = 0;
  std::shared_ptr<const MadeWorld> made;
};

}  // namespace

std::shared_ptr<const MadeWorld> made_world(const std::shared_ptr<const words::World>& geometry, std::size_t dialect,
                                            const GameSettings& settings, std::size_t most) {
  constexpr std::size_t kQuicklyMade = 4096;  // bytes
  if (geometry == nullptr) return make(open_field(), dialect, settings, most);
  thread_local std::vector<KeptWorld> kept;                 // the last one was asked for last
  const bool are_equal = kDialects[dialect].grouped_world;  // whatever the settings are
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const KeptWorld& one) {
    return one.dialect == dialect && one.most == most && (are_equal || one.settings == settings) &&
           one.geometry.lock() == geometry;
  });
  if (known != kept.end()) {
    std::rotate(known, known + 1, kept.end());
    return kept.back().made;
  }
  auto made = make(core::flattened(*geometry), dialect, settings, most);
  if (geometry->ByteSizeLong() < kQuicklyMade) return made;
  std::erase_if(kept, [](const KeptWorld& one) { return one.geometry.expired(); });
  kept.push_back({geometry, dialect, settings, most, made});
  std::size_t bytes = 0, first = kept.size();
  while (first > 0 && kept.size() - first < kMadeWorlds) {
    bytes += kept[first - 1].made->database.bytes.size();
    if (bytes > kMadeBytes) break;
    --first;
  }
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first));
  return made;
}

}  // namespace entente::bzflag
