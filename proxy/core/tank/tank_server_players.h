// The players on a server of a tank game, as the server reports them to a back: each has one tank, or watches.
// Invariant: a tank that died comes into play again only when the server says so; updates that come late do not revive
// it.
#pragma once

#include <map>

#include "proxy/core/id_map.h"
#include "proxy/core/tank/join_state.h"

namespace entente::core {

struct TankServerPlayer {
  words::Player player;
  std::int16_t team = 0;  ///< the game's number
  Id unit = 0;            ///< 0: it watches
  bool alive = false;
  bool died = false;  ///< since it was last put into play
};

class TankServerPlayers {
 public:
  explicit TankServerPlayers(const JoinState& state) : state_(state) {}

  /// Null: nobody has that number.
  TankServerPlayer* find(std::uint8_t number);
  /// The back's own player. Null: the server has not reported it yet.
  TankServerPlayer* own() { return find(state_.number); }
  /// 0: nobody has that number.
  Id id_of(std::uint8_t number) const;
  std::uint8_t number_of(Id player, std::uint8_t otherwise) const { return ids_.number_or(player, otherwise); }
  auto begin() const { return players_.begin(); }
  auto end() const { return players_.end(); }

  /// The server has admitted the back's own player, and may now refer to it.
  void add_own() { ids_.add(state_.number, state_.me); }
  /// The player with that number; a new one if nobody had it.
  TankServerPlayer& meet(std::uint8_t number, BackOut& out);
  void tell_tank(TankServerPlayer& one, double radius, BackOut& out);
  /// The player only watches from now on. REQUIRES: it has a tank.
  void forget_tank(TankServerPlayer& one, BackOut& out);
  void tell_score(Id player, std::uint32_t wins, std::uint32_t losses, std::uint32_t team_kills, BackOut& out) const;
  void forget(std::uint8_t number, BackOut& out);

  /// The tank comes into play there. Null: there is no such tank.
  TankServerPlayer* spawn(std::uint8_t number, words::Pose& place, BackOut& out);
  /// The server shows where the tank of another player is. That tank is alive.
  void move(std::uint8_t number, words::Pose place, BackOut& out);
  /// `died`: without its player and unit. Null: there is no such tank, or it is dead already.
  TankServerPlayer* die(std::uint8_t number, words::Died died, BackOut& out);
  void teleport(std::uint8_t number, std::uint32_t from, std::uint32_t to, BackOut& out);
  /// Writes into the shot who fired it, and returns that player. Null: a gun of the world fired it.
  const TankServerPlayer* set_shooter(std::uint8_t number, words::Shot& shot);

 private:
  TankServerPlayer* tank(std::uint8_t number);

  const JoinState& state_;
  std::map<std::uint8_t, TankServerPlayer> players_;
  IdMap<std::uint8_t> ids_;
};

}  // namespace entente::core
