// How our client comes into play: it says who it is, it spawns, and later it changes side or weapon.
#pragma once

#include <optional>
#include <string_view>

#include "adapters/aos/front/player_table.h"

namespace entente::aos {

class Entry {
 public:
  Entry(Client& client, const MapSender& map, ClientProfile& profile, PlayerTable& players)
      : client_(client), map_(map), profile_(profile), players_(players) {}

  void hear(const ExistingPlayer& player, FrontOut& out);
  void hear(const ChangeTeam& wish, FrontOut& out) { change(wish.team, std::nullopt, out); }
  void hear(const ChangeWeapon& wish, FrontOut& out) { change(std::nullopt, wish.weapon, out); }
  void hear(const ShortPlayerData& wish, FrontOut& out) { change(wish.team, wish.weapon, out); }
  void hear(const SetColour& colour, FrontOut& out);

  /// Puts our client into play, or where spectators watch, as soon as the room does.
  void enter(FrontOut& out);
  void ask_spawn(FrontOut& out);
  /// Our client died. It may ask for a spawn after `seconds`.
  void wait(double seconds, FrontOut& out);
  /// Our client is in play.
  void spawned() { spawn_at_ = 0; }

  /// The client has loaded a map, and the sides are known. If it has entered before, and the room is one of this game,
  /// it enters again unless it has entered on that side.
  void catch_up(FrontOut& out);

  void side_changed() { side_asked_ = 0; }
  /// The room refuses something that our client asked for. `why` may be empty.
  void hear_refused(std::string_view why, FrontOut& out);
  void check_side(FrontOut& out);
  /// Our client loads another map.
  void forget() {
    side_asked_ = 0;
    early_side_.reset();
  }

 private:
  void come(FrontOut& out);
  bool watches(const FrontOut& out) const;
  void take_role(bool watched, FrontOut& out);
  void join(const ExistingPlayer& player, FrontOut& out);
  void watch(FrontOut& out);
  void change(std::optional<std::uint8_t> team, std::optional<std::uint8_t> weapon, FrontOut& out);

  Client& client_;
  const MapSender& map_;
  ClientProfile& profile_;
  PlayerTable& players_;
  std::optional<std::uint8_t> early_side_;  // wished before the map was loaded
  bool came_ = false;                       // a server of this game was told that it comes
  core::Micros spawn_at_ = 0;               // when to ask for a spawn (again)
  core::Micros side_asked_ = 0;             // when it asked for another side; 0: no answer is pending
};

}  // namespace entente::aos
