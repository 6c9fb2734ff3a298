// A player that nobody sits at: a front without a peer, which plays by words alone and so on every game's servers.
// Law: it acts on what the world shows and on the room's chance; the same room gives the same game.
#pragma once

#include <optional>
#include <string>

#include "proxy/core/session.h"
#include "proxy/core/tank/tank.h"

namespace entente::core {

enum class Behaviour : std::uint8_t {
  kIdle,    ///< stands where it spawned
  kWander,  ///< drives from one place to the next, and shoots now and then
  kHunt,    ///< drives at the nearest foe and shoots when it is in front and to be seen; else it roams
  kWatch,   ///< comes in as an onlooker, where the game has any; else it stands about
};

struct BotOptions {
  std::string name = "bot";
  Behaviour behaviour = Behaviour::kWander;
  words::Team team = words::TEAM_ANY;
};

/// What it has lived through.
struct BotTally {
  bool in = false;  ///< it has been let in and told everything
  std::uint32_t spawns = 0, deaths = 0, kills = 0, shots = 0;
  std::string refused;  ///< or kicked: by which words
};

class Bot final : public Front {
 public:
  explicit Bot(const BotOptions& options) : options_(options) {}

  void opened(const Peer& peer, FrontOut& out) override;
  void receive(Lane, Bytes, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut& out) override;
  void tick(FrontOut& out) override;

  const BotTally& tally() const { return tally_; }

 private:
  /// A place to go to.
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
  bool roams_ = false;              // its goal is a place by chance
  std::optional<Terrain> terrain_;  // of the world of that hash
  std::string terrain_of_;
};

}  // namespace entente::core
