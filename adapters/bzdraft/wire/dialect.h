// The draft of BZFlag's 1.8+ protocol has one dialect.
#pragma once

#include <string_view>

#include "adapters/wire/fields.h"
#include "adapters/wire/game.h"

namespace entente::bzdraft {

/// The game's name in URLs, recordings and words::Room.
inline constexpr std::string_view kGameName = "bzdraft";

struct Dialect {
  wire::ByteOrder order = wire::ByteOrder::kBig;
};

inline constexpr wire::DialectInfo kDialectInfo[] = {
    {"draft", "the 1.8+ draft, over ENet: integers instead of floats, one-byte ids"},
};

}  // namespace entente::bzdraft
