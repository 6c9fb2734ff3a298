// Converts worlds between words and the database that clients download: groups (from 2.0 on) or records.
// Invariant: all of them use metres. An obstacle that words cannot describe (a mesh and the like) becomes boxes
// (shapes.h).
#pragma once

#include "adapters/bzflag/world/world.h"
#include "proxy/core/word.h"

namespace entente::bzflag {

struct ConvertedWorld {
  words::World world;
  std::size_t left_out = 0;  ///< parts of shapes that are not among its solids
  bool cut = false;          ///< obstacles or links are left out, because they are too many or too much work
};

/// `bytes`: of the database as it was downloaded. They limit the work; obstacles and links beyond are left out.
/// `size`: the side of the world, from MsgGameSettings.
ConvertedWorld world_from_database(const GroupWorld& database, std::size_t bytes, double size);

struct Database {
  Buffer bytes;
  std::size_t left_out = 0;  ///< obstacles that exceed what clients of the dialect can load
};

/// The database of a world: its solids, its tiles as boxes, and walls around it unless it has its own. `settings`: used
/// in dialects that have them in the world's header.
Database database_of(const words::World& world, std::size_t dialect, const GameSettings& settings = {},
                     std::size_t most = kLargestWorld);

/// Convert a world between both forms, and read the settings from the header of a world of records.
GroupWorld groups_of(const RecordWorld& records);
GameSettings settings_of(const RecordWorld& records);
RecordWorld records_of(const GroupWorld& groups, const GameSettings& settings, std::size_t dialect, std::size_t most,
                       std::size_t& left_out);

/// The name of a teleporter's face in links, such as "/t0:f".
std::string face_name(std::uint32_t face);

/// The side of the smallest square around the origin that contains the world.
double size_of(const words::World& world);

/// Whether a link's pattern ("/t0:f", "name:b", with '*' and '?') matches the name of a face. Takes a step of
/// `work_left` for each character that it compares; without any left, nothing matches.
bool matches(std::string_view pattern, std::string_view name, std::size_t& work_left);

}  // namespace entente::bzflag
