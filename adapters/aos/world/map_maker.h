// A world of words made ready for clients: its blocks, and the stream of them that travels.
// Law: work comes in pieces of about a millisecond, once a world, for all rooms of a worker that play in it; a map that
// came as a map goes out byte for byte.
#pragma once

#include <memory>
#include <optional>

#include "adapters/aos/world/landscape.h"
#include "adapters/aos/world/map_stream.h"

namespace entente::aos {

class MapMaker {
 public:
  explicit MapMaker(const words::World& world);

  /// About a millisecond of it. True: it is ready.
  bool work();
  bool ready() const { return stage_ == Stage::kReady; }

  /// REQUIRES for all: ready().
  const Buffer& stream() const { return packer_.stream(); }
  std::uint32_t raw_size() const { return static_cast<std::uint32_t>(packer_.raw_size()); }
  std::uint32_t crc32() const { return packer_.crc32(); }
  const VoxelMap& map() const { return given_ ? *given_ : land_->map(); }
  VoxelColour colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;
  /// It came as a map.
  bool given() const { return given_.has_value(); }

  /// What of the world is not in the map.
  std::size_t left_out() const { return land_ ? land_->left_out() : 0; }
  /// It came as a map that is none: this is an open field.
  bool broken() const { return broken_; }

 private:
  enum class Stage : std::uint8_t { kReading, kLaying, kPacking, kReady };
  void read();
  void pack();
  std::uint64_t hidden(std::uint32_t x, std::uint32_t y) const;

  Stage stage_;
  bool broken_ = false;
  std::string voxels_;
  VxlReader reader_;
  std::size_t done_ = 0;  // bytes read, or rows packed
  std::optional<VoxelMap> given_;
  std::unique_ptr<Landscape> land_;
  MapPacker packer_;
  Buffer row_;
};

/// The maker of that world's map: an earlier one if it was made on this thread, and somebody plays there or it was the
/// last. Several rooms hold it, and none of them is its owner: the reason for a shared pointer.
std::shared_ptr<MapMaker> maker_of(const words::World& world);

}  // namespace entente::aos
