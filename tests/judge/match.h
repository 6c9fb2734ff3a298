// A match on a server that believes its clients, as most games' servers do, in simulated time. Some of the clients
// cheat. Invariant: the same seed and number of players give the same facts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "tests/judge/field.h"
#include "tests/judge/player.h"

namespace entente::judged {

class Match {
 public:
  using Sink = std::function<void(const core::Fact&)>;

  /// `cheats`: by player. Everything that is true is told to `sink`, in the order of time.
  Match(std::uint64_t seed, const std::vector<CheatKind>& cheats, Sink sink);

  void play(double seconds);
  const std::vector<std::unique_ptr<Player>>& players() const { return players_; }

 private:
  /// In the air, where it really is.
  struct Shot {
    Player* shooter;
    std::uint32_t number;
    std::array<double, 3> at, velocity;
    double until;
    bool through;  // nothing but a tank stops it
  };
  struct Flag {
    FlagKind kind;
    double x, y;
    Player* carrier = nullptr;  // as the server says
    Player* wanted_by = nullptr;
  };

  // At the server.
  void tell(core::Fact fact);
  void at_server(double at, std::function<void()> what) { events_.emplace(at, std::move(what)); }
  void open();
  void enter(Player& player);
  void leave(Player& player);
  void take_place(Player& player, const words::Pose& pose);
  void die_there(Player& player, std::uint32_t killer, std::uint32_t shot);
  void drop(Flag& flag, double x, double y);
  words::Token token_of(const Flag& flag) const;

  // At a client.
  void step(Player& player);
  void spawn(Player& player);
  void act(Player& player, core::Controls& controls);
  void roam(const Player& player, core::Controls& controls) const;
  void choose_goal(Player& player) const;
  void choose_target(Player& player);
  void aim(Player& player, core::Controls& controls);
  void fire_if_loaded(Player& player, double yaw);
  void fire(Player& player, double yaw);
  void teleport_if_there(Player& player);
  void cheat_place(Player& player);
  void use_flags(Player& player);
  void send_place(Player& player, bool at_once);
  void die(Player& player, const Shot& shot);
  void fly(double dt);

  bool enemies(const Player& one, const Player& other) const;
  bool sees(const Player& one, const words::Pose& other) const;
  const FlagKind* flag_of(const Player& player) const;
  double speed_of(const Player& player) const;
  words::Pose known(const Player& viewer, const Player& other, bool truth) const;
  double lead(const Player& player, const words::Pose& target, double share) const;
  double yaw_of_cheat(Player& player);

  Chance chance_;
  Field field_;
  Sink sink_;
  std::vector<std::unique_ptr<Player>> players_;
  std::vector<Shot> shots_;
  std::vector<Flag> flags_;
  std::multimap<double, std::function<void()>> events_;
  double now_ = 0;
};

}  // namespace entente::judged
