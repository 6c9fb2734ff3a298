// A codec reads and writes the messages of one game in one dialect. This is its interface for tools that know no
// game (tap, verify, inspect, fuzz, invent). Typed code uses the game's messages.h instead.
//
//   const auto row = codec.decode(frame);
//   if (!row) return row.error();   // the field, and its offset in the frame
//   print(**row, codec, line);      // or visit(), or encode()
//
// Invariant: what decodes, encodes to the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "adapters/wire/field_visitor.h"
#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::wire {

/// One kind of message: a row of the game's table.
struct Row {
  const char* name;          ///< as in the game's own sources or document
  std::uint32_t first_code;  ///< the code on the wire, or the first of a range
  std::uint32_t last_code;   ///< equal to first_code unless the code itself carries information
  std::uint8_t ways;         ///< sum of Way
  std::uint8_t lanes;        ///< sum of Lane
  Stage stage;
  std::uint32_t dialects;  ///< bit i: the dialect with index i in Game::dialects has it
  const char* note = "";   ///< for FORMAT.md: its peculiarities
};

/// Decodes into a message that it keeps and reuses. Not thread-safe; use one per thread.
class Codec {
 public:
  virtual ~Codec() = default;

  /// The table of all dialects, in the order of FORMAT.md. Lives as long as the codec.
  virtual std::span<const Row> rows() const = 0;

  /// The row by which `frame` would be decoded; null if this dialect has none for its code, way, lane and stage.
  virtual const Row* find(const Frame& frame) const = 0;

  /// Decodes `frame` into the kept message. Fault offsets count from the start of the frame, envelope included.
  /// After a fault the kept message is unspecified, and encode and visit must not be called.
  virtual Result<const Row*> decode(const Frame& frame) = 0;

  /// Sets the kept message to a default one of `row`. REQUIRES: `row` is from rows() and exists in this dialect.
  virtual void make(const Row& row, Way way) = 0;

  /// Appends the kept message as a whole frame.
  virtual void encode(Buffer& out) const = 0;

  /// Visits every field of the kept message, in wire order; the visitor may change fields (see field_visitor.h).
  virtual void visit(FieldVisitor& visitor) = 0;
};

}  // namespace entente::wire
