// The players that our client sees: one for each unit that can be shown as a tank. See core::TankCast.
#pragma once

#include <string>

#include "adapters/bzdraft/front/client.h"
#include "proxy/core/pace.h"
#include "proxy/core/tank/tank_cast.h"

namespace entente::bzdraft {

struct Actor : core::TankActor {
  AddPlayer said;  ///< as last sent
  core::Pace updates{kUpdateEvery, kUpdateBurst};
};

class Cast final : public core::TankCast<Actor> {
 public:
  Cast(Client& client, core::TankSight& sight) : TankCast(sight, kNumber + 1, kLastPlayer), client_(client) {
    set_own_number(kNumber);
  }

  using TankCast::hear;
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::Player& player, FrontOut& out);
  void hear(const words::Score& score, FrontOut& out);
  void hear(const words::TeamScore& score, FrontOut& out);

  /// The client enters: sends the scores of all teams.
  void send_teams(FrontOut& out) const;
  /// Sends our client its own data again.
  void tell_own_entry(FrontOut& out);

 private:
  void announce(std::uint8_t number, std::size_t nth, FrontOut& out) override;
  void dismissed(std::uint8_t number, FrontOut& out) override { client_.send(out, RemovePlayer{number}); }
  void no_room(FrontOut& out) override;

  AddPlayer entry(std::uint8_t number, std::size_t nth, const FrontOut& out) const;
  std::string callsign_for(const std::string& name, std::size_t nth) const;

  Client& client_;
};

}  // namespace entente::bzdraft
