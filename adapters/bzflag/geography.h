// The world in words and as the database that clients download (2.0 on). Law: metres are the same in both; what a
// database cannot be told in words (meshes and the like) becomes the box around it, and is counted.
#pragma once

#include "adapters/bzflag/world.h"
#include "proxy/core/word.h"

namespace entente::bzflag {

struct Geography {
  words::World world;
  std::size_t boxed = 0;  ///< obstacles of which only a box is left
};

/// `size`: side of the world, of MsgGameSettings.
Geography geography(const GroupWorld& database, double size);

/// Its database: solids as they are, tiles as boxes, and walls around it unless it has its own.
Buffer database_of(const words::World& world, std::size_t dialect);

/// Side of the smallest square around the origin that holds all of it.
double size_of(const words::World& world);

/// The face that a link names ("/t0:f", "name:b", with '*' and '?'), of all that match.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace entente::bzflag
