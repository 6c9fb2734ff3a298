// The client's map: made from the room's world, offered, and sent in chunks.
// Invariant: it is sent as fast as the client reads it, and no faster. In rooms of other games, everything shown later
// is inside this map and above its ground.
#pragma once

#include <memory>
#include <string>

#include "adapters/aos/front/client.h"
#include "adapters/aos/world/map_maker.h"
#include "proxy/core/gameplay/world_wait.h"

namespace entente::aos {

class MapSender {
 public:
  explicit MapSender(Client& client) : client_(client) {}

  /// Does the next step. Returns true once for each map: when all of it has been sent.
  bool load(FrontOut& out);
  /// The client has said whether it has the map already, or one that was offered before. Returns the same as load().
  bool hear_cached(bool cached, FrontOut& out);
  /// Starts over with the room's world.
  void begin(FrontOut& out);

  core::WorldWait& wait() { return wait_; }
  /// Whether the room's world did not come in time, so the client must be refused.
  bool gave_up() const { return gave_up_; }
  /// Whether the client was sent an open field because the world is not known.
  bool guessed() const { return guessed_; }
  bool waits_for_world() const { return stage_ == Stage::kWorld; }
  bool loaded() const { return stage_ == Stage::kLoaded; }
  /// Whether the map was made from `world`.
  bool is_of(const words::World& world) const { return !guessed_ && world.hash() == hash_; }

  // REQUIRES: waits_for_world() is false, and loaded() was true once.
  /// Whether the world came as a voxel map.
  bool given() const { return maker_->given(); }
  const VoxelMap& map() const { return maker_->map(); }
  VoxelColour colour(std::uint32_t x, std::uint32_t y, std::uint32_t z) const { return maker_->colour(x, y, z); }

  /// The eye position at which a unit with this pose is shown. In rooms of other games it is inside the map, and above
  /// blocks that stand where the unit is (a unit may drive under something that blocks cannot show).
  Vec3 stand(const words::Pose& pose, const FrontOut& out) const;

 private:
  enum class Stage : std::uint8_t {
    kWorld,    ///< the world is not known yet
    kMap,      ///< the map is being made
    kOffered,  ///< the client may have it already (map_checksum)
    kSending,
    kLoaded,  ///< all of it has been sent
  };
  void await_world(FrontOut& out);
  bool has_maker(FrontOut& out);
  bool offer(FrontOut& out);
  bool send_chunks(FrontOut& out);

  Client& client_;
  Stage stage_ = Stage::kWorld;
  core::WorldWait wait_;
  core::WaitSigns signs_;
  bool gave_up_ = false, guessed_ = false;
  core::Micros patience_ = 0;        // until when to wait for Map Cached
  std::size_t unanswered_ = 0;       // offered maps for which Map Cached may still come
  core::Micros makes_paid_ = 0;      // how far into the future the maps made so far are paid
  std::shared_ptr<MapMaker> maker_;  // null: not chosen yet
  std::size_t pieces_ = 0;           // of its work that this client has waited for
  std::string hash_;                 // of its world
  std::size_t sent_ = 0;             // bytes of the map
};

}  // namespace entente::aos
