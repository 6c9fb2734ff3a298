// The front of the draft: what a client of it takes for its server.
// Law: before a client has heard of itself it hears only what the page lets it hear then; it is told of no death that
// did not happen, and not twice of one that did.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/bzdraft/losses.h"
#include "adapters/bzdraft/peer_link.h"
#include "adapters/bzdraft/resource.h"
#include "adapters/bzdraft/terms.h"
#include "proxy/core/arena/leash.h"
#include "proxy/core/faces.h"
#include "proxy/core/litter.h"
#include "proxy/core/pace.h"
#include "proxy/core/replay/retelling.h"
#include "proxy/core/roster.h"
#include "proxy/core/shown_shots.h"
#include "proxy/core/world.h"

namespace entente::bzdraft {

class FrontSession final : public core::Front {
 public:
  FrontSession() : peer_(wire::Way::kToServer) {}

  void opened(const core::Peer&, Outlet& out) override;
  void receive(Lane lane, Bytes bytes, Outlet& out) override;
  void hear(const core::Fact& fact, Outlet& out) override;
  void tick(Outlet& out) override;
  void closed(std::string_view, Outlet&) override { gone_ = true; }
  void part(std::string_view why, Outlet& out) override { goodbye(why, out); }

 private:
  enum class Stage : std::uint8_t { kOutside, kEntering, kIn };

  /// A player as our client knows it: itself, or somebody's unit.
  struct Actor {
    core::Id player = 0;  ///< 0: the unit belongs to nobody
    core::Id unit = 0;    ///< 0: it has none
    AddPlayer said;       ///< as it was last told of
    bool alive = false;
    bool shown = false;  ///< our client sees it: it is alive, and not hidden
    bool late = false;   ///< its pose waits for its turn
    core::Pace updates{kUpdateEvery, kUpdateBurst};
  };

  template <class T>
  void on(const T&, Outlet&) {}  // what a client never says
  template <class T>
  void told(const T&, const core::Fact&, Outlet&) {}  // what is in the world, and has no message

  // -- Coming in, and changing who one is: front_join.cc
  void on(const VersionUp& version, Outlet& out);
  void on(const GetWorldUp&, Outlet& out);
  void on(const GetResourceUp& wanted, Outlet& out);
  void on(const Enter& enter, Outlet& out);
  void on(const AddPlayer& changed, Outlet& out);
  void on(const Exit&, Outlet& out);
  void told(const words::Refused& refused, const core::Fact&, Outlet& out);
  void told(const words::Kicked& kicked, const core::Fact&, Outlet& out) { goodbye(kicked.text(), out); }
  void told(const words::Ready&, const core::Fact&, Outlet& out) { let_in(out); }
  void told(const words::Waiting& waiting, const core::Fact&, Outlet& out);
  void answer_world(Outlet& out);
  void build_world(Outlet& out);
  void let_in(Outlet& out);
  void change(const std::string& name, const std::string& motto, std::optional<std::uint8_t> team, Outlet& out);
  void confirm_change(Outlet& out);
  void refuse_change(Refusal reason, std::string_view why, Outlet& out);
  void check_change(Outlet& out);
  void tell_own_entry(Outlet& out);
  void reject(Refusal reason, std::string_view why, Outlet& out);
  void goodbye(std::string_view why, Outlet& out);

  // -- Who is there: front_cast.cc
  void told(const words::Player& player, const core::Fact& fact, Outlet& out);
  void told(const words::PlayerGone& gone, const core::Fact&, Outlet& out) { recast(gone.id(), out); }
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
  void enlist(core::Id player, core::Id unit, std::size_t nth, Outlet& out);
  AddPlayer entry(std::uint8_t number, const Actor& actor, std::size_t nth, Outlet& out) const;
  std::string callsign_for(const std::string& name, std::size_t nth) const;
  void dismiss(std::uint8_t number, Outlet& out);
  std::uint8_t number_of(core::Id player, std::uint8_t otherwise) const { return players_.wire_or(player, otherwise); }
  core::Id player_of(std::uint8_t number) const;
  core::Id own_unit() const;

  // -- Where they are, and how they die: front_play.cc
  void on(const AliveUp&, Outlet& out);
  void on(const PlayerUpdate& update, Outlet& out);
  void on(const Killed& killed, Outlet& out);
  void on(const Teleport& teleport, Outlet& out);
  void told(const words::Pose& pose, const core::Fact&, Outlet& out);
  void told(const words::Corrected& corrected, const core::Fact&, Outlet& out);
  void told(const words::Spawned& spawned, const core::Fact&, Outlet& out);
  void told(const words::Died& died, const core::Fact&, Outlet& out);
  void told(const words::Teleported& teleported, const core::Fact&, Outlet& out);
  void told(const words::Health& health, const core::Fact&, Outlet& out);
  void told(const words::ClaimRefused& refused, const core::Fact& fact, Outlet& out);
  void show(std::uint8_t number, Outlet& out);
  void put(std::uint8_t number, const words::Pose& there, Outlet& out);
  void update(std::uint8_t number, Actor& actor, Outlet& out);
  void revive(Outlet& out);
  void check_leash(Outlet& out);
  void check_death(Outlet& out);
  void correct(Outlet& out);

  // -- Shots: front_shots.cc
  void on(const ShotBegin& begin, Outlet& out);
  void on(const ShotEnd& end, Outlet& out);
  void on(const ShotUpdate& update, Outlet& out);
  void told(const words::Shot& shot, const core::Fact&, Outlet& out);
  void told(const words::ShotMoved& moved, const core::Fact&, Outlet& out);
  void told(const words::ShotEnded& ended, const core::Fact&, Outlet& out);
  std::optional<std::uint8_t> shot_number(std::uint8_t player, std::uint32_t wished, Outlet& out) const;
  void spare_own_tank(Outlet& out);

  // -- Flags, talk, time: front_talk.cc
  void on(const GrabFlagUp& grab, Outlet& out);
  void on(const DropFlagUp& drop, Outlet& out);
  void on(const Score& score, Outlet& out);
  void on(const ChatMessage& chat, Outlet& out);
  void told(const words::Token& token, const core::Fact&, Outlet& out);
  void told(const words::TokenTaken& taken, const core::Fact&, Outlet& out);
  void told(const words::TokenDropped& dropped, const core::Fact&, Outlet& out);
  void told(const words::TokenCaptured& captured, const core::Fact&, Outlet& out);
  void told(const words::Said& said, const core::Fact&, Outlet& out);
  void told(const words::Notice& notice, const core::Fact& fact, Outlet& out);
  void told(const words::Round& round, const core::Fact&, Outlet& out);
  void end_game(const words::Round& round, Outlet& out);
  void tell_clock(Outlet& out);
  void told(const words::WorldEdit&, const core::Fact&, Outlet& out) { out.lose(loss::kWorldEdit); }
  std::optional<FlagUpdate> flag_record(const words::Token& token, Outlet& out);

  // -- What lies there for who drives upon it: front_litter.cc
  std::optional<std::uint16_t> free_flag() const;
  void tell_pickup(core::Id unit, bool lies, Outlet& out);
  void see_pickup(core::Id unit, Outlet& out);
  void see_all_pickups(Outlet& out);
  void look_about(Outlet& out);

  void say(std::uint8_t from, std::uint8_t to, std::string_view text, Outlet& out);
  void server_says(std::string_view text, Outlet& out) { say(kServer, kNumber, text, out); }

  PeerLink peer_;
  Stage stage_ = Stage::kOutside;
  bool gone_ = false;
  core::Retelling retold_;

  // Joining.
  static constexpr std::uint8_t kNumber = kFirstPlayer;  // our client's; the others have what is free above
  words::Enter wish_;
  bool wants_world_ = false;
  core::Micros patience_ = 0;  // until when the world is waited for
  Buffer resource_;
  Md5 name_{};
  std::uint16_t most_shots_ = 20, most_flags_ = 512;
  std::string waiting_;        // what was said about it last
  core::Micros changing_ = 0;  // since when our client wants to be somebody else; 0: it does not

  // Everybody.
  std::map<std::uint8_t, Actor> cast_;
  core::Roster<std::uint8_t> players_, units_;
  core::Roster<std::uint16_t> flags_, pickups_;  // of one space of numbers: tokens, and units that lie there
  core::Litter litter_;
  core::ShownShots shots_;
  words::Team captured_ = words::TEAM_ANY;  // whose flag was taken home, at …
  core::Micros captured_at_ = 0;

  struct Own {
    core::OwnTank tank;
    std::uint32_t order = 0;
    core::Micros death_claimed = 0;  ///< 0: it lives, as far as it knows
    double health = 0;               ///< last told
    std::uint32_t last_shot = 256;
  };
  Own own_;
};

}  // namespace entente::bzdraft
