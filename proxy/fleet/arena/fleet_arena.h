// What the two sides of a fleet's arena need to know, and what they count.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "adapters/wire/game.h"
#include "proxy/base/limits.h"
#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "proxy/relay/base/texts.h"

namespace entente::fleet {

/// From any thread.
struct ArenaCounts {
  std::atomic<std::uint64_t> refused{0};    ///< messages, or parts of them, that were invalid or from an unknown sender
  std::atomic<std::uint64_t> gaps{0};       ///< times that a message was missed
  std::atomic<std::uint64_t> snapshots{0};  ///< worlds sent or received
  std::atomic<std::uint64_t> players{0};    ///< of the owner: seats of players on all nodes
  std::atomic<std::uint64_t> nodes{0};      ///< of the owner: nodes with which it talks
  std::atomic<std::uint64_t> stored{0};     ///< of the owner: times that the arena was stored for the next owner
  /// Of the owner: facts for some players that were not sent, because NATS would not accept them. For each node.
  std::atomic<std::uint64_t> too_large{0};
};

/// Limits that a reload replaces. Thread-safe.
class SharedLimits {
 public:
  void set(const Limits& limits) {
    const std::lock_guard lock(mutex_);
    limits_ = limits;
  }
  Limits get() const {
    const std::lock_guard lock(mutex_);
    return limits_;
  }

 private:
  mutable std::mutex mutex_;
  Limits limits_;
};

struct FleetArena {
  Bus* bus = nullptr;  ///< outlives the room
  Subjects names{"entente"};
  std::string arena;                                             ///< a token
  std::string node;                                              ///< this node; a token
  std::uint64_t run = 0;                                         ///< this node's (schema/fleet.proto)
  std::uint32_t replicas = 1;                                    ///< of what JetStream stores
  std::function<const wire::Game*(std::string_view)> find_game;  ///< null: unknown
  const relay::SharedTexts* texts = nullptr;                     ///< outlives the room; null: Entente's own texts
  /// Of players on other nodes. Each keeps those with which it came.
  std::shared_ptr<SharedLimits> limits = std::make_shared<SharedLimits>();
  /// Called on a worker's thread when the arena has had no owner for kOwnerless, and when it has one again; may be
  /// null.
  std::function<void(bool has_owner)> told = {};
  /// Called on a worker's thread of the owner when it cannot store the arena for the next owner (`why`: for people),
  /// and when it can again (empty). Not called while there is no connection. May be null.
  std::function<void(const std::string& why)> stores = {};
  std::shared_ptr<ArenaCounts> counts = std::make_shared<ArenaCounts>();
};

inline constexpr std::size_t kMostMessage = 512U << 10U;  ///< bytes; NATS accepts a megabyte
inline constexpr Millis kFactsBeat = 250;                 ///< the owner sends a message at least at this interval
inline constexpr Millis kToNodeBeat = 500;                ///< the owner sends each node one, too
inline constexpr Millis kNodeBeat = 500;                  ///< an edge sends a message at least at this interval
inline constexpr Millis kStoreEvery = 1'000;              ///< the owner stores the arena at this interval
inline constexpr Millis kStoreRarest = 8'000;             ///< longest pause after storing has failed: they double
inline constexpr Millis kOwnerLost = 1'500;               ///< the owner is lost after this silence
inline constexpr Millis kOwnerless = 10'000;              ///< longer than any change of the owner takes
inline constexpr Millis kNodeLost = 4'000;                ///< the players of an edge are removed after this silence
inline constexpr std::uint64_t kGatherNanos = 2'000'000;  ///< between two messages of one sender

}  // namespace entente::fleet
