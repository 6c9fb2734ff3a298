// Turns what an Ogar server shows its client into facts. Its input is cells, not messages, so modern and legacy updates
// are alike.
// Invariant: a cell is one unit as long as the server keeps its id. A cell that left the view is Hidden. It is Gone if
// it was eaten, if the server removed it, or if it was out of sight for too long.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/ogar/back/cell_owners.h"
#include "adapters/ogar/back/gunfire.h"
#include "adapters/ogar/wire/conversions.h"
#include "proxy/base/keyed_hash.h"

namespace entente::ogar {

class CellTracker {
 public:
  void set_plane(const Plane& plane) {
    plane_ = plane;
    window_.reset();
  }
  const Plane& plane() const { return plane_; }
  void set_teams(bool teams) { teams_ = teams; }
  CellOwners& owners() { return owners_; }
  Gunfire& gunfire() { return gunfire_; }

  // The contents of one update, in this order.
  void added(const AddedCell& cell, core::BackOut& out);
  void updated(const UpdatedCell& cell, core::BackOut& out);
  void eaten(const Eaten& told);
  void removed(std::uint32_t id, core::BackOut& out);
  /// The update is complete.
  void done(core::BackOut& out);

  /// The client has left the world: all cells are gone.
  void clear(core::BackOut& out);
  /// Time passed without an update.
  void tell_changes(core::BackOut& out);

  /// The cells of this side's player.
  struct Self {
    std::size_t cells = 0;
    double x = 0, y = 0;  ///< their middle, metres
    double largest = 0;   ///< size, Ogar's units
  };
  Self self() const;
  /// Whether our player's cells have split or ejected mass since the last call.
  bool take_thrown() { return std::exchange(thrown_, false); }

  /// The smallest size from which this server is known to let a cell eject mass.
  std::uint16_t smallest_to_eject() const { return smallest_to_eject_; }

 private:
  struct Cell {
    core::Id unit = 0, owner = 0;
    words::Pose pose;
    std::uint16_t size = 0;
    std::uint32_t colour = 0;
    bool owned = false, hidden = false, moving = false;
    std::optional<std::uint32_t> killer;  ///< the server's id of the cell that ate it in this update
    core::Micros moved = 0;               ///< when it was last seen to move
    core::Micros hidden_at = 0;           ///< when it left the view
  };

  CellOwners::Owner* owner_of(const AddedCell& cell, core::BackOut& out);
  bool is_thrown_by_us(const AddedCell& cell, core::Micros now);
  void look_for_shot(const AddedCell& cell, const CellOwners::Owner* owner, core::BackOut& out);
  bool may_seek(core::BackOut& out);
  void move(Cell& cell, const UpdatedCell& to, core::BackOut& out);
  void change(const Cell& cell, const UpdatedCell& to, core::BackOut& out);
  void stop_standing(core::BackOut& out);
  struct Window {
    double x = 0, y = 0, half_width = 0, half_height = 0;  ///< metres; 0 while nothing is in view
    bool holds(const words::Pose& pose) const;
  };
  const Window& window();
  void hide(std::uint32_t id, Cell& cell, core::BackOut& out);
  void end(std::uint32_t id, core::Id by, CellOwners::Owner* eater, words::DeathCause why, core::BackOut& out);
  void forget_hidden(core::BackOut& out);

  static constexpr std::uint16_t kSmallestToEject = 60;  // playerMinEjectSize of OgarII's Settings.js

  Plane plane_;
  bool teams_ = false;
  std::uint16_t smallest_to_eject_ = kSmallestToEject;
  CellOwners owners_;
  Gunfire gunfire_;
  std::uint32_t newest_ = 0, newest_before_ = 0;  // the largest id so far, and before this update: ids rise
  std::unordered_map<std::uint32_t, Cell, KeyedHash<std::uint32_t>> cells_;  // by the server's id
  std::optional<Window> window_;            // empty: to be computed again, because own cells have changed
  Window window_before_;                    // after the last update
  std::vector<std::uint32_t> own_, eaten_;  // eaten in this update
  struct Since {
    std::uint32_t id;
    core::Micros at;
  };
  std::deque<Since> hidden_;   // the oldest first; some may be in view again
  std::vector<Since> moving_;  // every move that may have been the last, in order
  core::Micros sought_at_ = 0;
  std::size_t sought_ = 0;  // cells that were examined then
  core::Micros compared_at_ = 0;
  std::size_t compared_ = 0;  // own cells that were compared with new ones then
  core::Micros checked_ = 0;
  bool thrown_ = false;  // see take_thrown()
};

}  // namespace entente::ogar
