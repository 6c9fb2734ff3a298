// The world in words and as the database that clients download: groups (2.0 on), or records. Law: metres are the same
// in all; what a database cannot be told in words (meshes and the like) becomes the box around it, and is counted.
#pragma once

#include "adapters/bzflag/world/world.h"
#include "proxy/core/word.h"

namespace entente::bzflag {

struct Geography {
  words::World world;
  std::size_t boxed = 0;  ///< obstacles of which only a box is left
};

/// `size`: side of the world, of MsgGameSettings.
Geography geography(const GroupWorld& database, double size);

struct Database {
  Buffer bytes;
  std::size_t left_out = 0;  ///< obstacles that the dialect's clients cannot load any more
};

/// Its database: solids as they are, tiles as boxes, and walls around it unless it has its own. `settings`: where they
/// stand in the world's header.
Database database_of(const words::World& world, std::size_t dialect, const GameSettings& settings = {});

/// The same world in the other form, and the settings in the header of one of records.
GroupWorld groups_of(const RecordWorld& records);
GameSettings settings_of(const RecordWorld& records);
RecordWorld records_of(const GroupWorld& groups, const GameSettings& settings, std::size_t dialect,
                       std::size_t& left_out);

/// "/t0:f": as links name the face of that number.
std::string face_name(std::uint32_t face);

/// Side of the smallest square around the origin that holds all of it.
double size_of(const words::World& world);

/// The face that a link names ("/t0:f", "name:b", with '*' and '?'), of all that match.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace entente::bzflag
