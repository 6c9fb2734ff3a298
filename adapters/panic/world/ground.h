// What is known about a map of Panic, of which the wire only has the number: a .map file, or open ground of the right
// size on which walls are found by driving into them.
// Invariant: a shot counts as safe only if it cannot leave the map, whatever is still unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/panic/world/tiles.h"
#include "proxy/base/fault.h"
#include "schema/game.pb.h"

namespace entente::panic {

class Ground {
 public:
  /// A map of which only the size is known: by its number, else the largest that a client can show.
  static Ground uncharted(std::uint8_t id, std::uint8_t version);
  /// Reads the text of a .map file.
  static Result<Ground> read(std::string_view text);

  std::uint8_t id() const { return id_; }
  std::uint8_t version() const { return version_; }
  const Tiles& tiles() const { return tiles_; }

  /// Whether it is one of the maps that the game was released with, unchanged.
  bool is_released() const;

  /// Whether the tile is known to block units.
  bool blocks(Tile tile) const { return !tiles_.holds(tile) || (digit(tile) & words::UNITS_PASS) == 0; }
  /// Whether the tile is known to let units in.
  bool lets_in(Tile tile) const { return charted_ && !blocks(tile); }
  bool shots_pass(Tile tile) const { return tiles_.holds(tile) && (digit(tile) & words::SHOTS_PASS) != 0; }
  /// A unit was there, so the map is at least that large.
  void see(Tile tile);
  /// A unit could not enter the tile. Returns whether that is new.
  bool learn_wall(Tile tile);

  /// Whether a shot over `range` tiles cannot leave the map, as far as known.
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
  std::string digits_;    // sums of words::Tile, the digits of a .map file
  bool charted_ = false;  // from a file: every tile is known
  bool walled_ = false;   // shots cannot leave the map
  Tile known_ = {0, 0};   // the last tile that is known to be on the map; all tiles west and north of it are
};

struct MapNumber {
  std::uint8_t id, version;
};
/// The map that World.name names; nothing if it is not one of Panic's.
std::optional<MapNumber> map_named(std::string_view world_name);

/// Where the maps of an unpacked game may be: resources/graphics/maps of the working directory, and of a folder
/// TankCommanderPanic or panic in the home directory, in the working directory, or where programs are installed by
/// hand.
std::vector<std::string> likely_map_folders();
/// The first folder with maps of which every one that has the number of a released map is `unchanged`, and at least one
/// has. Empty: there is none.
std::string first_map_folder(const std::vector<std::string>& folders, bool (*unchanged)(const Ground&));

/// The maps of a folder.
struct Maps {
  std::vector<Ground> grounds;
  std::string problems;  ///< which files are not among them, and why; empty: all are
};
/// Reads the .map files of a folder: at most 64 of them.
Maps read_maps(const std::string& folder);

}  // namespace entente::panic
