// Where tanks are, as our client sees them, and how they die.
// Law: no client is told of a death that did not happen, or twice of one that did; of each tank it is told the newest,
// no oftener than it can draw.
#pragma once

#include "adapters/bzflag/front/cast.h"
#include "adapters/bzflag/front/shots.h"
#include "proxy/core/next_look.h"
#include "proxy/core/tank/tank_keeper.h"

namespace entente::bzflag {

class Tanks {
 public:
  Tanks(Client& client, Cast& cast, core::TankKeeper& keeper, Shots& shots, const core::Retelling& retold)
      : client_(client), cast_(cast), keeper_(keeper), shots_(shots), retold_(retold) {}

  void hear(const words::Died& died, FrontOut& out);
  void hear(const words::Teleported& teleported, FrontOut& out);

  /// Into play, there; for our own client also the only way to move it.
  void put(std::uint8_t number, const words::Pose& there, FrontOut& out);
  /// The newest pose, now or when it is this tank's turn.
  void update(std::uint8_t number, FrontOut& out) { update(number, cast_.at(number), out); }
  /// Our client sees that tank, or no longer.
  void show(std::uint8_t number, FrontOut& out);
  /// Who is there has changed.
  void look_anew() { next_look_.now(); }
  /// Tells of those whose turn it is.
  void update_late(FrontOut& out);

 private:
  void update(std::uint8_t number, Actor& actor, FrontOut& out);
  Message newest(std::uint8_t number, Actor& actor, FrontOut& out);
  static words::Pose seen(Actor& actor, const core::UnitState& state, FrontOut& out);
  static core::Micros due_at(const Actor& actor, const FrontOut& out);

  Client& client_;
  Cast& cast_;
  core::TankKeeper& keeper_;
  Shots& shots_;
  const core::Retelling& retold_;
  core::NextLook next_look_;  // whether the client must be told of any
};

}  // namespace entente::bzflag
