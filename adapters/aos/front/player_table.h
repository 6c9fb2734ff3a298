// The room's players and units, shown as the 32 players that a client has room for.
// Invariant: a client hears only of players that it was introduced to. A shown player keeps its number, and a freed
// number stays unused for a while.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "adapters/aos/front/client.h"
#include "adapters/aos/front/client_profile.h"
#include "adapters/aos/front/map_sender.h"
#include "proxy/core/replay/resync_phase.h"

namespace entente::aos {

/// Whether it lies on the plane of an Ogar server, and is shown as blocks of the floor (FloorMarks).
inline bool is_on_floor(const words::Unit& unit) {
  const auto kind = unit.kind();
  return kind == words::Unit::PELLET || kind == words::Unit::EJECTED || kind == words::Unit::VIRUS ||
         kind == words::Unit::MOTHER;
}

using Slot = std::uint8_t;
inline constexpr Slot kOwn = 0;  ///< our client's number; the others get free numbers above it

/// A player as our client sees it: our client itself, or any other unit.
struct PlayerEntry {
  core::Id player = 0;  ///< 0: nobody has this number
  core::Id unit = 0;    ///< 0: not in play
  bool told = false;    ///< the client was told that it exists
  bool alive = false;   ///< the client was told that it is in play
  bool watches = false;
  bool dead = false;    ///< waits for a spawn: its death named no unit, or it is our client in a room of another game
  bool unseen = false;  ///< introduced, and alive for the client, but its place is not known yet
  std::uint8_t side = kBlue, weapon = 0, tool = kGun, keys = 0, buttons = 0;
  bool has_keys = false;  ///< the room sends its keys
  std::string name;       ///< as on the wire
  std::string full_name;  ///< in the room
  std::optional<std::uint32_t> colour;
  core::Micros keyed = 0, shooting = 0;  ///< when its keys were last guessed; until when it is shown shooting
  core::Micros freed = 0;                ///< when this number became free; 0: never used
  Motion motion;                         ///< as last sent
  core::Micros created = 0;              ///< when it was last put into play; 0: never
  Vec3 created_at{};                     ///< and where
  core::Micros told_whole = 0;           ///< when the client was last sent all of it (state_updates)
};

/// Called when our client is put into play, or moved by being put into play again.
class OwnLife {
 public:
  virtual void begins(const PlayerEntry& own, FrontOut& out) = 0;

 protected:
  ~OwnLife() = default;
};

class PlayerTable {
 public:
  PlayerTable(Client& client, const MapSender& map, const ClientProfile& profile, const core::ResyncPhase& resync,
              OwnLife& life)
      : client_(client), map_(map), profile_(profile), resync_(resync), life_(life) {}

  void hear(const words::Player& player, FrontOut& out);
  void hear(const words::PlayerGone&, FrontOut& out) { reassign(out); }
  void hear(const words::Owns&, FrontOut& out) { reassign(out); }
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::UnitChanged& changed, FrontOut& out);
  void hear(const words::Gone&, FrontOut& out) { reassign(out); }
  void hear(const words::Score& score, FrontOut& out);
  void hear(const words::Spawned& spawned, FrontOut& out);
  void hear(const words::Input& input, FrontOut& out);

  /// The client has loaded a map: introduces the players that are there.
  void greet(FrontOut& out);
  /// The client has forgotten all players.
  void clear() { entries_ = {}; }
  /// Players or units have changed: updates what the client is shown.
  void reassign(FrontOut& out);
  /// Updates players whose name, side, weapon or role has changed.
  void redress(FrontOut& out);
  /// Called before each snapshot.
  void refresh(FrontOut& out);
  /// Puts our client into play at `pose`. This is the surest way to move it.
  void create_own(const words::Pose& pose, FrontOut& out) { create(kOwn, pose, out); }
  /// Makes our client a spectator, high above the middle of the map.
  void watch_own(FrontOut& out) { create_watcher(kOwn, out); }
  void describe_own(FrontOut& out) { describe(own(), out); }

  /// Sends the keys of a player, and its mouse buttons.
  void press_keys(Slot slot, std::uint8_t keys, FrontOut& out);
  void press(Slot slot, std::uint8_t buttons, FrontOut& out);
  void show_colour(Slot slot, std::uint32_t colour, FrontOut& out);

  PlayerEntry& operator[](Slot slot) { return entries_[slot]; }
  const PlayerEntry& operator[](Slot slot) const { return entries_[slot]; }
  PlayerEntry& own() { return entries_[kOwn]; }
  const PlayerEntry& own() const { return entries_[kOwn]; }
  bool playing() const { return map_.loaded() && own().alive; }
  std::optional<Slot> slot_of_unit(core::Id unit) const;
  std::optional<Slot> slot_of_player(core::Id player) const;
  /// As slot_of_player(), only for players that the client was told about.
  std::optional<Slot> shown_player(core::Id player) const;

  /// The sides, as sent in State Data.
  const Sides& sides() const { return sides_; }
  void set_sides(const Sides& sides) { sides_ = sides; }
  std::uint8_t side_of_player(const words::Player& player, const FrontOut& out) const;

 private:
  struct Candidate {
    core::Id player = 0, unit = 0;
    double far = 0;  ///< metres from our client's unit
    bool taken = false;
  };
  void assign(FrontOut& out);
  void list_candidates(FrontOut& out);
  void leave_out_the_far(FrontOut& out);
  void keep_assigned(FrontOut& out);
  void enlist(const Candidate& candidate, FrontOut& out);
  void look_after(Slot slot, FrontOut& out);
  void look_after_all(FrontOut& out);
  void describe(PlayerEntry& entry, FrontOut& out) const;
  void name(PlayerEntry& entry, const std::string& full_name, bool as_told) const;
  void create(Slot slot, const words::Pose& pose, FrontOut& out);
  void create_watcher(Slot slot, FrontOut& out);
  void introduce(Slot slot, FrontOut& out);
  void dismiss(Slot slot, FrontOut& out);

  Client& client_;
  const MapSender& map_;
  const ClientProfile& profile_;
  const core::ResyncPhase& resync_;
  OwnLife& life_;
  std::array<PlayerEntry, kMostPlayers> entries_;
  std::vector<Candidate> candidates_;  // what to show; rebuilt by each assign()
  bool crowded_ = false;               // there are more than the client has room for
  core::Micros choose_at_ = 0;
  std::size_t listed_ = 0;  // units that reassignments have examined since the last snapshot
  Sides sides_;
};

}  // namespace entente::aos
