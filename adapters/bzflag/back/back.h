// The back of BZFlag: a player on somebody else's bzfs. It joins as a stock client does, tells the room what the
// server says, and drives its player's tank. It speaks the terms of 2.4; a server of another dialect hears them in its
// own (idiom.h).
// Law: nothing is sent that makes bzfs kick a stock client; who is alive and where is what the server's messages say,
// save for our own tank, which is ours to say.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "adapters/bzflag/losses.h"
#include "adapters/bzflag/peer_link.h"
#include "adapters/bzflag/terms.h"
#include "adapters/bzflag/variables.h"
#include "proxy/core/arena/guns.h"
#include "proxy/core/arena/incoming.h"
#include "proxy/core/chat.h"
#include "proxy/core/faces.h"
#include "proxy/core/pace.h"
#include "proxy/core/roster.h"
#include "proxy/core/tank/driven_tank.h"
#include "proxy/core/world.h"

namespace entente::bzflag {

class BackSession final : public core::Back {
 public:
  explicit BackSession(const core::FaceOptions& options);

  void opened(const core::Peer&, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Intent& intent, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view why, Outlet& out) override;
  void part(std::string_view why, Outlet& out) override;

 private:
  enum class Stage : std::uint8_t { kGreeting, kFlags, kSettings, kHash, kWorld, kAtTheDoor, kEntering, kIn };

  struct Someone {
    words::Player player;
    std::int16_t team = kNoTeam;
    core::Id unit = 0;  ///< 0: an observer
    bool alive = false;
    bool died = false;  ///< since it was last alive: updates that come late do not revive it
  };

  template <class T>
  void on(const T&, Outlet&) {}  // what a server never says, or what says nothing

  // -- Joining: back_join.cc
  void on(const Welcome& welcome, Outlet& out);
  void on(const TooLate& late, Outlet& out);
  void on(const Refused& refused, Outlet& out);
  void on(const NegotiateFlags& missing, Outlet& out);
  void on(const GameSettings& settings, Outlet& out);
  void on(const WorldHash& hash, Outlet& out);
  void on(const WorldChunk& chunk, Outlet& out);
  void on(const Accept& accept, Outlet& out);
  void on(const Reject& reject, Outlet& out);
  void on(const SuperKill&, Outlet& out);
  void on(const LinkAnswer&, Outlet& out);
  void on(const LinkEstablished&, Outlet& out);
  void on(const GameAnswer& answer, Outlet& out);
  void ask_for_link(Outlet& out);
  void learn_settings(const GameSettings& settings, Outlet& out);
  void learn_world(Outlet& out);
  void enter(Outlet& out);
  void refuse(words::Refused::Code code, std::string_view text, Outlet& out);

  // -- Who is there, and the numbers: back_people.cc
  void on(const AddPlayer& added, Outlet& out);
  void on(const RemovePlayer& removed, Outlet& out);
  void on(const PlayerInfo& info, Outlet& out);
  void on(const AdminInfo& info, Outlet& out);
  void on(const Handicap&, Outlet& out) { out.lose(loss::kHandicap); }
  void on(const Pause& pause, Outlet& out);
  void on(const AutoPilot& autopilot, Outlet& out);
  void on(const NewRabbit& rabbit, Outlet& out);
  void on(const Score& scores, Outlet& out);
  void on(const TeamUpdate& teams, Outlet& out);
  void on(const ScoreOver& over, Outlet& out);
  void on(const TimeLeft& left, Outlet& out);
  void on(const SetVar& variables, Outlet& out);
  void on(const GameTime& time, Outlet& out);
  void on(const LagPing& ping, Outlet& out);
  void on(const ReplayReset&, Outlet& out);
  void on(const Chat& chat, Outlet& out);
  void on(const FlagType&, Outlet& out) { out.lose(loss::kFlagType); }
  void on(const CacheUrl&, Outlet& out) { out.lose(loss::kCacheUrl); }
  void on(const FetchResources&, Outlet& out) { out.lose(loss::kFetchResources); }
  void on(const CustomSound&, Outlet& out) { out.lose(loss::kCustomSound); }
  void tell_rule(const std::string& name, const std::string& value, Outlet& out);
  void set_badge(std::uint8_t number, words::Badge badge, bool on, Outlet& out);
  void forget(std::uint8_t number, Outlet& out);
  void hear_chat(const words::Say& say, Outlet& out);

  // -- Tanks and shots: back_tanks.cc
  void on(const Alive& alive, Outlet& out);
  void on(const Killed& killed, Outlet& out);
  void on(const PlayerUpdate& update, Outlet& out);
  void on(const PlayerUpdateSmall& update, Outlet& out);
  void on(const Teleport& teleport, Outlet& out);
  void on(const ShotBegin& shot, Outlet& out);
  void on(const ShotEnd& end, Outlet& out);
  void on(const GuidedUpdate& moved, Outlet& out);
  void moved(std::uint8_t number, std::int16_t status, words::Pose pose, Outlet& out);

  // -- Flags: back_flags.cc
  void on(const FlagUpdate& flags, Outlet& out);
  void on(const GrabFlag& grab, Outlet& out);
  void on(const DropFlag& drop, Outlet& out);
  void on(const CaptureFlag& capture, Outlet& out);
  void on(const TransferFlag& transfer, Outlet& out);
  void on(const NearFlag& near, Outlet& out);
  void hear_wish(const words::TokenWish& wish, Outlet& out);
  words::Token told(const NumberedFlag& flag);

  // -- Our own tank: back_own.cc
  void spawn(Outlet& out);
  void claimed(const words::PoseClaim& claim, Outlet& out);
  void report(const words::Pose& pose, Outlet& out);
  void report_if_due(Outlet& out);
  void leash(words::Pose& pose) const;
  bool may_act() const { return stage_ == Stage::kIn && own_.alive && !own_.paused; }
  void die(const words::DeathClaim& claim, Outlet& out);
  void end_shot(const words::ShotEndClaim& claim, Outlet& out);
  void move_shot(const words::ShotMoveClaim& claim, Outlet& out);
  float clock(Outlet& out) const;
  AliveRequest place_to_spawn(Outlet& out) const;
  void claim_score(const words::ScoreClaim& claim, Outlet& out);
  void count(const Killed& killed, Outlet& out);

  // -- Our own tank, where words steer it and no client of BZFlag does: back_drive.cc
  void drive(Outlet& out);
  double dead_zone() const;
  void steer(double dt, Outlet& out);
  void mind_error(Outlet& out);
  core::TankModel model() const;

  // -- Its shots, and those that hit it: back_guns.cc
  void shoot(const core::Shooting& shooting, Outlet& out);
  void fire(const core::Shooting& shooting, Outlet& out);
  void fire_along(double yaw, Outlet& out);
  bool is_loaded(Outlet& out) const;
  std::optional<std::uint16_t> free_shot(std::uint32_t wished, Outlet& out);
  void begin_shot(ShotBegin begin, Outlet& out);
  std::string carried() const;
  void put_down(const words::Token& token, Outlet& out);
  void watch_shot(const ShotBegin& begin, const words::Shot& shot, Outlet& out);
  void test_hits(const core::TankState& was, const core::TankState& is, core::Micros since, Outlet& out);

  void keep_alive(Outlet& out);
  core::Id id_of(std::uint8_t number) const;
  Someone* find(std::uint8_t number);
  std::uint8_t number_of(core::Id id, std::uint8_t otherwise) const { return players_.wire_or(id, otherwise); }

  std::size_t dialect_;
  bool wants_link_ = true, says_header_ = true;
  PeerLink peer_;
  const Dialect& speaks_;
  Stage stage_ = Stage::kGreeting;
  bool goodbye_ = false;  // said, by either

  // Joining.
  std::optional<words::Enter> wish_;
  core::Id me_ = 0;
  std::uint8_t number_ = kNobody;
  std::set<std::string> taken_;  // callsigns of who was there before us, in small letters
  core::Micros opened_ = 0, link_asked_ = 0;
  int link_tries_ = 0;
  words::Room room_;
  double size_ = 800;
  std::string hash_;
  Buffer database_;
  core::LastWords last_words_;

  // Everybody.
  std::map<std::uint8_t, Someone> people_;
  core::Roster<std::uint8_t> players_;
  std::optional<std::uint8_t> rabbit_;
  Variables variables_;
  std::map<std::uint16_t, words::Token> flags_;

  struct Own : core::DrivenTank {
    bool paused = false;
    double client_time = 0;  ///< of the claim that came at client_time_at; 0: its client tells no time
    core::Micros client_time_at = 0;
    int ends = 0;                ///< ends of others' shots told since the last death; bzfs counts them
    ScoreReport score;           ///< where clients count for themselves
    bool client_counts = false;  ///< ours does
  };
  Own own_;
  core::Pace updates_{core::kSecond / 30, 6};

  core::IncomingShots incoming_;

  core::Guns guns_;                        // by the slots of shots …
  std::array<std::uint8_t, 256> salts_{};  // … whose numbers say how often each has fired
};

}  // namespace entente::bzflag
