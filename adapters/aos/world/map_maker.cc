#include "adapters/aos/world/map_maker.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>

namespace entente::aos {
namespace {

// Each takes about a millisecond.
constexpr std::size_t kBytesAStep = 32768;
constexpr std::uint32_t kRowsAStep = 8;

/// Identifies a world by its whole content.
struct WorldKey {
  std::string hash;
  std::size_t size = 0;
  std::uint32_t crc = 0;
  friend bool operator==(const WorldKey&, const WorldKey&) = default;
};

WorldKey key_of(const words::World& world) {
  const std::string all = world.SerializeAsString();
  const auto* bytes = reinterpret_cast<const Bytef*>(all.data());
  return {world.hash(), all.size(), static_cast<std::uint32_t>(crc32_z(0, bytes, all.size()))};
}

}  // namespace

MapMaker::MapMaker(const words::World& world) : stage_(Stage::kLaying) {
  if (world.kind() == words::World::VOXELS && !world.voxels().empty()) {
    stage_ = Stage::kReading;
    voxels_ = world.voxels();
  } else {
    builder_ = std::make_unique<VoxelBuilder>(world);
  }
}

bool MapMaker::work(std::size_t piece) {
  while (!ready() && pieces_ < piece) work();
  return ready() && piece >= pieces_;
}

bool MapMaker::work() {
  if (!ready()) ++pieces_;
  if (stage_ == Stage::kReading)
    read();
  else if (stage_ == Stage::kLaying)
    stage_ = builder_->work() ? Stage::kPacking : Stage::kLaying;
  else if (stage_ == Stage::kPacking)
    pack();
  return ready();
}

/// Packs the map unchanged, and parses it to check it: an invalid map would leave clients in the void, or worse.
void MapMaker::read() {
  const Bytes all(reinterpret_cast<const std::uint8_t*>(voxels_.data()), voxels_.size());
  const Bytes piece = all.subspan(done_, std::min(kBytesAStep, all.size() - done_));
  const bool bad = !piece.empty() && (reader_.complete() || reader_.feed(piece));
  packer_.feed(piece);
  done_ += piece.size();
  if (!bad && done_ < all.size()) return;
  if (!bad && reader_.complete()) {
    packer_.finish();
    given_ = reader_.take();
    stage_ = Stage::kReady;
  } else {
    broken_ = true;
    packer_.restart();
    builder_ = std::make_unique<VoxelBuilder>(words::World());
    stage_ = Stage::kLaying;
    done_ = 0;
  }
  free_memory(voxels_);
}

/// The solid voxels of a column that no air touches; their colour is never visible.
std::uint64_t MapMaker::hidden(std::uint32_t x, std::uint32_t y) const {
  const VoxelMap& map = builder_->map();
  const std::uint64_t solid = map.column(x, y);
  std::uint64_t covered = solid & solid << 1U & (solid >> 1U | 1ULL << 63U);  // above the sky is air
  if (x > 0) covered &= map.column(x - 1, y);
  if (x + 1 < kMapSize) covered &= map.column(x + 1, y);
  if (y > 0) covered &= map.column(x, y - 1);
  if (y + 1 < kMapSize) covered &= map.column(x, y + 1);
  return covered;
}

void MapMaker::pack() {
  row_.clear();
  const auto first = static_cast<std::uint32_t>(done_), end = std::min(first + kRowsAStep, kMapSize);
  std::array<VoxelColour, kMapHeight> colours{};
  for (std::uint32_t y = first; y < end; ++y)
    for (std::uint32_t x = 0; x < kMapSize; ++x) {
      const std::uint64_t solid = builder_->map().column(x, y), seen = solid & ~hidden(x, y);
      std::size_t count = 0;
      for (std::uint64_t left = seen; left != 0; left &= left - 1)
        colours[count++] = builder_->colour(x, y, static_cast<std::uint32_t>(std::countr_zero(left)));
      write_column(solid, seen, std::span(colours).first(count), row_);
    }
  packer_.feed(row_);
  done_ = end;
  if (end < kMapSize) return;
  packer_.finish();
  free_memory(row_);
  stage_ = Stage::kReady;
}

VoxelColour MapMaker::colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
  return given_ ? given_->colour(x, y, z).value_or(0) : builder_->colour(x, y, z);
}

std::shared_ptr<MapMaker> maker_of(const std::shared_ptr<const words::World>& world) {
  struct Made {
    WorldKey key;
    std::weak_ptr<const words::World> world;  // the last one with this key
    std::weak_ptr<MapMaker> maker;
  };
  thread_local std::vector<Made> made;
  thread_local std::shared_ptr<MapMaker> last;  // kept for the next client
  std::erase_if(made, [](const Made& one) { return one.maker.expired(); });
  for (const Made& one : made)
    if (one.world.lock() == world) return last = one.maker.lock();
  const WorldKey key = key_of(*world);
  for (Made& one : made)
    if (one.key == key) {
      one.world = world;
      return last = one.maker.lock();
    }
  last = std::make_shared<MapMaker>(*world);
  made.push_back({key, world, last});
  return last;
}

}  // namespace entente::aos
