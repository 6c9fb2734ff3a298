// The front of the draft: what a client of it takes for its server. Its parts do the work; here is how a client comes
// in, and leaves. Law: before a client has heard of itself it hears only what the page lets it hear then.
#pragma once

#include <string>

#include "adapters/bzdraft/front/entry.h"
#include "adapters/bzdraft/front/flags.h"
#include "adapters/bzdraft/front/land.h"
#include "adapters/bzdraft/front/shots.h"
#include "adapters/bzdraft/front/talk.h"
#include "adapters/bzdraft/front/tanks.h"
#include "adapters/bzdraft/losses.h"
#include "proxy/core/faces.h"

namespace entente::bzdraft {

class FrontSession final : public core::Front, private core::TankSight {
 public:
  void opened(const core::Peer&, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  void part(std::string_view why, Outlet& out) override { goodbye(why, out); }

 private:
  using Stage = Client::Stage;

  void put(std::uint8_t number, const words::Pose& there, Outlet& out) override { tanks_.put(number, there, out); }
  void show(std::uint8_t number, Outlet& out) override { tanks_.show(number, out); }
  void recast() override { tanks_.look_anew(); }

  // What concerns several parts, or the session as such.
  template <class Message>
  void take(const Message& message, Outlet& out);
  void take(const Enter& enter, Outlet& out);
  void take(const Exit&, Outlet& out);
  template <class Word>
  void tell(const Word& word, const core::Fact&, Outlet& out);
  void tell(const words::Player& player, const core::Fact& fact, Outlet& out);
  void tell(const words::Pose& pose, const core::Fact&, Outlet& out);
  void tell(const words::Corrected& corrected, const core::Fact& fact, Outlet& out);
  void tell(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out);
  void tell(const words::Notice& notice, const core::Fact& fact, Outlet& out);
  void tell(const words::WorldEdit&, const core::Fact&, Outlet& out) { out.lose(loss::kWorldEdit); }
  void tell(const words::Refused& refused, const core::Fact&, Outlet& out);
  void tell(const words::Kicked& kicked, const core::Fact&, Outlet& out) { goodbye(kicked.text(), out); }
  void tell(const words::Ready&, const core::Fact&, Outlet& out) { let_in(out); }
  void tell(const words::Waiting& waiting, const core::Fact&, Outlet& out);

  void let_in(Outlet& out);
  void goodbye(std::string_view why, Outlet& out);

  Client client_;
  bool gone_ = false;
  core::Retelling retold_;
  std::string waiting_;  // what was said about it last

  core::FlagNumbers flag_numbers_{512};
  core::TankKeeper keeper_{*this};
  Cast cast_{client_, *this};
  Entry entry_{client_, cast_};
  Land land_{client_, flag_numbers_};
  Shots shots_{client_, cast_, land_, keeper_};
  Flags flags_{client_, cast_, keeper_, flag_numbers_};
  Tanks tanks_{client_, cast_, keeper_, *this, shots_, flags_, retold_};
  Talk talk_{client_, cast_, retold_};
};

}  // namespace entente::bzdraft
