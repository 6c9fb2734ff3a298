// The unit of the back's own player, a man. His keys and his direction of view move his body, 60 steps a second. Keys
// and direction are sent to the server when they change, the place once a second.
// Invariant: a place that the server sends for him takes effect at once.
#pragma once

#include <array>

#include "adapters/aos/back/server_players.h"
#include "adapters/aos/world/body.h"
#include "adapters/aos/world/pilot.h"
#include "proxy/core/gameplay/steering.h"

namespace entente::aos {

class Man {
 public:
  Man(Server& server, ServerPlayers& players) : server_(server), players_(players) {}

  void begin_life(const CreatePlayer& created, BackOut& out);
  void end_life();
  /// The next map comes.
  void forget();
  bool may_act() const { return server_.in() && life_.alive; }
  /// Whether the player's client is one of this game: it then moves the body, uses the hands and reports hits itself.
  bool client_moves_body() const { return heard_keys_ && heard_claim_; }
  const Vec3& place() const { return life_.body.position; }
  const Vec3& look() const { return life_.look; }
  core::Steering& steering() { return steering_; }

  void hear(const PositionData& position, BackOut& out);
  void hear(const OrientationData&, BackOut& out) { out.drop(drops::kOrientation); }
  void hear(const words::Keys& keys, BackOut& out);
  void hear(const words::PoseClaim& claim, BackOut& out);
  /// False: the word is not about steering.
  bool steer(const core::Intent& intent);

  /// A snapshot came. If it came late, the server has stalled, and has just read everything that was sent to it
  /// meanwhile: a place sent now would come too soon after the last one, so none is sent for a while.
  void mind_stall(BackOut& out);
  /// Compares his place with the one in a snapshot, and corrects it if they differ for too long.
  void compare(const Vec3& seen, BackOut& out);
  /// Skips the steps that were missed because a tick came too late.
  void catch_up(BackOut& out);
  /// Moves him up to now. `aiming`: he looks over the sights of his gun.
  void drive(bool aiming, BackOut& out);
  /// He looks along a shot that he is about to fire.
  void look_to_shoot(const Vec3& look, BackOut& out);
  void keep_alive(BackOut& out) const;

 private:
  core::Micros next_step() const { return life_.since + (life_.steps + 1) * core::kSecond / kStepsPerSecond; }
  void be_at(const Vec3& position, BackOut& out);
  Urge urge_now(bool aiming, BackOut& out);
  void correct_client(BackOut& out);
  void mind_speed(double off, BackOut& out);
  void tell_server(const Urge& urge, BackOut& out);
  void send_keys(std::uint8_t keys, BackOut& out);
  void send_look(const Vec3& look, BackOut& out);
  void send_place(BackOut& out);
  bool may_send_place(core::Micros every, BackOut& out) const;
  void send_state(const Urge& urge, BackOut& out);
  void tell_pose(BackOut& out);
  words::Pose pose() const;

  Server& server_;
  ServerPlayers& players_;
  core::Steering steering_;
  bool by_keys_ = false;
  bool heard_keys_ = false, heard_claim_ = false;

  struct Life {
    bool alive = false;
    Body body;
    Pilot pilot;
    core::Micros since = 0;  ///< its steps are counted from here
    std::uint64_t steps = 0;
    std::uint8_t keys = 0;  ///< those that the player presses, if it steers by keys
    Vec3 look{1, 0, 0};
    core::Micros look_until = 0;     ///< until when it looks along a shot
    core::Micros astray = 0;         ///< since when the server sees it elsewhere; 0: it does not
    core::Micros client_astray = 0;  ///< since when the client is elsewhere
    core::Micros corrected = 0;
    double told_speed = kWalks;  ///< in blocks a second: the client was told to be no faster
    core::Micros speed_told_at = 0;
    words::Pose told;  ///< the last one that the room was sent
    core::Micros told_at = 0;

    // What was last sent to the server.
    std::uint8_t keys_sent = 0;
    Vec3 look_sent{1, 0, 0};
    core::Micros look_sent_at = 0;
    Vec3 place_sent{};
    core::Micros place_sent_at = 0;
    core::Micros snapshot_at = 0;  ///< when the server last showed where everybody is; 0: never
    core::Micros place_from = 0;   ///< after a stall, no place is sent before this
  };
  Life life_;

  /// What a State Update repeats: the last 30 steps.
  struct Track {
    std::uint32_t sequence = 0;
    std::array<std::uint8_t, 30> inputs{};
    std::array<Motion, 30> motions{};
    bool told = false;  ///< an update was sent in this life
  };
  Track track_;
};

}  // namespace entente::aos
