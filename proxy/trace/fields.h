// MCAP's fields: little-endian numbers; strings, blocks and maps prefixed by their length in bytes.
//
//   FieldReader reader(content);                              // one record, without its head
//   channel.id = reader.number<std::uint16_t>("id");          // and so on; a failure is looked for once, at the end
//   if (!reader.ok()) return reader.fault();
//
// Invariant: a FieldReader that ran out of bytes stays failed, returns zeros, and remembers the first field that it
// could not read.
#pragma once

#include <bit>
#include <concepts>
#include <string_view>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/trace/mcap.h"

namespace entente::trace::mcap {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

/// Reads the fields of one record from its start. What it returns refers to the record's bytes, which outlive it.
/// `field` is a name for messages that lives as long as the program.
class FieldReader {
 public:
  explicit FieldReader(Bytes bytes) : all_(bytes) {}

  /// 0 after a failure.
  template <std::unsigned_integral T>
  T number(const char* field) {
    T value = 0;
    if (const auto raw = bytes(sizeof(T), field); raw.size() == sizeof(T)) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  /// Empty after a failure, and if fewer bytes are left.
  Bytes bytes(std::uint64_t size, const char* field) {
    if (fault_field_ || size > all_.size() - at_) return fail(field);
    const auto found = all_.subspan(at_, static_cast<std::size_t>(size));
    at_ += found.size();
    return found;
  }

  /// Bytes prefixed by their length, a Length.
  template <std::unsigned_integral Length>
  Bytes block(const char* field) {
    return bytes(number<Length>(field), field);
  }

  std::string_view string(const char* field) { return as_text(block<std::uint32_t>(field)); }
  Bytes rest() { return bytes(all_.size() - at_, "rest"); }
  /// Whether nothing is left, or reading has failed.
  bool done() const { return fault_field_ || at_ == all_.size(); }
  /// How many bytes were read.
  std::size_t at() const { return at_; }
  bool ok() const { return !fault_field_; }
  /// REQUIRES: not ok().
  Fault fault() const { return {"the record ends too soon", fault_field_ ? fault_field_ : "", at_}; }

 private:
  Bytes fail(const char* field) {
    if (!fault_field_) fault_field_ = field;
    return {};
  }

  Bytes all_;
  std::size_t at_ = 0;
  const char* fault_field_ = nullptr;
};

/// Appends a number.
template <std::unsigned_integral T>
void put(Buffer& out, T value) {
  std::uint8_t raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.insert(out.end(), raw, raw + sizeof(T));
}

/// Overwrites a number. REQUIRES: at + sizeof(T) <= out.size().
template <std::unsigned_integral T>
void put_at(Buffer& out, std::size_t at, T value) {
  std::memcpy(out.data() + at, &value, sizeof(T));
}

/// Appends a text, prefixed by its length (32 bits).
inline void put(Buffer& out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  append(out, as_bytes(text));
}

/// Everything that `fill` appends, prefixed by its length as a Length.
template <std::unsigned_integral Length, class Fill>
void put_block(Buffer& out, Fill fill) {
  const auto start = out.size();
  put(out, Length{0});
  fill();
  put_at(out, start, static_cast<Length>(out.size() - start - sizeof(Length)));
}

/// A whole record with the content that `fill` appends.
template <class Fill>
void put_record(Buffer& out, Op op, Fill fill) {
  out.push_back(static_cast<std::uint8_t>(op));
  put_block<std::uint64_t>(out, fill);
}

}  // namespace entente::trace::mcap
