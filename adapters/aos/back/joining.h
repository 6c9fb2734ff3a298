// How a back joins a server: loads the map, reads State Data, and asks to play. Also handles the next map on the same
// connection.
#pragma once

#include <memory>
#include <string>

#include "adapters/aos/back/hands.h"
#include "adapters/aos/back/server_objectives.h"
#include "adapters/aos/back/snapshot_reader.h"
#include "adapters/aos/world/map_stream.h"

namespace entente::aos {

class Joining {
 public:
  Joining(Server& server, ServerPlayers& players, Man& man, Hands& hands, ServerObjectives& objectives,
          SnapshotReader& snapshots)
      : server_(server), players_(players), man_(man), hands_(hands), objectives_(objectives), snapshots_(snapshots) {}

  void hear(const MapStart& start, BackOut& out);
  void hear(const MapChunk& chunk, BackOut& out);
  void hear(const StateData& state, BackOut& out);
  void hear(const HandshakeInit& init, BackOut& out);
  void hear(const VersionGet&, BackOut& out);
  void hear(const ExtensionInfo&, BackOut& out) { out.drop(drops::kExtensionInfo); }
  void hear(const PlayerProperties&, BackOut& out) { out.drop(drops::kPlayerProperties); }
  void hear(const ExtensionPacket&, BackOut& out) { out.drop(drops::kExtensionPacket); }
  void hear(const FogColour& fog, BackOut& out);
  void hear(const words::Enter& wish, BackOut& out);
  void hear(const words::Watch& watch, BackOut& out);
  void hear(const words::Spawn&, BackOut& out);
  void hear(const words::Change& change, BackOut& out);

  /// Carries out what the player has asked for after its request to enter was sent, once the server has let it in.
  void catch_up(BackOut& out);
  /// The server has not answered our request to play: makes it again.
  void enter_again(BackOut& out);
  /// The map and its State Data are complete: reports them to the room.
  void learn(VoxelMap map, words::World world, const StateData& state, BackOut& out);

 private:
  bool may_load(const BackOut& out);
  bool waits_for_life();
  void end_vain_wish_to_watch();
  void introduce(BackOut& out);
  void take_role(BackOut& out);
  void enter(BackOut& out);

  Server& server_;
  ServerPlayers& players_;
  Man& man_;
  Hands& hands_;
  ServerObjectives& objectives_;
  SnapshotReader& snapshots_;
  bool wants_spawn_ = false;
  bool entered_to_watch_ = false;             // and has not asked to play since
  words::Change late_change_;                 // asked for since the request to enter was sent: side and weapon
  bool late_role_ = false;                    // likewise: to watch, or to play
  std::optional<std::uint32_t> asked_after_;  // how often it had died when it last asked to spawn
  std::unique_ptr<MapReceiver> loading_;
  std::size_t announced_ = 0, loaded_ = 0;  // bytes of the stream
  core::Micros maps_paid_ = 0;              // until then, the maps so far are allowed for
  std::string map_name_;
};

}  // namespace entente::aos
