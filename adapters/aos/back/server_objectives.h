// Intel, tents, territories, and the scores of sides.
#pragma once

#include <array>
#include <vector>

#include "adapters/aos/back/server_players.h"

namespace entente::aos {

class ServerObjectives {
 public:
  ServerObjectives(const Server& server, ServerPlayers& players) : server_(server), players_(players) {}

  void hear(const MoveObject& moved, BackOut& out);
  void hear(const IntelPickup& picked, BackOut& out);
  void hear(const IntelDrop& dropped, BackOut& out);
  void hear(const IntelCapture& captured, BackOut& out);
  void hear(const TerritoryCapture& captured, BackOut& out);
  void hear(const ProgressBar& progress, BackOut& out);

  /// Tells the room which objectives the loaded map has.
  void tell_all(const StateData& state, BackOut& out);
  /// The next map comes.
  void forget() { captures_ = {}; }
  /// The tent of a side. Null: `team` is no side.
  const words::Token* tent(std::uint8_t team) const {
    return is_side(team) ? &objectives_[kTentObject + std::size_t{team}] : nullptr;
  }

 private:
  void tell_territory(std::size_t i, const Territory& territory, BackOut& out);
  void tell_intel(const CtfState& ctf, BackOut& out);
  void tell_team(std::size_t side, BackOut& out);
  words::Token* intel_for(std::uint8_t player);

  const Server& server_;
  ServerPlayers& players_;
  std::array<words::Token, 4> objectives_;  // intel of both sides, tents of both sides
  std::vector<words::Token> territories_;   // of all maps
  std::vector<words::Zone> zones_;          // of this map's territories
  std::array<std::uint32_t, 2> captures_{};
};

}  // namespace entente::aos
