// Shows what an Ogar server has on its plane: pellets and ejected mass as a coloured block of the floor, viruses and
// mother cells as discs. Blocks of the floor stop nobody, and clients recolour them without a sound.
// Invariant: only what is near our client, the nearest first, at most kMostBlocks; at most kBlocksALook change at once.
// The floor gets its own colours back.
#pragma once

#include <map>
#include <vector>

#include "adapters/aos/front/block_edits.h"

namespace entente::aos {

class FloorMarks {
 public:
  static constexpr std::size_t kMostBlocks = 512, kBlocksALook = 64;

  FloorMarks(Client& client, const MapSender& map, const PlayerTable& players, BlockEdits& edits)
      : client_(client), map_(map), players_(players), edits_(edits) {}

  /// Called each tick. REQUIRES: the client has its map.
  void look(FrontOut& out);
  /// The client loads another map.
  void forget() { shown_.clear(); }

 private:
  using Cell = std::uint32_t;                   // a column of the map: y * kMapSize + x
  using Cells = std::map<Cell, std::uint32_t>;  // with its colour
  struct Mark {
    double far;
    core::Id unit;
  };
  void choose(FrontOut& out);
  void draw(const words::Unit& unit);
  void paint(Cell cell, std::uint32_t colour, FrontOut& out);

  Client& client_;
  const MapSender& map_;
  const PlayerTable& players_;
  BlockEdits& edits_;
  Cells shown_, wanted_;
  std::vector<Mark> near_;
  core::Micros look_at_ = 0;
};

}  // namespace entente::aos
