#include "proxy/program/fleet/fleet_arenas.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "adapters/native/native.h"
#include "adapters/registry.h"
#include "proxy/fleet/arena/edge_door.h"
#include "proxy/fleet/arena/owner_door.h"

namespace entente {

/// Stands for one arena.
class FleetArenas::Candidate final : private fleet::Lease::User {
 public:
  Candidate(fleet::BusLine& line, net::Loop& loop, Fleet& fleet, fleet::FleetArena arena, Rooms rooms)
      : arena_(std::move(arena)),
        rooms_(std::move(rooms)),
        lease_(line, loop, *this, arena_.names, "arena." + arena_.arena, arena_.node, arena_.run, fleet.replicas()) {}

  /// REQUIRES: the server has stopped, and its rooms with it.
  void release() {
    room_.reset();
    lease_.release();
  }

 private:
  void owns(std::uint64_t epoch) override {
    auto options = rooms_.make();
    if (!options) {
      spdlog::error("fleet: cannot open the arena '{}': {}", arena_.arena, options.error().text);
      return;
    }
    fleet::own(arena_, epoch, lease_.until(), *options);
    room_ = rooms_.open(*options);
    spdlog::info("fleet: this node owns the arena '{}' (epoch {})", arena_.arena, epoch);
  }
  void lost() override {
    if (!room_) return;
    rooms_.retire(*std::exchange(room_, std::nullopt));
    spdlog::warn("fleet: this node no longer owns the arena '{}'", arena_.arena);
  }

  const fleet::FleetArena arena_;
  const Rooms rooms_;
  std::optional<std::size_t> room_;
  fleet::Lease lease_;
};

FleetArenas::FleetArenas(Fleet& fleet, relay::Server& server, const Limits& limits)
    : fleet_(fleet), server_(server), limits_(limits) {}

FleetArenas::~FleetArenas() {
  stop();
  mailbox_.close();
}

fleet::FleetArena FleetArenas::arena_called(const std::string& name) {
  auto [at, fresh] = arenas_.try_emplace(name);
  if (!fresh) return at->second;
  fleet::FleetArena& arena = at->second;
  arena.bus = &fleet_.bus();
  arena.names = fleet_.names();
  arena.arena = name;
  arena.node = fleet_.node();
  arena.run = fleet_.run();
  arena.find_game = [](std::string_view game) { return find_game(game); };
  arena.limits = limits_;
  return arena;
}

std::size_t FleetArenas::door_to(const std::string& arena) {
  if (const auto at = doors_.find(arena); at != doors_.end()) return at->second;
  relay::SharedRoomOptions room;
  room.name = "the arena '" + arena + "' of the fleet";
  room.game = &native::game();
  fleet::lead_to_owner(arena_called(arena), room);
  return doors_[arena] = server_.add_shared_room(room);
}

void FleetArenas::stand_for(const std::string& arena, Rooms rooms) {
  (void)arena_called(arena);
  stands_for_.emplace_back(arena, std::move(rooms));
}

void FleetArenas::start() {
  if (stands_for_.empty()) return;
  line_ = std::make_unique<fleet::BusLine>(fleet_.bus(), loop_);
  for (auto& [name, rooms] : stands_for_)
    candidates_.push_back(std::make_unique<Candidate>(*line_, loop_, fleet_, arena_called(name), std::move(rooms)));
  thread_ = std::thread([this] { loop_.run(); });
}

void FleetArenas::stop() {
  if (!thread_.joinable()) return;
  mailbox_.post(0);
  thread_.join();
}

void FleetArenas::mail() {
  for (const auto& one : candidates_) one->release();
  candidates_.clear();
  line_.reset();
  mailbox_.close();
}

void FleetArenas::measure(Metrics& metrics) const {
  for (const auto& [name, arena] : arenas_) {
    const fleet::ArenaCounts& counts = *arena.counts;
    const Metrics::Labels labels = {{"arena", name}};
    metrics.gauge("fleet_arena_players", "Players on all nodes, if this node owns the arena", labels,
                  static_cast<double>(counts.players));
    metrics.gauge("fleet_arena_nodes", "Nodes with which the owner talks", labels, static_cast<double>(counts.nodes));
    metrics.count("fleet_arena_gaps", "Times that a message was missed", labels, counts.gaps);
    metrics.count("fleet_arena_snapshots", "Worlds sent or received", labels, counts.snapshots);
    metrics.count("fleet_arena_refused", "Messages of other nodes that made no sense, or were for nobody", labels,
                  counts.refused);
  }
}

}  // namespace entente
