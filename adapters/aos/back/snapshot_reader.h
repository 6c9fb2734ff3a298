// What other players do: their places in snapshots, their keys, buttons and tools, their shots.
#pragma once

#include <optional>

#include "adapters/aos/back/man.h"

namespace entente::aos {

class SnapshotReader {
 public:
  SnapshotReader(const Server& server, ServerPlayers& players, Man& man)
      : server_(server), players_(players), man_(man) {}

  void hear(const WorldUpdate& update, BackOut& out);
  void hear(const StateUpdateDown& update, BackOut& out);
  void hear(const InputData& input, BackOut& out);
  void hear(const WeaponInput& input, BackOut& out);
  void hear(const SetTool& set, BackOut& out);
  void hear(const Grenade& grenade, BackOut& out) { players_.hear(grenade, out); }

  void tell_shots(BackOut& out);
  /// The next map comes.
  void start_again() { sequence_.reset(); }

 private:
  void seen(std::uint8_t number, const Vec3& position, const Vec3& orientation, const Vec3* velocity, BackOut& out);
  void wake_for_shots(BackOut& out);

  const Server& server_;
  ServerPlayers& players_;
  Man& man_;
  std::optional<std::uint32_t> sequence_;  // of the last State Update
};

}  // namespace entente::aos
