// The back of the draft: a player on somebody else's server of it. It does what the page has a client do, tells the
// room what the server says, and drives its player's tank. Law: who is alive and where is what the server's messages
// say, save for our own tank, which is ours to say.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "adapters/bzdraft/peer_link.h"
#include "adapters/bzdraft/resource.h"
#include "adapters/bzdraft/terms.h"
#include "proxy/core/arena/guns.h"
#include "proxy/core/arena/incoming.h"
#include "proxy/core/chat.h"
#include "proxy/core/pace.h"
#include "proxy/core/roster.h"
#include "proxy/core/tank/driven_tank.h"
#include "proxy/core/world.h"

namespace entente::bzdraft {

class BackSession final : public core::Back {
 public:
  BackSession() : peer_(wire::Way::kToClient) {}

  void opened(const core::Peer&, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Intent& intent, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view why, Outlet& out) override;
  void part(std::string_view why, Outlet& out) override;

 private:
  enum class Stage : std::uint8_t { kGreeting, kWorld, kResources, kAtTheDoor, kEntering, kIn };

  struct Someone {
    words::Player player;
    std::uint8_t team = kRogue;
    core::Id unit = 0;  ///< 0: a watcher
    bool alive = false;
    bool died = false;  ///< since we came: what it still says of where it is comes late
  };

  template <class T>
  void on(const T&, Outlet&) {}  // what a server never says

  // -- Coming in: back_join.cc
  void on(const VersionDown& version, Outlet& out);
  void on(const GetWorldDown& world, Outlet& out);
  void on(const GetResourceDown& piece, Outlet& out);
  void on(const Accept& accept, Outlet& out);
  void on(const Reject& reject, Outlet& out);
  void on(const SuperKill&, Outlet& out);
  void fetch(Outlet& out);
  void ask_for(const Md5& md5, Outlet& out);
  void learn_world(Outlet& out);
  void enter(Outlet& out);
  void change(const words::Change& change, Outlet& out);
  void refuse(words::Refused::Code code, std::string_view text, bool may_retry, Outlet& out);
  void be_kicked(std::string_view how, Outlet& out);
  void tell_rule(const char* name, double value, Outlet& out);

  // -- Who is there, what they score, carry and say: back_people.cc
  void on(const AddPlayer& added, Outlet& out);
  void on(const RemovePlayer& removed, Outlet& out);
  void on(const Score& score, Outlet& out);
  void on(const TeamUpdate& team, Outlet& out);
  void on(const ScoreOver& over, Outlet& out);
  void on(const TimeLeft& left, Outlet& out);
  void on(const ChatMessage& chat, Outlet& out);
  void on(const FlagUpdate& update, Outlet& out);
  void on(const GrabFlagDown& grab, Outlet& out);
  void on(const DropFlagDown& drop, Outlet& out);
  void newcomer(std::uint8_t number, Someone& one, Outlet& out);
  void forget(std::uint8_t number, Outlet& out);
  void captured(const DropFlagDown& drop, const words::Token& token, Outlet& out);
  words::Token told(std::uint16_t number, const Flag& flag);
  void hear_chat(const words::Say& say, Outlet& out);
  void hear_wish(const words::TokenWish& wish, Outlet& out);

  // -- Tanks and shots: back_tanks.cc
  void on(const AliveDown& alive, Outlet& out);
  void on(const Killed& killed, Outlet& out);
  void on(const PlayerUpdate& update, Outlet& out);
  void on(const Teleport& teleport, Outlet& out);
  void on(const ShotBegin& shot, Outlet& out);
  void on(const ShotEnd& end, Outlet& out);
  void on(const ShotUpdate& moved, Outlet& out);
  void died(std::uint8_t number, words::Died died, Outlet& out);

  // -- Our own tank: back_own.cc
  void spawn(Outlet& out);
  void claimed(const words::PoseClaim& claim, Outlet& out);
  void die(const words::DeathClaim& claim, Outlet& out);
  void end_shot(const words::ShotEndClaim& claim, Outlet& out);
  void move_shot(const words::ShotMoveClaim& claim, Outlet& out);
  void drive(Outlet& out);
  void steer(double dt, Outlet& out);
  void report_if_due(Outlet& out);
  void report(Outlet& out);
  bool may_act() const { return stage_ == Stage::kIn && own_.alive; }

  // -- Its shots, and those that hit it: back_guns.cc
  void shoot(const core::Shooting& shooting, Outlet& out);
  void fire(const core::Shooting& shooting, Outlet& out);
  void fire_along(double yaw, Outlet& out);
  void begin_shot(ShotBegin begin, Outlet& out);
  std::optional<std::uint8_t> loaded(std::uint32_t wished, Outlet& out) const {
    return guns_.loaded(wished, room_.most_shots(), out.now());
  }
  std::uint8_t carried() const;
  void watch_shot(const ShotBegin& begin, const words::Shot& shot, Outlet& out);
  void test_hits(const core::TankState& was, core::Micros since, Outlet& out);

  core::Id id_of(std::uint8_t number) const;
  Someone* find(std::uint8_t number);
  std::uint8_t number_of(core::Id id, std::uint8_t otherwise) const { return players_.wire_or(id, otherwise); }

  PeerLink peer_;
  Stage stage_ = Stage::kGreeting;
  bool goodbye_ = false;  // said, by either

  // Joining.
  std::optional<words::Enter> wish_;
  core::Id me_ = 0;
  std::uint8_t number_ = kInvalid;
  words::Room room_;
  Resources resources_;
  Md5 root_{}, asked_{};
  Buffer piece_;  // of what was asked for
  core::LastWords last_words_;
  bool changing_ = false;
  bool spawns_ = false;  // it wished to before it was in

  // Everybody.
  std::map<std::uint8_t, Someone> people_;
  core::Roster<std::uint8_t> players_;
  std::map<std::uint16_t, words::Token> flags_;

  core::DrivenTank own_;
  core::Pace updates_{kUpdateEvery, kUpdateBurst};
  core::TankModel tank_;
  double half_ = 400;  // of the world's side

  core::IncomingShots incoming_;
  core::Guns guns_;  // by the numbers of shots
};

}  // namespace entente::bzdraft
