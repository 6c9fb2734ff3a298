// The shots that a client of a tank game is told about: those of other players and of the world, and its own, which it
// draws itself.
// Invariant: where the server decides hits, a shot ends before the client could count itself hit. Each shot ends once.
#pragma once

#include <optional>

#include "proxy/core/gameplay/shown_shots.h"
#include "proxy/core/tank/tank_keeper.h"
#include "proxy/core/tank/tank_player_table.h"

namespace entente::core {

class TankShots {
 public:
  void hear(const words::Shot& shot, FrontOut& out);
  void hear(const words::ShotEnded& ended, FrontOut& out);

  /// Ends the shots that would hit the client's own tank.
  void end_shots_near_own_tank(FrontOut& out);

  /// Null if there is none.
  const ShownShot* find(Id shooter, std::uint32_t shot) const { return shots_.find(shooter, shot); }
  const ShownShot* numbered(std::uint8_t player, std::uint16_t number) const { return shots_.numbered(player, number); }

 protected:
  /// `world_number`: the player number that fires the world's guns. `drawn`: the value before the first draw_own().
  TankShots(const TankNumbers& numbers, const TankKeeper& keeper, std::uint8_t world_number,
            std::optional<std::uint32_t> drawn = {})
      : numbers_(numbers), keeper_(keeper), world_number_(world_number), drawn_(drawn) {}
  ~TankShots() = default;

  /// The client has fired this shot, and draws it for `life` seconds. Keeps it, so that the client can be told of its
  /// end. `weapon`: in the client's game.
  void draw_own(std::uint16_t shot, std::uint32_t weapon, double life, const FrontOut& out);

  /// A shot number of this player: the wished one if it fits. Nothing: none is free.
  virtual std::optional<std::uint16_t> number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) = 0;
  /// Sets what only the game knows: the weapon, and where the shot leaves the gun.
  virtual void add_details(ShownShot& shown, const words::Shot& shot) = 0;
  virtual void begin(const ShownShot& shown, const words::Shot& shot, FrontOut& out) = 0;
  virtual void end(const ShownShot& shown, bool burst, FrontOut& out) = 0;

  ShownShots shots_;

 private:
  const TankNumbers& numbers_;
  const TankKeeper& keeper_;
  std::uint8_t world_number_;
  std::optional<std::uint32_t> drawn_;  // the last shot that the client fired
};

}  // namespace entente::core
