// The front of Ace of Spades: acts as a server towards real clients. This file composes its parts, and handles how a
// session begins and ends.
// Invariant: a client is sent nothing that makes it leave or crash: nothing before its map, no player that it was not
// told about, no coordinates that are not finite.
#pragma once

#include "adapters/aos/front/block_edits.h"
#include "adapters/aos/front/chat.h"
#include "adapters/aos/front/client_movement.h"
#include "adapters/aos/front/client_weapons.h"
#include "adapters/aos/front/entry.h"
#include "adapters/aos/front/fights.h"
#include "adapters/aos/front/floor_marks.h"
#include "adapters/aos/front/objectives.h"
#include "adapters/aos/front/snapshot_sender.h"
#include "proxy/core/faces.h"

namespace entente::aos {

class AosFront final : public core::Front, private OwnLife {
 public:
  explicit AosFront(const core::FaceOptions& options);

  void opened(const core::Peer& peer, Outlet& out) override;
  void receive(const Frames& frames, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  bool takes_another_world() const override { return true; }
  void session_ends(std::string_view why, Outlet& out) override;

 private:
  void begins(const PlayerEntry& own, Outlet& out) override;

  // Messages and facts that concern several parts, or the whole session.
  template <class Message>
  void take(const Message& message, Outlet& out);
  void take(const MapCached& cached, Outlet& out);
  template <class Word>
  void take_fact(const Word& word, Outlet& out);
  void take_fact(const words::World& world, Outlet& out);
  void take_fact(const words::Player& player, Outlet& out);
  void take_fact(const words::ClaimRefused& refused, Outlet& out);
  void take_fact(const words::Refused& refused, Outlet& out);
  void take_fact(const words::Kicked& kicked, Outlet& out);

  bool must_enter_first(std::uint8_t id, Lane lane, Outlet& out);
  void load(Outlet& out);
  void greet(Outlet& out);
  void goodbye(std::string_view why, std::uint32_t reason, Outlet& out);
  void tell_end(std::string_view why, Outlet& out);

  Client client_;
  bool enters_first_;
  bool gone_ = false, asked_version_ = false;
  core::ResyncPhase resync_;

  MapSender map_{client_};
  ClientProfile profile_;
  PlayerTable players_{client_, map_, profile_, resync_, *this};
  Entry entry_{client_, map_, profile_, players_};
  ClientMovement movement_{client_, map_, players_};
  ClientWeapons weapons_{client_, players_};
  Fights fights_{client_, players_, entry_, resync_};
  BlockEdits block_edits_{client_, map_, profile_, players_, weapons_};
  FloorMarks floor_marks_{client_, map_, players_, block_edits_};
  Objectives objectives_{client_, players_, movement_, resync_};
  FrontChat chat_{client_, profile_, players_};
  SnapshotSender snapshots_;
};

}  // namespace entente::aos
