// The front of Panic: acts as a server towards real clients. It sends nothing until the player can play; then it keeps
// the client's picture up to date, and converts the client's requests to intents.
// Invariant: nobody can act for another player or with another player's tank, although the released server allows it.
#pragma once

#include <string>

#include "adapters/panic/front/screen.h"
#include "proxy/core/faces.h"
#include "proxy/core/gameplay/tank.h"
#include "proxy/core/replay/resync_phase.h"

namespace entente::panic {

class PanicFront final : public core::Front {
 public:
  /// `maps`: the client's own maps.
  PanicFront(const core::FaceOptions& options, const std::shared_ptr<const Maps>& maps);

  void opened(const core::Peer& peer, core::FrontOut& out) override;
  void receive(const Frames& frames, core::FrontOut& out) override;
  void hear(const core::Fact& fact, core::FrontOut& out) override;
  void tick(core::FrontOut& out) override;
  std::optional<core::Absence> try_reserve_seat(const core::FrontOut& out) override;
  void returned(const core::Peer& peer, core::FrontOut& out) override;

 private:
  using Out = core::FrontOut;
  enum class Phase : std::uint8_t { kAsked, kResuming, kEntered, kPlaying, kWatching, kLeft };

  /// A step that was requested and is not known to be done.
  struct Pending {
    core::Id unit = 0;
    Direction direction = Direction::kNone;
    Tile goal;
    core::Micros since = 0;
    Direction next = Direction::kNone;  ///< the newest direction that was asked for meanwhile
    Direction shot = Direction::kNone;  ///< the newest shot in another direction that was asked for meanwhile
  };

  // Joining.
  void enter(Out& out);
  static std::string hash_of_world(const Out& out);
  void advance(Out& out);
  void ask_spawn(Out& out);
  bool waits_to_spawn(const Out& out) const;
  void ask_sooner(Out& out);
  void take_terrain(Out& out);
  bool in_play(const Out& out) const;
  std::uint16_t number(const Out& out) const;
  void resume(std::uint16_t number, Out& out);
  void start_again(Out& out);
  void greet_again(Out& out);

  // What the client asks for.
  void act(const Action& action, Out& out);
  void drive(core::Id unit, Direction direction, Out& out);
  bool is_turning_to_step(core::Id unit, const Out& out) const;
  void shoot(core::Id unit, Direction direction, Out& out);
  bool fits(core::Id unit, Tile from, Tile tile, Direction direction, const Out& out) const;
  void look_at_step(Out& out);
  void leave(std::string_view why, Out& out);
  void weigh(core::Id unit, Out& out);

  // What the room says. Other kinds of facts cannot be shown to a client.
  template <class T>
  void on(const T& word, Out& out);
  void on(const words::Refused& refused, Out& out);
  void on(const words::ClaimRefused& refused, Out& out);
  void on(const words::Kicked& kicked, Out& out) { leave(kicked.text(), out); }
  void on(const words::World& world, Out& out);
  void on(const words::WorldEdit& edit, Out& out);
  void on(const words::Player& player, Out& out);
  void on(const words::PlayerGone& gone, Out& out);
  void on(const words::Owns& owns, Out& out);
  void on(const words::Unit& unit, Out& out);
  void on(const words::UnitChanged& changed, Out& out);
  void on(const words::Pose& pose, Out& out);
  void on(const words::Corrected& corrected, Out& out) { screen_.look_at(corrected.pose().unit(), out); }
  void on(const words::Hidden& hidden, Out& out) { screen_.look_at(hidden.unit(), out); }
  void on(const words::Gone& gone, Out& out);
  void on(const words::Teleported& teleported, Out& out) { screen_.look_at(teleported.unit(), out); }
  void on(const words::Spawned& spawned, Out& out);
  void on(const words::Died& died, Out& out);
  void on(const words::Health& health, Out& out) { screen_.look_at(health.unit(), out); }
  void on(const words::Ammo& ammo, Out& out);
  void on(const words::Shot& shot, Out& out);
  void on(const words::Token& token, Out& out) { screen_.look_at_token(token.id(), out); }
  void on(const words::TokenTaken& taken, Out& out) { screen_.look_at_token(taken.token().id(), out); }
  void on(const words::TokenDropped& dropped, Out& out) { screen_.look_at_token(dropped.token().id(), out); }
  void on(const words::TokenCaptured& captured, Out& out) { screen_.look_at_token(captured.token(), out); }
  void on(const words::Round& round, Out& out);
  void on(const words::Waiting&, Out&) {}  // nothing to send: the client waits until it is greeted
  void on(const words::Ready&, Out&) {}
  void on(const words::Room&, Out&) {}
  void on(const words::You&, Out&) {}

  std::string name_;
  words::Role role_;  // the role that it asks for
  bool starts_again_, maps_fail_;
  core::Micros asks_for_;  // how long a new client may take to identify itself
  std::unique_ptr<wire::MessageCodec<Message>> codec_;
  Screen screen_;
  core::Terrain terrain_;  // of a world of another game
  Phase phase_ = Phase::kAsked;
  bool greeted_ = false;  // the client was told its number, by which it can return
  core::ResyncPhase resync_;
  core::Micros enter_at_ = 0;
  core::Micros spawn_at_ = 0;  // when to ask for a spawn (again); 0: not needed
  bool spawn_asked_ = false;   // since the last death
  std::uint32_t shots_ = 0;
  core::Id selected_ = 0;
  bool counts_ammo_ = true;  // the room reports no ammunition, so we count
  std::int32_t ammo_ = kFullAmmo;
  std::string world_;  // the hash of the world that the client was shown
  Pending step_;
};

}  // namespace entente::panic
