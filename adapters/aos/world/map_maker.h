// Prepares a world for clients: its blocks, and the compressed stream that is sent.
// Invariant: work comes in pieces of about a millisecond, once per world for all rooms of a worker. Each client waits
// for as many steps as there are pieces, even if another room has done them already, so that a room does not depend on
// other rooms. A world that came as a voxel map keeps the map's bytes.
#pragma once

#include <memory>
#include <optional>

#include "adapters/aos/world/map_stream.h"
#include "adapters/aos/world/voxel_builder.h"

namespace entente::aos {

class MapMaker {
 public:
  explicit MapMaker(const words::World& world);

  /// Works for about a millisecond. Returns true when the map is ready.
  bool work();
  /// The same, unless another room has done this piece of work already: the first is 1. Returns true if the map is
  /// ready after it.
  bool work(std::size_t piece);
  bool ready() const { return stage_ == Stage::kReady; }

  /// REQUIRES, for all that follow: ready().
  const Buffer& stream() const { return packer_.stream(); }
  std::uint32_t raw_size() const { return static_cast<std::uint32_t>(packer_.raw_size()); }
  std::uint32_t crc32() const { return packer_.crc32(); }
  const VoxelMap& map() const { return given_ ? *given_ : builder_->map(); }
  VoxelColour colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const;
  /// Whether the world came as a voxel map.
  bool given() const { return given_.has_value(); }

  /// How many parts of the world are not in the map.
  std::size_t left_out() const { return builder_ ? builder_->left_out() : 0; }
  /// Whether the world came with an invalid voxel map; the map is then an open field.
  bool broken() const { return broken_; }

 private:
  enum class Stage : std::uint8_t { kReading, kLaying, kPacking, kReady };
  void read();
  void pack();
  std::uint64_t hidden(std::uint32_t x, std::uint32_t y) const;

  Stage stage_;
  std::size_t pieces_ = 0;  // of work done
  bool broken_ = false;
  std::string voxels_;
  VxlReader reader_;
  std::size_t done_ = 0;  // bytes read, or rows packed
  std::optional<VoxelMap> given_;
  std::unique_ptr<VoxelBuilder> builder_;
  MapPacker packer_;
  Buffer row_;
};

/// The maker of this world's map. Reuses a maker of this thread that is in use, or was the last one. The pointer is
/// shared because several rooms use a maker and none of them owns it.
/// REQUIRES: the world is not null, and never changes.
std::shared_ptr<MapMaker> maker_of(const std::shared_ptr<const words::World>& world);

}  // namespace entente::aos
