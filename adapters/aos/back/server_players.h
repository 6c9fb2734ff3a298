// The players on the server of a back, and the facts about them for the room.
#pragma once

#include <cmath>
#include <map>

#include "adapters/aos/back/server.h"
#include "adapters/aos/world/body.h"
#include "adapters/aos/world/sight.h"
#include "proxy/core/id_map.h"

namespace entente::aos {

struct ServerPlayer {
  words::Player player;
  core::Id unit = 0;  ///< 0: a spectator
  std::uint8_t team = kSpectator, weapon = 0, tool = kGun, keys = 0, buttons = 0;
  std::uint32_t kills = 0, deaths = 0, shots = 0;
  bool alive = false;
  bool died = false;  ///< has died, and was not created since: late snapshots do not revive it
  bool hidden = false;
  Vec3 position{}, orientation{1, 0, 0}, velocity{};  ///< as the room knows them
  core::Micros posed_at = 0;                          ///< when the room was told these
  core::Micros shot_at = 0;                           ///< the last shot told

  Vec3 reckoned(core::Micros now) const;
};

inline float distance(const Vec3& a, const Vec3& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

class ServerPlayers {
 public:
  explicit ServerPlayers(const Server& server) : server_(server) {}

  /// Null: nobody has that number.
  ServerPlayer* find(std::uint8_t number);
  /// Our own player. Null: the server has not introduced it yet.
  ServerPlayer* own() { return find(server_.number); }
  /// 0: nobody has that number.
  core::Id id_of(std::uint8_t number) const;
  /// Null: nobody on the server is that player.
  const std::uint8_t* number_of(core::Id player) const { return ids_.number(player); }
  auto begin() { return players_.begin(); }
  auto end() { return players_.end(); }
  auto begin() const { return players_.begin(); }
  auto end() const { return players_.end(); }

  /// The side of `team`. For TEAM_ANY the smaller one: piqueserver lets no side become larger than the other by two.
  std::uint8_t side_for(words::Team team) const;

  /// The player with that number; a new one if nobody has it.
  ServerPlayer& meet(std::uint8_t number, BackOut& out);
  /// False: nobody had that number.
  bool forget(std::uint8_t number, BackOut& out);
  void forget_all(BackOut& out);

  /// Tells the room of a player and its unit. The unit has no place before it is created or seen.
  void tell(ServerPlayer& one, BackOut& out);
  static void tell_score(const ServerPlayer& one, BackOut& out);
  static void tell_spawned(ServerPlayer& one, BackOut& out);
  static void tell_pose(ServerPlayer& one, BackOut& out);
  static void tell_input(const ServerPlayer& one, BackOut& out);
  static void tell_shot(ServerPlayer& one, BackOut& out);

  void hear(const Grenade& grenade, BackOut& out);

 private:
  const Server& server_;
  std::map<std::uint8_t, ServerPlayer> players_;
  core::IdMap<std::uint8_t> ids_;
};

}  // namespace entente::aos
