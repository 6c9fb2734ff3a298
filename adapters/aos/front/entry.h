// How our client comes into play: it says who it is, its player spawns, and later changes side or weapon.
#pragma once

#include "adapters/aos/front/cast.h"

namespace entente::aos {

class Entry {
 public:
  Entry(Client& client, const Ground& ground, Newcomer& newcomer, Cast& cast)
      : client_(client), ground_(ground), newcomer_(newcomer), cast_(cast) {}

  void hear(const ExistingPlayer& player, FrontOut& out);
  void hear(const ChangeTeam& wish, FrontOut& out) { change(wish.team, std::nullopt, out); }
  void hear(const ChangeWeapon& wish, FrontOut& out) { change(std::nullopt, wish.weapon, out); }
  void hear(const ShortPlayerData& wish, FrontOut& out) { change(wish.team, wish.weapon, out); }
  void hear(const SetColour& colour, FrontOut& out);

  /// Into play, or up to where one watches, as soon as the room has it so.
  void enter(FrontOut& out);
  void ask_spawn(FrontOut& out);
  /// It died, and may ask so many seconds later.
  void wait(double seconds, FrontOut& out);
  /// It is in play.
  void spawned() { spawn_at_ = 0; }

  void side_changed() { side_asked_ = 0; }
  void check_side(FrontOut& out);
  void forget() { side_asked_ = 0; }

 private:
  void change(std::optional<std::uint8_t> team, std::optional<std::uint8_t> weapon, FrontOut& out);

  Client& client_;
  const Ground& ground_;
  Newcomer& newcomer_;
  Cast& cast_;
  core::Micros spawn_at_ = 0;    // when to wish for it (again)
  core::Micros side_asked_ = 0;  // when it asked for the other side; 0: it has it, or was answered
};

}  // namespace entente::aos
