// The tank that a back drives on a server for its player: its pose, its steering, and the pose that the server was told
// last.
// Invariant: the server is told the pose after each step whose result dead reckoning would not predict, no more often
// than it accepts.
#pragma once

#include <optional>

#include "proxy/core/gameplay/pending_claims.h"
#include "proxy/core/pace.h"
#include "proxy/core/tank/tank_driver.h"
#include "proxy/core/tank/tank_server_players.h"
#include "proxy/core/world.h"

namespace entente::core {

struct DrivenTank {
  bool alive = false;
  bool has_lived = false;    ///< the server has put it into play before
  bool spawn_early = false;  ///< its player asked to spawn before the server had let it in
  bool paused = false;       ///< by its player, as the server has confirmed, where the game lets players pause
  PendingClaims claims;
  Micros spawns_from = 0;  ///< the server puts it into play no earlier than this
  words::Pose pose;        ///< where it is
  Micros posed_at = 0;     ///< when it was there
  words::Pose sent;        ///< what the server was told last
  Micros sent_at = 0;
  std::uint32_t last_seq = 0;   ///< the highest that was given to a pose
  bool update_pending = false;  ///< `pose` waits for the rate limit
  Id wants_token = 0;           ///< the token that its player asked for last
  Steering steering;
  TankDriver driver;
  Terrain terrain;
  Micros driven_until = 0;  ///< the time up to which it was driven

  /// It spawned at `place`.
  void begin(const words::Pose& place, Micros now);
  /// It died, or the server removed it. `spawns_from`: the server puts it into play no earlier than this.
  void end(Micros spawns_from = 0);
  /// A request to pause or to go on is under way, or the tank is paused. A server may take offence at what it does.
  bool may_be_paused() const { return paused || claims.waits(Claim::kPause); }
  /// The server was told this place.
  void told(const words::Pose& place, Micros now);
  /// The client claims this place.
  void claimed(const words::Pose& place, Micros now);

  /// The time from the last tick to now.
  struct TimeStep {
    Micros since = 0;
    double dt = 0;  ///< seconds, at most 0.2
    TankState was;
  };
  /// The next step; nothing if the tank is dead or already up to date.
  std::optional<TimeStep> step(Micros now);
  /// Where dead reckoning by others puts it.
  words::Pose seen(Micros now) const { return place_at(sent, sent_at, now, 10); }
};

class TankOnServer : public DrivenTank {
 public:
  void hear(const words::Spawn&, BackOut& out);
  void hear(const words::PoseClaim& claim, BackOut& out);
  /// False: the word is not about steering. Keys of a player who claims its places do not drive the tank, because its
  /// client moves by them itself, at its own speed; they only show where it looks.
  bool steer(const Intent& intent);
  /// The server has let the player in: asks for the life that it wanted before, if it did.
  void arrive(BackOut& out);
  /// A request to spawn had no answer: asks again, at longer and longer intervals. True: the server may take the tank
  /// for alive.
  bool spawn_late(int times, BackOut& out);

  /// The server put it into play, there.
  void begin_life(const words::Pose& place, BackOut& out);
  bool may_act() const { return state_.in() && alive && !may_be_paused(); }
  void report(const words::Pose& place, BackOut& out);
  void report_if_due(BackOut& out);
  /// The next tick: often while it is in play.
  void schedule_tick(BackOut& out) const;

  virtual TankModel model() const = 0;
  virtual TankModel target() const { return model(); }    ///< what shots have to hit
  virtual double jump() const = 0;                        ///< upwards, in metres a second; 0: it must not jump
  virtual double near() const { return kReached; }        ///< a goal is reached within this many metres
  virtual void drove(const TankState& to, BackOut&) = 0;  ///< after a step that the player's client did not drive

 protected:
  TankOnServer(const JoinState& state, TankServerPlayers& players, Pace updates)
      : state_(state), players_(players), updates_(updates) {}
  ~TankOnServer() = default;

  virtual void ask_to_spawn(BackOut& out) = 0;
  /// Limits a claimed pose to what the server accepts, and numbers it.
  virtual void limit_and_number(words::Pose& place) = 0;
  virtual void tell_server(const words::Pose& place, BackOut& out) = 0;

  const JoinState& state_;
  TankServerPlayers& players_;

 private:
  void request_spawn(Micros patience, BackOut& out);
  Micros silence() const;
  words::Pose standing();

  Pace updates_;
};

/// Limits a pose to what the server accepts: at most `most` metres a second, and x and y within `edge` of the centre.
void keep_within(words::Pose& pose, double most, double edge);

}  // namespace entente::core
