// What is known of a map of Panic: the wire has only its number. Read from a .map file, or open ground of the right
// size on which walls are learnt by driving into them.
// Law: a shot is only called safe if nothing that is not known could let it fly off the map.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/panic/tiles.h"
#include "proxy/base/fault.h"
#include "schema/game.pb.h"

namespace entente::panic {

class Ground {
 public:
  /// Nothing but the size: of a map that is known by number, else the largest that a client can show.
  static Ground open(std::uint8_t id, std::uint8_t version);
  /// A .map file's text.
  static Result<Ground> read(std::string_view text);

  std::uint8_t id() const { return id_; }
  std::uint8_t version() const { return version_; }
  const Tiles& tiles() const { return tiles_; }

  /// Known not to let a unit in.
  bool blocks(Tile tile) const { return !tiles_.holds(tile) || (digit(tile) & words::UNITS_PASS) == 0; }
  /// Known to let a unit in.
  bool lets_in(Tile tile) const { return charted_ && !blocks(tile); }
  bool shots_pass(Tile tile) const { return tiles_.holds(tile) && (digit(tile) & words::SHOTS_PASS) != 0; }
  /// A unit stood there: the map is at least that large.
  void see(Tile tile);
  /// A unit could not get in. True if that is news.
  bool learn_wall(Tile tile);

  /// Whether a shot that flies so many tiles cannot leave the map, as far as is known.
  bool shot_stays(Tile from, Direction direction, int range) const;

  words::World world() const;

 private:
  Ground(std::uint8_t id, std::uint8_t version, int columns, int rows);
  std::size_t place(Tile tile) const {
    return static_cast<std::size_t>(tile.y) * static_cast<std::size_t>(tiles_.columns()) +
           static_cast<std::size_t>(tile.x);
  }
  std::uint8_t digit(Tile tile) const { return static_cast<std::uint8_t>(digits_[place(tile)]); }

  std::uint8_t id_, version_;
  Tiles tiles_;
  std::string name_;
  std::string digits_;    // sums of words::Tile, which are the digits of a .map file
  bool charted_ = false;  // from a file: every tile is known
  bool walled_ = false;   // no shot leaves it
  Tile known_ = {0, 0};   // the map is surely larger than this: tiles west and north of it are of the map
};

struct MapNumber {
  std::uint8_t id, version;
};
/// The map that World.name speaks of; nothing if it is none of Panic's.
std::optional<MapNumber> map_named(std::string_view world_name);

/// Every .map file of a folder that can be read; the others, and why not, are said in `problems`.
std::vector<Ground> read_maps(const std::string& folder, std::string& problems);

}  // namespace entente::panic
