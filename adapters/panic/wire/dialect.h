// The three wire formats of Panic Game Protocol version 2, as features. Only kDialects says which dialect has which.
// The document gives sizes, but no byte order or padding, and each program chose its own.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "adapters/wire/fields.h"
#include "adapters/wire/game.h"

namespace entente::panic {

/// The game's name in URLs, recordings and words::Room.
inline constexpr std::string_view kGameName = "panic";

struct Dialect {
  wire::ByteOrder order;
  bool swapped_ids;     ///< the tank ids of Game State are in the other byte order
  bool padded;          ///< Game State and Create Piece are C structs with their padding
  bool padded_events;   ///< Event is a C struct with its padding
  bool swapped_events;  ///< the numbers of Event are in the other byte order
};

inline constexpr std::array<Dialect, 3> kDialects = {{
    {wire::ByteOrder::kBig, false, false, false, false},
    {wire::ByteOrder::kLittle, true, true, true, false},
    {wire::ByteOrder::kBig, false, false, true, true},
}};

inline constexpr std::array<wire::DialectInfo, 3> kDialectInfos = {{
    {"be-packed", "big endian, no padding: the document's sizes; used by the newest client in the source repository"},
    {"le-padded", "C structs of a little-endian machine: the server and client of the master branch"},
    {"mixed", "be-packed, but events as C structs: the server branch's head"},
}};

}  // namespace entente::panic
