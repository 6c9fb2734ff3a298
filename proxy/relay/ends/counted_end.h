// One side of a session with a room: its link over any transport, with counting, recording and limits.
// Invariant: it has no callbacks. Its owner acts on the results.
#pragma once

#include <memory>

#include "proxy/core/room/room.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/ends/end.h"
#include "proxy/relay/ends/relay_link.h"

namespace entente::relay {

struct CountedEnd {
  CountedEnd(Facing its_facing, LinkInfo& its_info) : facing(its_facing), info(its_info) {}

  /// Sends to the peer. `at`: the wall-clock time. With an owner: as by End::lend().
  void send(WorkerRoute& worker_route, Lane lane, const SharedBytes& shared, WallTime at);
  /// Counts and records what the peer sent.
  void hear(WorkerRoute& worker_route, const Frames& frames, WallTime at) const;
  /// Whether so much waits for the peer that its session must end.
  bool overflows(const Limits& limits) const;
  /// Why the session ends: the peer cannot be paused, and sent too much. Either it sent too fast, or the other peer
  /// reads too slowly.
  Reason flooded_by() const;
  void pause(Pause why);
  void resume(Pause why);
  /// The peer can be sent to from now on. It is not read if there is a reason to pause it.
  void come_up();

  const Facing facing;
  LinkInfo& info;
  core::Id id = core::kBackId;  ///< in the room
  std::unique_ptr<End> end;
  Pauses pauses;
  bool up = false;           ///< the peer can be sent to
  bool counted = true;       ///< false: an arena's, where what is sent would be counted and recorded again
  Millis last_progress = 0;  ///< when it last took bytes, or had none waiting
};

/// How long a client whose session ended for that reason stays connected, so that its player can read why.
Millis goodbye_ms(const wire::Game& game, Reason reason);

/// How much may wait for a peer before its session ends, as a multiple of Limits::high_water. It leaves room for a
/// whole world, which a front sends at once.
inline constexpr std::size_t kWaitingFactor = 8;

/// A client that is silent for this long is assumed to wait for a greeting (Route::fallback).
inline constexpr std::uint64_t kGreetSilenceNanos = 750'000'000;

Reason reason_of_client(End::Departure::How how);
Reason reason_of_server(End::Departure::How how);

}  // namespace entente::relay
