// The map that a client has, or loads: made of the room's world, offered, and sent in chunks.
// Law: as fast as the client takes it, and no faster; what it is told of later stands on the ground of this map.
#pragma once

#include <memory>
#include <string>

#include "adapters/aos/front/client.h"
#include "adapters/aos/world/map_maker.h"

namespace entente::aos {

class Ground {
 public:
  explicit Ground(Client& client) : client_(client) {}

  /// Does whatever is next. True, once for each map: the client has it all.
  bool load(FrontOut& out);
  /// The client says whether it has the map already. The same.
  bool hear_cached(bool cached, FrontOut& out);
  /// Another map.
  void begin(FrontOut& out);

  bool waits_for_world() const { return stage_ == Stage::kWorld; }
  bool loaded() const { return stage_ == Stage::kLoaded; }
  /// It is made of that world.
  bool is_of(const words::World& world) const { return world.hash() == hash_; }

  // REQUIRES: waits_for_world() is over, and loaded() was once.
  /// It came as a map.
  bool given() const { return maker_->given(); }
  const VoxelMap& map() const { return maker_->map(); }
  VoxelColour colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const { return maker_->colour(x, y, z); }

  /// Where a man's eyes are who stands for that unit: in the map, and above whatever blocks were made of what it drives
  /// under.
  Vec3 stand(const words::Pose& pose, const FrontOut& out) const;

 private:
  enum class Stage : std::uint8_t {
    kWorld,    ///< nobody has told which world it is
    kMap,      ///< its map is made
    kOffered,  ///< the client may have it already (map_checksum)
    kSending,
    kLoaded,  ///< the client has it all
  };
  bool offer(FrontOut& out);
  bool send_chunks(FrontOut& out);

  Client& client_;
  Stage stage_ = Stage::kWorld;
  core::Micros patience_ = 0;  // until when the world, or an answer about the map, is waited for
  std::shared_ptr<MapMaker> maker_;
  std::string hash_;      // of its world
  std::size_t sent_ = 0;  // bytes of the map
};

}  // namespace entente::aos
