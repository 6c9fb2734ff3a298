// Blocks, in both directions: what our client builds and digs, and the changes of its map.
// Invariant: earlier edits and walls are sent as fast as the client reads them, and no faster. A tile is sent as one
// wall.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "adapters/aos/front/client_weapons.h"
#include "adapters/aos/front/player_table.h"

namespace entente::aos {

class BlockEdits {
 public:
  BlockEdits(Client& client, const MapSender& map, const ClientProfile& profile, PlayerTable& players,
             ClientWeapons& weapons)
      : client_(client), map_(map), profile_(profile), players_(players), weapons_(weapons) {}

  void hear(const BlockAction& action, FrontOut& out);
  void hear(const BlockLine& line, FrontOut& out);
  void hear(const words::WorldEdit& edit, FrontOut& out);
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::Gone& gone, FrontOut& out);

  /// The client has loaded a map: sends it the edits and bricks that the map does not contain, or begins to.
  void catch_up(FrontOut& out);
  /// Sends more of what waits. Asks for a tick if that is not all.
  void send_on(FrontOut& out);
  /// Whether the client was sent an edit of its map.
  bool edited() const { return edited_; }
  /// The room has sent its world again, with all earlier edits in it.
  void forget_edits() { edits_.clear(); }
  /// The client loads another map.
  void forget_map();
  /// Blocks that are built as kWorldId get this colour.
  void show_world_colour(std::uint32_t colour, FrontOut& out) { show_colour(kWorldId, colour, out); }

 private:
  struct Tile {
    Block first, last;  ///< on the ground
  };
  /// Column and row of a tile's first block.
  using Place = std::pair<int, int>;
  static Place place_of(const Tile& tile) { return {tile.first[0], tile.first[1]}; }
  struct Wall {
    Tile tile;
    bool shown = false;
    bool edited = false;     ///< an edit has built it, so it stays
    std::size_t bricks = 0;  ///< that stand on its tile
  };
  bool may_build(const Block& at, FrontOut& out);
  void take_back(const Block& at, FrontOut& out);
  bool is_walled(const Block& at, const FrontOut& out) const;
  void show_edit(const words::WorldEdit& edit, FrontOut& out);
  bool has_room(const FrontOut& out) const;
  void take_edits(const FrontOut& out);
  Wall* wall_on(const Tile& tile, FrontOut& out);
  void show_wall(Wall& wall, FrontOut& out);
  void raze_wall(const Tile& tile, FrontOut& out);
  void show_colour(Slot slot, std::uint32_t colour, FrontOut& out);
  std::optional<Tile> tile_at(double x, double y, const FrontOut& out) const;

  Client& client_;
  const MapSender& map_;
  const ClientProfile& profile_;
  PlayerTable& players_;
  ClientWeapons& weapons_;
  bool edited_ = false;
  bool told_ = false;                          // the client was told that the world does not change
  std::optional<std::uint32_t> world_colour_;  // as last sent for this map
  std::deque<core::BlockEdit> edits_;          // that wait to be sent
  std::size_t sent_ = 0;                       // bytes of edits and walls in this tick, about
  std::map<Place, Wall> walls_;                // shown or to be shown
  std::set<Place> due_;                        // walls that wait to be sent
  std::map<core::Id, Tile> bricks_;            // units that are shown as walls
};

}  // namespace entente::aos
