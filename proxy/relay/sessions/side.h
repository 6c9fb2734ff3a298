// One side of a session that has a room: its link, whatever carries it, and what is counted, recorded and limited on
// it. Law: calls nobody back; what follows from what it finds is its owner's business.
#pragma once

#include <memory>

#include "proxy/core/room.h"
#include "proxy/relay/admission/rates.h"
#include "proxy/relay/ends/bridge_end.h"
#include "proxy/relay/ends/peer.h"

namespace entente::relay {

struct Side {
  Side(BridgeSide its_side, SessionInfo& its_info) : side(its_side), info(its_info) {}

  /// To the peer, at `at` by the wall. `lent`: BridgeEnd::lend.
  void send(WorkerRoute& worker_route, Lane lane, Bytes bytes, WallTime at, bool lent = false);
  /// Counts and records what the peer said.
  void hear(WorkerRoute& worker_route, Lane lane, Bytes bytes, std::size_t frames, WallTime at) const;
  /// So much waits for the peer that its session must end.
  bool overflows(const Limits& limits) const;
  void pause(Pause why);
  void resume(Pause why);

  const BridgeSide side;
  SessionInfo& info;
  core::Id id = core::kBackEnd;  ///< in the room
  std::unique_ptr<BridgeEnd> end;
  std::uint8_t paused = 0;
  bool up = false;  ///< it may be spoken to
  Millis took = 0;  ///< when it last took bytes, or had none waiting
};

/// How long a client whose session ended for that reason stays connected, so that its player can read why.
Millis goodbye_ms(const wire::Game& game, Reason reason);

/// So much may wait for one peer before it is given up, as a multiple of Limits::high_water: what a front must tell at
/// once when it sees a world for the first time fits.
inline constexpr std::size_t kMostWaiting = 8;

/// Who has said nothing for so long waits to be greeted, as clients of a fallback do. In nanoseconds.
inline constexpr std::uint64_t kSilence = 750'000'000;

Reason reason_of_client(BridgeEnd::Departure::How how);
Reason reason_of_server(BridgeEnd::Departure::How how);

}  // namespace entente::relay
