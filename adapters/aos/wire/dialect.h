// The features in which the dialects of Ace of Spades differ. Only kDialects says which version has which.
// Invariant: code outside this file tests features, never versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/wire/fields.h"
#include "adapters/wire/game.h"

namespace entente::aos {

/// The game's name in URLs, recordings and words::Room.
inline constexpr std::string_view kGameName = "aos";

struct Dialect {
  wire::ByteOrder order = wire::ByteOrder::kLittle;
  std::uint32_t connect_data;  ///< ENet's connect data: the version number
  bool ids_in_world_update;    ///< each entry of World Update names its player
  bool map_checksum;           ///< Map Start carries crc32 and name, and the client may answer that it has the map
  bool state_updates;          ///< packet 0 is the State Update of the 0.80 draft, both ways
};

inline constexpr wire::DialectInfo kDialectInfo[] = {
    {"0.75", "what SpadesX, piqueserver, BetterSpades and OpenSpades speak; ENet connect data 3"},
    {"0.76", "player ids in World Update, map cache; connect data 4"},
    {"0.80", "the draft: State Update instead of position, orientation and input; connect data 5"},
};

inline constexpr Dialect kDialects[] = {
    {wire::ByteOrder::kLittle, 3, false, false, false},
    {wire::ByteOrder::kLittle, 4, true, true, false},
    {wire::ByteOrder::kLittle, 5, false, false, true},
};

/// Indices into kDialects, as bits of Row::dialects.
inline constexpr std::uint32_t k075 = 1, k076 = 2, k080 = 4, kOld = k075 | k076, kAll = k075 | k076 | k080;

}  // namespace entente::aos
