// Statistics of the players in a shared room, by game and dialect; and what a status query is told of the room. They
// can be read while the room runs and afterwards. Invariant: the room's thread writes, any thread reads. Only the first
// kMostNames names of each row are kept.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/word.h"

namespace entente::relay {

class Attendance {
 public:
  static constexpr std::size_t kMostNames = 32;

  /// The players of one game in one dialect.
  struct Row {
    std::string game_dialect;        ///< "bzflag 2.4"; "bot" for bots
    std::uint64_t players = 0;       ///< how many have come so far
    std::uint64_t present = 0;       ///< how many are there
    std::vector<std::string> names;  ///< of the first kMostNames that came
    std::uint64_t kills = 0, deaths = 0;
  };

  /// What the room says of its game, and who plays there now.
  struct Summary {
    std::string map, mode;           ///< "": not known, or without a name
    std::uint32_t players = 0;       ///< from all listeners, and bots
    std::uint32_t most_players = 0;  ///< 0: any number
  };

  /// Applies a fact. `game_dialect_of(player)` is called for each new player.
  template <class GameDialectOf>
  void told(const core::Fact& fact, GameDialectOf&& game_dialect_of) {
    if (const auto* player = core::as<words::Player>(fact)) {
      if (player->role() != words::WATCH && !there_.contains(player->id()))
        came(*player, game_dialect_of(player->id()));
    } else if (const auto* gone = core::as<words::PlayerGone>(fact)) {
      left(gone->id());
    } else if (const auto* died = core::as<words::Died>(fact)) {
      this->died(*died);
    } else if (const auto* room = core::as<words::Room>(fact)) {
      described(*room);
    } else if (const auto* world = core::as<words::World>(fact)) {
      named(world->name());
    }
  }

  /// Nobody is there any more. What has been counted stays.
  void room_ended();

  /// In the order of their names. From any thread.
  std::vector<Row> rows() const;
  /// From any thread.
  Summary summary() const;

 private:
  void came(const words::Player& player, const std::string& game_dialect);
  void left(core::Id player);
  void died(const words::Died& died);
  void described(const words::Room& room);
  void named(const std::string& map);

  mutable std::mutex mutex_;  // of rows_ and summary_
  std::map<std::string, Row> rows_;
  Summary summary_;
  std::unordered_map<core::Id, Row*, KeyedHash<core::Id>> there_;  // on the shared room's thread only
};

}  // namespace entente::relay
