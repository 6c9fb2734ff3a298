// The players that our client sees: one for each unit that can be shown as a tank. See core::TankPlayerTable.
#pragma once

#include <string>

#include "adapters/bzdraft/front/client.h"
#include "proxy/core/pace.h"
#include "proxy/core/tank/tank_player_table.h"

namespace entente::bzdraft {

struct PlayerEntry : core::TankPlayerEntry {
  AddPlayer said;         ///< as last sent
  std::string full_name;  ///< what its callsign was made of
  core::Pace updates{kUpdateEvery, kUpdateBurst};
};

class PlayerTable final : public core::TankPlayerTable<PlayerEntry> {
 public:
  PlayerTable(Client& client, core::TankDisplay& display)
      : TankPlayerTable(display, kNumber + 1, kLastPlayer), client_(client) {
    set_own_number(kNumber);
  }

  using TankPlayerTable::hear;
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
  void no_space(FrontOut& out) override;

  AddPlayer announcement(std::uint8_t number, std::size_t nth, const FrontOut& out);
  void free_own_callsign(FrontOut& out);
  std::string own_name(const FrontOut& out) const;
  std::string callsign_for(const std::string& name, std::size_t nth, const FrontOut& out) const;

  Client& client_;
};

}  // namespace entente::bzdraft
