// Whose cells are whose. Ogar names no players: the cells of one name and one colour are taken for one player's, and so
// are those of one name and a new colour, once all of the old colour are gone.
// Law: it says who is there and what they own before it says what became of them, and nothing twice.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/core/room_member.h"

namespace entente::ogar {

class CellOwners {
 public:
  struct OwnCell {
    core::Id unit;
    std::uint32_t cell;  ///< the server's id
  };
  /// One who has, or had, cells.
  struct Owner {
    words::Player player;
    std::vector<OwnCell> units;    ///< in sight
    OwnCell active{};              ///< the largest of them
    std::vector<core::Id> hidden;  ///< units out of sight, which are still its own
    bool told = false;             ///< the word Player was said
    bool changed = false;          ///< the word Owns is due
    bool dead = false;
    std::optional<words::Pose> spawned;  ///< the word Spawned is due
    struct Doubt {
      words::Died died;
      core::Micros since;
    };
    std::optional<Doubt> doubt;  ///< it died, unless what is out of sight lives on
    core::Micros seen = 0;
    words::Score score;
  };

  /// The player of this side of the room; said as soon as its name is known, and again when that changes.
  void set_me(const words::Player& me, core::BackOut& out);
  /// Whose cell it is that looks like this; somebody new is said at once.
  Owner& owner(const std::string& name, std::uint32_t colour, words::Team team, core::BackOut& out);
  /// Of an own cell: the server has the last word on what this player is called and looks like.
  Owner& me(const std::string& name, std::uint32_t colour, words::Team team, core::BackOut& out);
  Owner* find(core::Id player);
  /// Who is called so; with that colour if several are. 0 if nobody is.
  core::Id named(const std::string& name, std::uint32_t colour) const;

  void gained(Owner& owner, std::uint32_t cell, const words::Pose& pose, core::BackOut& out);
  /// Out of sight; gained() again when it is back.
  void hid(Owner& owner, core::Id unit);
  /// No more in the game, in sight or not.
  void lost(Owner& owner, core::Id unit);

  /// Says Died, if that was its last cell. `by`: whose cell ate it, null if it was not eaten. While others of its cells
  /// are out of sight that is a doubt, until the board knows.
  void died(Owner& owner, core::Id unit, Owner* by, words::DeathCause why, core::BackOut& out);

  /// Who is in play, says the server, by name; `all`: nobody else is.
  void told_alive(const std::vector<std::string>& names, bool all, core::BackOut& out);
  /// Its cells were taken away, not eaten: if that was the last of them, nobody is there any more.
  void left(core::Id player, core::BackOut& out);

  /// Says what is due. `size_of(cell)`: how large.
  template <class F>
  void settle(F&& size_of, core::BackOut& out) {
    for (auto& [id, owner] : owners_) {
      if (!owner.changed) continue;
      choose_active(owner, size_of);
      say_owned(owner, out);
    }
  }
  /// Forgets who was not seen for ten minutes.
  void forget_absent(core::BackOut& out);

 private:
  static constexpr std::size_t kMost = 500;

  template <class F>
  static void choose_active(Owner& owner, F& size_of) {
    for (const OwnCell& own : owner.units)  // not for a small difference: it is what others are shown of this player
      if (owner.active.unit == 0 || size_of(own.cell) > 1.25 * size_of(owner.active.cell)) owner.active = own;
  }
  using Owners = std::map<core::Id, Owner>;
  bool is_here(const Owner& owner) const;
  const Owner* find_absent(const std::string& name) const;
  void forget_longest_absent(core::BackOut& out);
  Owners::iterator forget(Owners::iterator at, const char* why, core::BackOut& out);
  static void say_owned(Owner& owner, core::BackOut& out);
  void say_died(Owner& owner, const words::Died& died, core::BackOut& out);
  static void say_score(Owner& owner, core::BackOut& out);
  Owner& entry(core::Id id);

  core::Id me_ = 0;
  Owners owners_;
  std::unordered_map<std::string, core::Id> by_look_;  // name and colour
};

}  // namespace entente::ogar
