// The shots that a client of a tank game is told of: others', the world's, and its own, which it has drawn itself.
// Law: where the server decides what they hit, our client must not: it would blow itself up; each ends once.
#pragma once

#include <optional>

#include "proxy/core/shown_shots.h"
#include "proxy/core/tank/tank_cast.h"
#include "proxy/core/tank/tank_keeper.h"

namespace entente::core {

class TankShots {
 public:
  void hear(const words::Shot& shot, FrontOut& out);
  void hear(const words::ShotEnded& ended, FrontOut& out);

  /// Ends those that would hit the client's own tank.
  void spare_own_tank(FrontOut& out);

  /// Null if there is none.
  const ShownShot* find(Id shooter, std::uint32_t shot) const { return shots_.find(shooter, shot); }
  const ShownShot* numbered(std::uint8_t player, std::uint16_t number) const { return shots_.numbered(player, number); }

 protected:
  /// `world`: the number of who fires the guns of the world. `drawn`: of our client, before it has fired.
  TankShots(const TankNumbers& cast, const TankKeeper& keeper, std::uint8_t world,
            std::optional<std::uint32_t> drawn = {})
      : cast_(cast), keeper_(keeper), world_(world), drawn_(drawn) {}
  ~TankShots() = default;

  /// Our client has fired that one.
  void set_drawn(std::uint32_t shot) { drawn_ = shot; }

  /// A number of that player's for a shot, as wished if it fits. Nothing: none is left.
  virtual std::optional<std::uint16_t> number_for(std::uint8_t player, std::uint32_t wished, FrontOut& out) = 0;
  /// What its game knows of it: its weapon, and where it leaves the gun. `shown` has all else. `mine`: our client's.
  virtual void dress(ShownShot& shown, const words::Shot& shot, bool mine) = 0;
  virtual void begin(const ShownShot& shown, const words::Shot& shot, FrontOut& out) = 0;
  virtual void end(const ShownShot& shown, bool burst, FrontOut& out) = 0;

  ShownShots shots_;

 private:
  const TankNumbers& cast_;
  const TankKeeper& keeper_;
  std::uint8_t world_;
  std::optional<std::uint32_t> drawn_;  // by our client, last
};

}  // namespace entente::core
