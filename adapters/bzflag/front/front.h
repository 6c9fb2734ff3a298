// The front of BZFlag: what a stock bzflag or bzadmin takes for its bzfs. It speaks the terms of 2.4; a peer of another
// dialect hears them in its own (idiom.h).
// Law: no client is told what crashes it: nothing before the world is loaded, no number beyond what the settings
// announced; and no client is told of a death that did not happen, or twice of one that did.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/bzflag/peer_link.h"
#include "adapters/bzflag/terms.h"
#include "proxy/core/arena/leash.h"
#include "proxy/core/faces.h"
#include "proxy/core/litter.h"
#include "proxy/core/pace.h"
#include "proxy/core/replay/glide.h"
#include "proxy/core/replay/retelling.h"
#include "proxy/core/roster.h"
#include "proxy/core/shown_shots.h"
#include "proxy/core/world.h"

namespace entente::bzflag {

class FrontSession final : public core::Front {
 public:
  explicit FrontSession(const core::FaceOptions& options);

  void opened(const core::Peer& peer, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  void part(std::string_view why, Outlet& out) override;

 private:
  enum class Stage : std::uint8_t { kHeader, kLoading, kEntering, kIn };

  /// A player as our client knows it: itself, or somebody's unit.
  struct Actor {
    core::Id player = 0;  ///< 0: the unit belongs to nobody
    core::Id unit = 0;    ///< 0: it has none
    std::string callsign;
    std::int16_t team = 0;
    std::uint32_t badges = 0;
    bool alive = false;
    bool shown = false;  ///< our client sees it: it is alive, and not hidden
    bool late = false;   ///< its pose waits for its turn
    std::uint32_t order = 0;
    std::uint8_t salt = 0;
    core::Pace updates{core::kSecond / 25, 6};
    core::Glide glide;          ///< of one that its world moves by whole tiles
    core::Micros rests_at = 0;  ///< when it has come to the end of it; 0: it has
    core::Micros told = 0;      ///< when our client was last told where it is
  };

  template <class T>
  void on(const T&, Outlet&) {}  // what a client never says
  template <class T>
  void told(const T&, const core::Fact&, Outlet&) {}  // what is in the world, and has no message

  // -- Joining: front_join.cc
  void on(const ClientHeader&, Outlet& out) { greet(out); }
  void on(const LinkRequest& request, Outlet& out);
  void on(const LinkEstablished&, Outlet& out);
  void on(const NegotiateFlags& flags, Outlet& out);
  void on(const WantSettings&, Outlet& out);
  void on(const WantWorldHash&, Outlet& out);
  void on(const GetWorld& wanted, Outlet& out);
  void on(const Enter& enter, Outlet& out);
  void on(const QueryGame&, Outlet& out);
  void on(const QueryPlayers&, Outlet& out);
  void on(const Exit&, Outlet& out);
  void told(const words::Refused& refused, const core::Fact&, Outlet& out);
  void told(const words::Kicked& kicked, const core::Fact&, Outlet& out);
  void told(const words::Ready&, const core::Fact&, Outlet& out) { let_in(out); }
  void told(const words::Waiting& waiting, const core::Fact&, Outlet& out);
  void greet(Outlet& out);
  void answer(Outlet& out);
  void build_world(Outlet& out);
  GameSettings settings(Outlet& out) const;
  void send_chunk(std::size_t offset, Outlet& out);
  void let_in(Outlet& out);
  void send_variables(Outlet& out);
  void goodbye(std::string_view why, Outlet& out);
  bool loaded() const { return !database_.empty(); }

  // -- Who is there: front_cast.cc
  void told(const words::Player& player, const core::Fact&, Outlet& out);
  void told(const words::PlayerGone& gone, const core::Fact&, Outlet& out);
  void told(const words::Owns& owns, const core::Fact&, Outlet& out) { recast(owns.player(), out); }
  void told(const words::Unit& unit, const core::Fact&, Outlet& out);
  void told(const words::Hidden& hidden, const core::Fact&, Outlet& out);
  void told(const words::Gone& gone, const core::Fact&, Outlet& out);
  void told(const words::Score& score, const core::Fact&, Outlet& out);
  void told(const words::TeamScore& score, const core::Fact&, Outlet& out);
  void recast(core::Id player, Outlet& out);
  void recast_all(Outlet& out);
  void take_part(std::uint8_t number, core::Id unit, Outlet& out);
  std::optional<std::uint8_t> free_number(core::Id unit, Outlet& out);
  std::optional<std::uint8_t> enlist(core::Id player, core::Id unit, std::size_t nth, Outlet& out);
  void announce(std::uint8_t number, Outlet& out);
  void dismiss(std::uint8_t number, Outlet& out);
  void tell_badges(std::uint8_t number, std::uint32_t badges, Outlet& out);
  std::string callsign_for(const std::string& name, std::size_t nth) const;
  std::uint8_t number_of(core::Id player, std::uint8_t otherwise) const { return players_.wire_or(player, otherwise); }
  core::Id player_of(std::uint8_t number) const;
  core::Id own_unit() const;
  void send_scores(Outlet& out);

  // -- Where they are, and how they die: front_play.cc
  void on(const AliveRequest&, Outlet& out);
  void on(const PlayerUpdate& update, Outlet& out);
  void on(const PlayerUpdateSmall& update, Outlet& out);
  void on(const KilledReport& report, Outlet& out);
  void on(const TeleportReport& report, Outlet& out);
  void on(const ScoreReport& report, Outlet& out);
  void on(const PauseReport& report, Outlet& out);
  void on(const AutoPilotReport& report, Outlet& out);
  void told(const words::Pose& pose, const core::Fact&, Outlet& out);
  void told(const words::Corrected& corrected, const core::Fact&, Outlet& out);
  void told(const words::Spawned& spawned, const core::Fact&, Outlet& out);
  void told(const words::Died& died, const core::Fact&, Outlet& out);
  void told(const words::Teleported& teleported, const core::Fact&, Outlet& out);
  void told(const words::Health& health, const core::Fact&, Outlet& out);
  void told(const words::ClaimRefused& refused, const core::Fact&, Outlet& out);
  void claimed(std::uint8_t player, float time, std::int16_t status, words::Pose pose, Outlet& out);
  void show(std::uint8_t number, Outlet& out);
  void put(std::uint8_t number, const words::Pose& there, Outlet& out);
  void update(std::uint8_t number, Actor& actor, Outlet& out);
  Message newest(std::uint8_t number, Actor& actor, Outlet& out);
  static words::Pose seen(Actor& actor, const core::UnitState& state, Outlet& out);
  void update_late(Outlet& out);
  static core::Micros due_at(const Actor& actor, Outlet& out);
  void revive(Outlet& out);
  void check_leash(Outlet& out);
  void check_death(Outlet& out);
  void check_spawn(Outlet& out);
  void correct(Outlet& out);
  float clock(Outlet& out) const;

  // -- Shots: front_shots.cc
  void on(const ShotBegin& begin, Outlet& out);
  void keep_own(const ShotBegin& begin, Outlet& out);
  void on(const ShotEnd& end, Outlet& out);
  void on(const GuidedUpdate& update, Outlet& out);
  std::uint32_t fired_with(const FlagKind& flag, Outlet& out) const;
  void told(const words::Shot& shot, const core::Fact&, Outlet& out);
  void told(const words::ShotMoved& moved, const core::Fact&, Outlet& out);
  void told(const words::ShotEnded& ended, const core::Fact&, Outlet& out);
  void told(const words::Ammo& ammo, const core::Fact&, Outlet& out);
  void tell_reload(Outlet& out);
  std::optional<std::uint16_t> shot_number(Actor& actor, std::uint8_t player, std::uint32_t wished, Outlet& out);
  void spare_own_tank(Outlet& out);

  // -- Flags, talk, time: front_talk.cc
  void on(const GrabFlagRequest& grab, Outlet& out);
  void on(const DropFlagRequest& drop, Outlet& out);
  void on(const CaptureFlagReport& capture, Outlet& out);
  void on(const TransferFlagReport& transfer, Outlet& out);
  void on(const ChatRequest& chat, Outlet& out);
  void on(const LagPing&, Outlet&) {}  // nobody asks how long it took
  void on(const NewRabbitRequest&, Outlet& out) { out.lose("MsgNewRabbit", "no word for a wish to be hunted"); }
  void told(const words::Token& token, const core::Fact&, Outlet& out);
  void told(const words::TokenTaken& taken, const core::Fact&, Outlet& out);
  void told(const words::TokenDropped& dropped, const core::Fact&, Outlet& out);
  void told(const words::TokenCaptured& captured, const core::Fact&, Outlet& out);
  void told(const words::Said& said, const core::Fact& fact, Outlet& out);
  void told(const words::Notice& notice, const core::Fact& fact, Outlet& out);
  void told(const words::Rule& rule, const core::Fact&, Outlet& out);
  void told(const words::Round& round, const core::Fact&, Outlet& out);
  void end_game(const words::Round& round, Outlet& out);
  void tell_clock(Outlet& out);
  void told(const words::Clock& clock, const core::Fact&, Outlet& out);
  void told(const words::WorldEdit&, const core::Fact&, Outlet& out) {
    out.lose("WorldEdit", "a client keeps the world it loaded");
  }
  std::optional<NumberedFlag> flag_record(const words::Token& token, Outlet& out);
  std::optional<NumberedFlag> pickup_record(core::Id unit, Outlet& out);
  std::optional<std::uint16_t> free_flag() const;
  void tell_pickup(core::Id unit, Outlet& out);
  void say(std::uint8_t from, std::uint8_t to, bool action, std::string_view text, Outlet& out);
  void server_says(std::string_view text, Outlet& out) { say(kServerId, number_, false, text, out); }
  void ping(Outlet& out);

  core::Micros header_patience() const;
  // -- Pellets: front_litter.cc
  void look_about(Outlet& out);
  void drop_pickup(core::Id unit, Outlet& out);

  std::size_t dialect_;
  PeerLink peer_;
  const Dialect& speaks_;
  Stage stage_ = Stage::kHeader;
  bool gone_ = false;
  core::Retelling retold_;
  core::Micros opened_ = 0;

  // Joining.
  std::uint8_t number_ = 0;  // our client's; the others have what is free
  std::vector<std::string> flags_known_;
  words::Enter wish_;
  bool wants_settings_ = false, wants_hash_ = false, wants_game_ = false, wants_players_ = false;
  std::optional<std::uint32_t> wants_world_;  // from there on
  core::Micros patience_ = 0;                 // until when the world is waited for
  Buffer database_;
  std::string hash_;
  double size_ = 800;
  std::uint16_t most_shots_ = 20, most_flags_ = 512;
  std::string waiting_;  // what was said about it last

  // Everybody.
  std::map<std::uint8_t, Actor> cast_;
  core::Micros look_at_ = 0;  // when one of them may be due to be told of, at the earliest
  core::Roster<std::uint8_t> players_, units_;
  std::vector<core::Id> scores_due_;
  std::vector<words::Team> team_scores_due_;
  core::Roster<std::uint16_t> flags_, pickups_;  // of one space of numbers: tokens, and units that lie there
  core::Litter litter_;
  core::ShownShots shots_;

  struct Own {
    core::OwnTank tank;
    std::uint32_t order = 0;         ///< of what its client said last
    core::Micros death_claimed = 0;  ///< 0: it lives, as far as it knows
    core::Micros spawn_asked = 0;    ///< 0: it was answered
    double health = 0;               ///< last told
    std::uint32_t last_shot = 0;
    double reload = 0;  ///< seconds, as last told with what is in its clip
  };
  Own own_;

  std::uint16_t ping_number_ = 0;
  core::Micros pinged_ = 0;
};

}  // namespace entente::bzflag
