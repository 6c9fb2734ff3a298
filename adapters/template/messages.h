// The messages of the game, as they are on the wire. Say where each layout comes from: a document, a capture, a
// program.
#pragma once

#include <variant>

#include "adapters/wire/fields.h"
#include "adapters/wire/game.h"

namespace entente::sample {

/// The features in which the versions of the game differ. Layouts test features, never versions.
struct Dialect {
  wire::ByteOrder order = wire::ByteOrder::kBig;
};

inline constexpr wire::DialectInfo kDialects[] = {{"1", "the only version"}};

struct Hello {
  wire::EndText name;
};
struct Welcome {
  std::uint8_t player = 0;
};
struct Chat {
  std::uint8_t player = 0;  ///< 0 from a client
  wire::EndText text;
};

using Message = std::variant<Hello, Welcome, Chat>;

}  // namespace entente::sample
