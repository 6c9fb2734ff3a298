// A visitor visits the fields of one message in wire order. Print, invent, outline and diff are visitors: written once
// and compiled once, for all games.
// Invariant: a visitor sees every byte that the wire carries, and may change any of them, but never what the dialect
// fixes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "proxy/base/bytes.h"

namespace entente::wire {

enum class Kind : std::uint8_t { kU8, kU16, kU24, kU32, kU64, kI8, kI16, kI32, kI64, kF32, kF64, kBool };

/// Bytes that a field of this kind takes on the wire.
std::size_t width(Kind kind);
/// "u8", "f32", …
const char* text(Kind kind);

/// One number. `bits` are its wire bits, right-aligned, in our byte order.
struct Scalar {
  Kind kind;
  std::uint64_t bits;
  bool byte_swapped = false;  ///< in the opposite byte order of its dialect
};

/// How a text ends.
enum class TextEnd : std::uint8_t {
  kFixed,   ///< a fixed number of bytes; what follows a NUL is kept
  kZero,    ///< at a NUL
  kZero16,  ///< at a 16-bit 0; the bytes are little-endian 16-bit units
  kFrame,   ///< with the message
  kCount8,
  kCount16,
  kCount32,  ///< prefixed by its length
};

/// How a list ends.
enum class ListEnd : std::uint8_t {
  kCount,  ///< prefixed by its count
  kZero,   ///< at an item whose first number is 0
  kFrame,  ///< with the message
  kFixed,  ///< a fixed number of items
  kField,  ///< an earlier field has the count
};

/// Bytes kept as they are.
enum class Kept : std::uint8_t {
  kPadding,   ///< without meaning, a fixed number
  kDeclared,  ///< deliberately not decoded (map data, world stream, the end of a text)
  kOpaque,    ///< not decoded: `verify` counts them
};

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;

  /// Called first, if the message's code carries information; it stays within [first, last].
  virtual void code(std::uint32_t&, std::uint32_t /*first*/, std::uint32_t /*last*/) {}
  virtual void scalar(const char* name, Scalar& value) = 0;
  /// A text of fixed length: `chars` is all of it.
  virtual void fixed_text(const char* name, std::span<char> chars) = 0;
  /// A text of any length. `open`: its NUL is missing because the message ended first (not TextEnd::kFrame).
  virtual void text(const char* name, std::string& chars, TextEnd end, bool& open) = 0;
  /// Bytes that are always the same.
  virtual void exact(const char*, std::string_view) {}
  /// Padding of fixed size.
  virtual void padding(const char* name, std::span<std::uint8_t> bytes) = 0;
  virtual void rest(const char* name, Buffer& bytes, Kept kept) = 0;

  /// A part that may be absent. `there`: whether it exists in the message. `free`: the visitor may decide that, because
  /// only the message's length shows it; otherwise the dialect or fields already visited decide. Returns whether the
  /// part is visited.
  virtual bool part(const char* condition, bool there, bool free) = 0;
  virtual void end_part() {}

  /// A choice between forms, which differ in the message's length (`sizes`). `now`: the index of the current form.
  /// Returns the form.
  virtual std::size_t form(const char* name, std::size_t now, std::span<const std::size_t> sizes) = 0;

  /// Called before the items. Returns how many items the list is to have. `most` is the largest count that the wire can
  /// carry here.
  virtual std::size_t list(const char* name, ListEnd end, std::size_t count, std::size_t most) = 0;
  virtual void item(std::size_t) {}
  virtual void end_list() {}

  virtual void group(const char*) {}
  virtual void end_group() {}
};

}  // namespace entente::wire
