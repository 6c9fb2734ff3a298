// Blocks, in both directions: what our client builds and digs, and the changes of its map.
#pragma once

#include <map>
#include <optional>
#include <vector>

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

  /// The client has loaded a map: sends it the edits and bricks that the map does not contain.
  void catch_up(FrontOut& out);
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
  bool may_build(const Block& at, FrontOut& out);
  void take_back(const Block& at, FrontOut& out);
  void show_edit(const words::WorldEdit& edit, FrontOut& out);
  void show_wall(const words::Edit& edit, FrontOut& out);
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
  std::vector<words::WorldEdit> edits_;        // that the map being sent does not contain
  std::map<core::Id, Tile> bricks_;            // units that are shown as walls
};

}  // namespace entente::aos
