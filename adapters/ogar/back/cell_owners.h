// Finds out which player owns which cells. Ogar does not name players: all cells with the same name and colour are
// taken for one player's. Servers choose a new colour for each life, so a cell with a known name and a new colour is
// the next life of a player of that name who has no cell in sight, if there is one.
// Invariant: a player and its cells are reported before anything that happens to them. Nothing is reported twice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/base/keyed_hash.h"
#include "proxy/core/room_member.h"

namespace entente::ogar {

class CellOwners {
 public:
  struct OwnCell {
    core::Id unit;
    std::uint32_t cell;  ///< the server's id
  };
  /// A player who has, or had, cells.
  struct Owner {
    words::Player player;
    std::vector<OwnCell> units;   ///< in sight
    OwnCell active{};             ///< the largest of them
    std::vector<OwnCell> hidden;  ///< out of sight, but still its own
    bool told = false;            ///< Player was sent
    bool changed = false;         ///< Owns must be sent
    bool dead = false;
    std::optional<words::Pose> spawned;  ///< Spawned must be sent
    struct Doubt {
      words::Died died;
      core::Micros since;
    };
    std::optional<Doubt> doubt;  ///< it may have died: all cells in sight are gone, but it has hidden ones
    core::Micros seen = 0;
    words::Score score;
  };

  /// Sets the player for whom the back plays. The room is told of it as soon as its name is known, and when that
  /// changes.
  void set_me(const words::Player& me, core::BackOut& out);
  /// To be called before owner(), for a new cell. If the cell is the next life of a player whose cells are all out of
  /// sight, these are returned: they are not in the game any more, and lost() must follow for each.
  std::vector<OwnCell> end_earlier_life(const std::string& name, std::uint32_t colour, core::BackOut& out);
  /// The owner of a cell that looks like this. The room is told of a new owner at once. Null: there are too many.
  Owner* owner(const std::string& name, std::uint32_t colour, words::Team team, core::BackOut& out);
  /// The owner of one of our own cells. The server decides our player's name and colour.
  Owner& me(const std::string& name, std::uint32_t colour, words::Team team, core::BackOut& out);
  Owner* find(core::Id player);
  /// The player with this name; if there are several, the one with this colour. 0: nobody.
  core::Id named(const std::string& name, std::uint32_t colour) const;

  void gained(Owner& owner, std::uint32_t cell, const words::Pose& pose, core::BackOut& out);
  /// The unit is out of sight. gained() follows if it comes back.
  void hid(Owner& owner, const OwnCell& cell);
  /// The unit is not in the game any more, whether it was in sight or not.
  void lost(Owner& owner, core::Id unit);

  /// Reports Died if the owner has lost its last cell. `by`: the owner of the cell that ate it; null if it was not
  /// eaten. If the owner has hidden cells, Died waits until the board shows whether it is in play (told_alive).
  void died(Owner& owner, core::Id unit, Owner* by, words::DeathCause why, core::BackOut& out);

  /// The server has listed players that are in play. `all`: there are no others.
  void told_alive(const std::vector<std::string>& names, bool all, core::BackOut& out);
  /// The player's cells were removed without being eaten. If none is left, the player has left the game.
  void left(core::Id player, core::BackOut& out);

  /// Sends the facts that are due. `size_of(cell)`: the cell's size.
  template <class F>
  void tell_changes(F&& size_of, core::BackOut& out) {
    for (auto& [id, owner] : owners_) {
      if (!owner.changed) continue;
      choose_active(owner, size_of);
      say_owned(owner, out);
    }
  }
  /// Forgets players who were not seen for ten minutes.
  void forget_absent(core::BackOut& out);

 private:
  static constexpr std::size_t kMost = 500;

  template <class F>
  static void choose_active(Owner& owner, F& size_of) {
    for (const OwnCell& own : owner.units)  // only for a much larger one: some clients show only this cell
      if (owner.active.unit == 0 || size_of(own.cell) > 1.25 * size_of(owner.active.cell)) owner.active = own;
  }
  using Owners = std::map<core::Id, Owner>;
  bool is_here(const Owner& owner) const;
  const Owner* find_absent(const std::string& name) const;
  Owner* find_hidden(const std::string& name);
  void forget_longest_absent(core::BackOut& out);
  Owners::iterator forget(Owners::iterator at, const char* why, core::BackOut& out);
  static void say_owned(Owner& owner, core::BackOut& out);
  void say_died(Owner& owner, const words::Died& died, core::BackOut& out);
  static void say_score(Owner& owner, core::BackOut& out);
  Owner& entry(core::Id id);

  core::Id me_ = 0;
  Owners owners_;
  std::unordered_map<std::string, core::Id, KeyedHash<std::string>> by_look_;  // name and colour
};

}  // namespace entente::ogar
