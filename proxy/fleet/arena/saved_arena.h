// An arena that its owner stores, and the next owner goes on with.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "proxy/core/arena/arena.h"
#include "proxy/core/world.h"
#include "proxy/fleet/bus.h"
#include "proxy/fleet/subjects.h"
#include "schema/fleet.pb.h"

namespace entente::fleet {

/// A seat of a node: the node's name, its run, and its own number of the seat.
using SeatOf = std::tuple<std::string, std::uint64_t, std::uint32_t>;

/// The stream of such arenas. An arena is deleted after some minutes; a new match begins then.
StreamOptions saved_arenas(const Subjects& names, std::uint32_t replicas);

/// `add_client`: adds where a player's client is; nothing for bots. At most kMostSaved bytes when it is serialized, or
/// without players.
bus::SavedArena save(const core::WorldState& world, core::Micros now,
                     const std::function<void(core::Id, bus::SavedArena::Player&)>& add_client);
inline constexpr std::size_t kMostSaved = 1'000'000;

bus::SavedArena::Player save(const core::WorldState& world, const core::PlayerState& player, core::Micros now);
core::SavedPlayer start_of(const bus::SavedArena::Player& player);

/// Players whose clients are on a node.
using SavedSeats = std::map<SeatOf, bus::SavedArena::Player>;

struct ReadArena {
  core::ResumedArena in_play;
  std::vector<core::SavedPlayer> starts;
  SavedSeats seats;
};

/// An error if it is invalid: it comes from the network.
Outcome<ReadArena> read_arena(Bytes bytes);

}  // namespace entente::fleet
