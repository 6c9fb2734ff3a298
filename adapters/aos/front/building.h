// Blocks, both ways: what our client would build and dig, and what becomes of the map.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "adapters/aos/front/arms.h"
#include "adapters/aos/front/cast.h"

namespace entente::aos {

class Building {
 public:
  Building(Client& client, const Ground& ground, const Newcomer& newcomer, Cast& cast, Arms& arms)
      : client_(client), ground_(ground), newcomer_(newcomer), cast_(cast), arms_(arms) {}

  void hear(const BlockAction& action, FrontOut& out);
  void hear(const BlockLine& line, FrontOut& out);
  void hear(const words::WorldEdit& edit, FrontOut& out);
  void hear(const words::Unit& unit, FrontOut& out);
  void hear(const words::Gone& gone, FrontOut& out);

  /// The client has loaded a map: tells it what became of it since.
  void catch_up(FrontOut& out);
  /// The client was told of what became of its map.
  bool edited() const { return edited_; }
  /// The world is told anew: what became of it before is in it …
  void forget_edits() { edits_.clear(); }
  /// … and the client loads it.
  void forget_map();

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
  const Ground& ground_;
  const Newcomer& newcomer_;
  Cast& cast_;
  Arms& arms_;
  bool edited_ = false;
  std::uint32_t world_colour_ = 0;
  std::vector<words::WorldEdit> edits_;  // since the map that is sent
  std::map<core::Id, Tile> bricks_;      // units that are shown as walls
};

}  // namespace entente::aos
