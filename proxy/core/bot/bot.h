// A bot: a front without a client. It plays by words alone, so it can play on the servers of every game.
// Invariant: it acts only on the world and on the room's random numbers; the same room gives the same game.
#pragma once

#include <optional>
#include <string>

#include "proxy/core/gameplay/tank.h"
#include "proxy/core/room_member.h"

namespace entente::core {

enum class Behaviour : std::uint8_t {
  kIdle,    ///< stands where it spawned
  kWander,  ///< drives from place to place and sometimes shoots
  kHunt,    ///< drives at the nearest enemy and shoots if it is ahead and visible; otherwise it roams
  kWatch,   ///< joins as a spectator if the game has any; otherwise it stands still
};

struct BotOptions {
  std::string name = "bot";
  Behaviour behaviour = Behaviour::kWander;
  words::Team team = words::TEAM_ANY;
};

/// What has happened to it.
struct BotTally {
  bool in = false;  ///< it has been admitted and has received everything
  std::uint32_t spawns = 0, deaths = 0, kills = 0, shots = 0;
  std::string refused;  ///< the reason of a refusal or kick
};

/// A front that plays by words alone, without a client.
class BotFront : public Front {
 public:
  virtual const BotTally& tally() const = 0;
};

class Bot final : public BotFront {
 public:
  explicit Bot(const BotOptions& options) : options_(options) {}

  void opened(const Peer& peer, FrontOut& out) override;
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut& out) override;
  void tick(FrontOut& out) override;

  const BotTally& tally() const override { return tally_; }

 private:
  /// A place to drive to.
  struct Goal {
    double x = 0, y = 0;
    Micros until = 0;
  };

  void play(const words::Pose& self, FrontOut& out);
  void wander(const words::Pose& self, FrontOut& out);
  void roam(const words::Pose& self, FrontOut& out);
  bool sees(const words::Pose& self, const words::Pose& foe, FrontOut& out);
  void hunt(const words::Pose& self, const words::Pose& foe, FrontOut& out);
  void go_to(double x, double y, FrontOut& out);
  void shoot(const words::Pose& from, double yaw, FrontOut& out);
  double chance(FrontOut& out, double from, double to);

  const BotOptions options_;
  BotTally tally_;
  Goal goal_;
  Micros spawn_at_ = 0, shoot_at_ = 0;
  bool wants_spawn_ = false;
  std::uint32_t shot_ = 0;
  bool roams_ = false;              // its goal is a random place
  std::optional<Terrain> terrain_;  // of the world whose hash is terrain_of_
  std::string terrain_of_;
};

}  // namespace entente::core
