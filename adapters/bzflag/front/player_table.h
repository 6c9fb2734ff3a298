// The players that our client sees: one for each unit that can be shown as a tank. See core::TankPlayerTable.
#pragma once

#include <string>

#include "adapters/bzflag/front/client.h"
#include "proxy/core/gameplay/tile_interpolator.h"
#include "proxy/core/pace.h"
#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/tank/tank_player_table.h"

namespace entente::bzflag {

struct PlayerEntry : core::TankPlayerEntry {
  std::string callsign;   ///< as our client knows it; no other player has it
  std::string full_name;  ///< as the room knows it; may be longer, or shared
  std::int16_t team = 0;
  std::uint32_t badges = 0;
  std::uint32_t order = 0;
  std::uint8_t salt = 0;  ///< a part of its shots' numbers
  core::Pace updates{core::kSecond / 25, 6};
  core::TileInterpolator interpolator;  ///< for a unit that its world moves by whole tiles
  core::Micros rests_at = 0;            ///< when its glide ends; 0: it has ended
  core::Micros told = 0;                ///< when our client was last sent its pose
};

class PlayerTable final : public core::TankPlayerTable<PlayerEntry> {
 public:
  PlayerTable(Client& client, core::TankDisplay& display, const core::ResyncPhase& resync)
      : TankPlayerTable(display, 0, kMostPlayers - 1), client_(client), resync_(resync) {}

  /// The client's number is known.
  void take_number() { set_own_number(client_.number()); }

  using TankPlayerTable::hear;
  void hear(const words::Unit& unit, FrontOut& out);
  /// `audience`: to whom the fact was addressed.
  void see_player(const words::Player& player, words::Audience audience, FrontOut& out);

 private:
  void announce(std::uint8_t number, std::size_t nth, FrontOut& out) override;
  void announced(std::uint8_t number, FrontOut& out) override;
  void dismissed(std::uint8_t number, FrontOut& out) override;
  void no_space(FrontOut& out) override;
  bool waits(std::uint8_t number) const override { return number == own_number() && !own().alive; }

  void describe(std::uint8_t number, std::size_t nth, const FrontOut& out);
  void tell_entry(std::uint8_t number, FrontOut& out) const;
  void tell_rabbit(std::uint8_t number, FrontOut& out) const;
  void tell_badges(std::uint8_t number, std::uint32_t badges, FrontOut& out);
  std::string own_name(const FrontOut& out) const;
  std::string callsign_for(const std::string& name, std::size_t nth, const FrontOut& out) const;

  Client& client_;
  const core::ResyncPhase& resync_;
};

}  // namespace entente::bzflag
