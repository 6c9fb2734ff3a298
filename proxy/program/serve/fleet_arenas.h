// The arenas of the fleet, as this process has them: rooms that lead to an arena's owner, and arenas that this node
// owns while it has their lease. When the server stops, it gives up each lease as soon as the arena is stored for the
// next owner.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proxy/fleet/arena/fleet_arena.h"
#include "proxy/fleet/lease.h"
#include "proxy/net/loop.h"
#include "proxy/net/mailbox.h"
#include "proxy/program/fleet/fleet.h"
#include "proxy/program/serve/configured.h"
#include "proxy/relay/proxy_server.h"

namespace entente {

class FleetArenas {
 public:
  /// Opens and retires the room of an arena that this node owns. Called on a thread of its own.
  struct Rooms {
    std::function<Outcome<ConfiguredArena>()> make;
    std::function<std::size_t(const relay::SharedRoomOptions&)> open;
    std::function<void(std::size_t)> retire;
  };

  /// `fleet` and `server` outlive it. `limits`: as for set_limits().
  FleetArenas(Fleet& fleet, relay::ProxyServer& server, const Limits& limits);
  ~FleetArenas();
  FleetArenas(const FleetArenas&) = delete;
  FleetArenas& operator=(const FleetArenas&) = delete;

  /// The room for clients here that play in this arena.
  struct LocalFleetRoom {
    std::size_t room = 0;
    std::shared_ptr<relay::Broadcast> broadcast;  ///< to this node's viewers
  };
  const LocalFleetRoom& local_room_for(const std::string& arena);
  /// Null: local_room_for() has not made one.
  const LocalFleetRoom* find_local_room(const std::string& arena) const {
    const auto at = local_rooms_.find(arena);
    return at != local_rooms_.end() ? &at->second : nullptr;
  }
  /// This node is ready to own the arena. REQUIRES: before start().
  void stand_for(const std::string& arena, Rooms rooms);
  /// REQUIRES: called once, when the server runs or is about to.
  void start();
  /// Of players on other nodes who come from now on to an arena that this node owns. From any thread.
  void set_limits(const Limits& limits) { limits_->set(limits); }
  /// `on`: this node hands over its arenas, and owns none until this is called with false. From any thread.
  void step_back(bool on);
  /// Returns when its arenas are stored and their leases given up. REQUIRES: the server has stopped.
  void stop();
  void measure(Metrics& metrics) const;

 private:
  class Candidate;
  /// The state of an arena when its room on this node ended.
  struct Last {
    Candidate* of;
    std::uint64_t epoch;  // of the lease that it was opened with
    Buffer saved;
  };
  void mail();
  friend class net::Mailbox<Last, FleetArenas>;

  fleet::FleetArena arena_called(const std::string& name);

  Fleet& fleet_;
  relay::ProxyServer& server_;
  const std::shared_ptr<fleet::SharedLimits> limits_ = std::make_shared<fleet::SharedLimits>();
  std::map<std::string, LocalFleetRoom> local_rooms_;
  std::map<std::string, fleet::FleetArena> arenas_;  // by name: their counts
  std::vector<std::pair<std::string, Rooms>> stands_for_;
  net::Loop loop_;
  net::Mailbox<Last, FleetArenas> mailbox_{loop_, *this};
  std::atomic<bool> stops_{false}, steps_back_{false};
  bool stepped_back_ = false;  // on the loop
  std::unique_ptr<fleet::BusLine> line_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
  std::thread thread_;
};

}  // namespace entente
