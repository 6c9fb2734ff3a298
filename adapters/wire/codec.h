// A codec reads and writes the messages of one game in one dialect; this is its face towards the tools (tap, verify,
// inspect, fuzz, invent), which know no game. Typed code uses the game's own messages.h instead.
// Law: what decodes, encodes to the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "adapters/wire/frame.h"
#include "adapters/wire/walker.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::wire {

/// One message kind of one game: a line of its table.
struct Row {
  const char* name;          ///< as the game's own sources or document call it
  std::uint32_t first_code;  ///< the code on the wire, or the first of a range
  std::uint32_t last_code;   ///< equal to first_code unless the code itself carries information
  std::uint8_t ways;         ///< sum of Way
  std::uint8_t lanes;        ///< sum of Lane
  Stage stage;
  std::uint32_t dialects;  ///< bit i: the dialect with index i in Game::dialects has it
  const char* note = "";   ///< for FORMAT.md: what is odd about it
};

/// Decodes into one message that it keeps and reuses. Not thread-safe; one per thread.
class Codec {
 public:
  virtual ~Codec() = default;

  /// The table, in the order of FORMAT.md, of every dialect. Lives as long as the codec.
  virtual std::span<const Row> rows() const = 0;

  /// The row that `frame` would be decoded by; null when this dialect has none for its code, way, lane and stage.
  virtual const Row* find(const Frame& frame) const = 0;

  /// Decodes `frame` into the kept message. Fault offsets count from the start of the frame, envelope included.
  /// After a fault the kept message is unspecified, and encode and walk must not be called.
  virtual Result<const Row*> decode(const Frame& frame) = 0;

  /// Makes the kept message a default one of `row`. REQUIRES: `row` is of rows() and this dialect has it.
  virtual void make(const Row& row, Way way) = 0;

  /// Appends the kept message as a whole frame.
  virtual void encode(Buffer& out) const = 0;

  /// Shows every field of the kept message, in wire order; the walker may change them (see walker.h).
  virtual void walk(Walker& walker) = 0;
};

}  // namespace entente::wire
