// The front of the draft: acts as a server towards its clients. This file composes its parts, and handles how a client
// enters and leaves.
// Invariant: before a client has been told of its own player, it is sent only what the draft allows.
#pragma once

#include <string>

#include "adapters/bzdraft/front/chat.h"
#include "adapters/bzdraft/front/client_profile.h"
#include "adapters/bzdraft/front/flags.h"
#include "adapters/bzdraft/front/shots.h"
#include "adapters/bzdraft/front/tanks.h"
#include "adapters/bzdraft/front/world_sender.h"
#include "adapters/bzdraft/wire/drops.h"
#include "proxy/core/faces.h"

namespace entente::bzdraft {

class BzdraftFront final : public core::Front, private core::TankDisplay {
 public:
  void opened(const core::Peer&, Outlet& out) override;
  void receive(const Frames& frames, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  void session_ends(std::string_view why, Outlet& out) override { goodbye(why, out); }

 private:
  using Stage = Client::Stage;

  void put(std::uint8_t number, const words::Pose& there, Outlet& out) override;
  void show(std::uint8_t number, Outlet& out) override { tanks_.show(number, out); }
  void reassigned() override { tanks_.look_anew(); }

  // Messages and facts that concern several parts, or the whole session.
  template <class Message>
  void take(const Message& message, Outlet& out);
  void take(const Enter& enter, Outlet& out);
  void take(const Exit&, Outlet& out);
  template <class Word>
  void take_fact(const Word& word, const core::Fact&, Outlet& out);
  void take_fact(const words::Player& player, const core::Fact& fact, Outlet& out);
  void take_fact(const words::Pose& pose, const core::Fact&, Outlet& out);
  void take_fact(const words::Corrected& corrected, const core::Fact& fact, Outlet& out);
  void take_fact(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out);
  void take_fact(const words::Notice& notice, const core::Fact& fact, Outlet& out);
  void take_fact(const words::World&, const core::Fact&, Outlet& out) { check_world(out); }
  void take_fact(const words::Clock&, const core::Fact&, Outlet& out) { out.drop(drops::kClock); }
  void take_fact(const words::WorldEdit&, const core::Fact&, Outlet& out) { out.drop(drops::kWorldEdit); }
  void take_fact(const words::Refused& refused, const core::Fact&, Outlet& out);
  void take_fact(const words::Kicked& kicked, const core::Fact&, Outlet& out) { goodbye(kicked.text(), out); }
  void take_fact(const words::Ready&, const core::Fact&, Outlet&) { waiting_.clear(); }
  void take_fact(const words::Waiting& waiting, const core::Fact&, Outlet& out);

  void let_in(Outlet& out);
  void check_world(Outlet& out);
  void sign(Outlet& out);
  void refuse(words::Refused::Code code, const std::string& why, bool may_retry, Outlet& out);
  void goodbye(std::string_view why, Outlet& out);
  void tell_end(std::string_view why, Outlet& out);

  Client client_;
  bool gone_ = false;
  core::ResyncPhase resync_;
  bool other_world_told_ = false;
  std::string waiting_;  // the last line about what the room waits for; empty once it is ready

  core::FlagNumbers flag_numbers_{512};
  core::TankKeeper keeper_{*this};
  PlayerTable players_{client_, *this};
  ClientProfile profile_{client_, players_};
  WorldSender world_sender_{client_, flag_numbers_};
  core::WaitSigns signs_;
  Shots shots_{client_, players_, world_sender_, keeper_};
  Flags flags_{client_, players_, keeper_, flag_numbers_};
  Tanks tanks_{client_, players_, keeper_, *this, shots_, flags_, resync_};
  FrontChat chat_{client_, players_, resync_};
};

}  // namespace entente::bzdraft
