// The front of BZFlag: acts as a bzfs towards stock bzflag and bzadmin clients. It uses the messages of 2.4, which
// dialect_translator.h converts for clients of other dialects. This file composes its parts, and handles how a client
// enters and leaves.
// Invariant: a client is sent nothing that crashes it: nothing before the world is loaded, no number beyond what the
// settings announced.
#pragma once

#include <string>
#include <vector>

#include "adapters/bzflag/front/chat.h"
#include "adapters/bzflag/front/flags.h"
#include "adapters/bzflag/front/lobby.h"
#include "adapters/bzflag/front/play.h"
#include "adapters/bzflag/front/queries.h"
#include "adapters/bzflag/front/rounds.h"
#include "adapters/bzflag/front/rules.h"
#include "adapters/bzflag/front/scores.h"
#include "adapters/bzflag/front/shots.h"
#include "adapters/bzflag/front/tanks.h"
#include "adapters/bzflag/wire/drops.h"
#include "proxy/core/faces.h"

namespace entente::bzflag {

class BzflagFront final : public core::Front, private core::TankDisplay {
 public:
  explicit BzflagFront(const core::FaceOptions& options) : client_(options.dialect) {}

  void opened(const core::Peer& peer, Outlet& out) override;
  void receive(const Frames& frames, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  void session_ends(std::string_view why, Outlet& out) override { goodbye(why, words::Refused::SERVER_GONE, out); }

 private:
  using Stage = Client::Stage;

  void put(std::uint8_t number, const words::Pose& there, Outlet& out) override;
  void show(std::uint8_t number, Outlet& out) override { tanks_.show(number, out); }
  void reassigned() override { tanks_.look_anew(); }
  void introduced(std::uint8_t number, Outlet& out) override;

  // Messages and facts that concern several parts, or the whole session.
  template <class Message>
  void take(const Message& message, Outlet& out);
  void take(const ClientHeader&, Outlet& out) {
    if (client_.stage == Stage::kHeader) greet(out);  // a late header was already answered
  }
  void take(const LinkRequest& request, Outlet& out);
  void take(const LinkEstablished&, Outlet&) { client_.udp_linked = true; }
  void take(const NegotiateFlags& flags, Outlet& out);
  void take(const Enter& enter, Outlet& out);
  void take(const Exit&, Outlet& out);
  void take(const NewRabbitRequest&, Outlet& out) { out.drop(drops::kNewRabbit); }
  template <class Word>
  void take_fact(const Word& word, const core::Fact&, Outlet& out);
  void take_fact(const words::Player& player, const core::Fact& fact, Outlet& out);
  void take_fact(const words::Pose& pose, const core::Fact&, Outlet& out);
  void take_fact(const words::Corrected& corrected, const core::Fact& fact, Outlet& out);
  void take_fact(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out);
  void take_fact(const words::Notice& notice, const core::Fact& fact, Outlet& out);
  void take_fact(const words::World&, const core::Fact&, Outlet& out) { check_world(out); }
  void take_fact(const words::WorldEdit&, const core::Fact&, Outlet& out) { out.drop(drops::kWorldEdit); }
  void take_fact(const words::Refused& refused, const core::Fact&, Outlet& out);
  void take_fact(const words::Kicked& kicked, const core::Fact&, Outlet& out) {
    goodbye(kicked.text(), words::Refused::OTHER, out);
  }
  void take_fact(const words::Ready&, const core::Fact&, Outlet& out);
  void take_fact(const words::Waiting& waiting, const core::Fact&, Outlet& out);

  core::Micros header_deadline() const;
  void miss_header(Outlet& out);
  void greet(Outlet& out);
  void want_world(Outlet& out);
  void let_in(Outlet& out);
  void check_world(Outlet& out);
  void sign(Outlet& out);
  void ping(Outlet& out);
  void goodbye(std::string_view why, words::Refused::Code code, Outlet& out);
  void tell_end(std::string_view why, words::Refused::Code code, Outlet& out);

  Client client_;
  bool gone_ = false, wants_world_ = false;
  core::ResyncPhase resync_;
  bool other_world_told_ = false;
  std::vector<std::string> flags_known_;
  std::string waiting_;  // the last line about what the room waits for; empty once it is ready
  std::uint16_t ping_number_ = 0;
  core::Micros pinged_ = 0;

  core::FlagNumbers flag_numbers_{512};
  core::TankKeeper keeper_{*this};
  PlayerTable players_{client_, *this, resync_};
  Lobby lobby_{client_, flag_numbers_};
  core::WaitSigns signs_;
  Queries queries_{client_, players_};
  Rules rules_{client_};
  Shots shots_{client_, players_, lobby_, keeper_, rules_};
  core::LastCapture capture_;
  Tanks tanks_{client_, players_, keeper_, shots_, capture_, resync_};
  Play play_{client_, players_, keeper_, *this, shots_, capture_};
  Flags flags_{client_, players_, flag_numbers_, capture_, resync_};
  Scores scores_{client_, players_};
  Rounds rounds_{client_, players_, resync_};
  FrontChat chat_{client_, players_};
};

}  // namespace entente::bzflag
