// The verbs that describe a message's layout, once, in its game's wire.cc:
//
//   template <class V> void fields(V& v, ShotBegin& m) {
//     v.when("dialect.timed_shots", v.dialect.timed_shots, [&] { v("sent", m.sent); });
//     v("player", m.player)("shot", m.shot)("pos", m.pos)("vel", m.vel);
//   }
//
// Reader, Writer and VisitingLayout (visiting_layout.h) are the layout drivers: fields() is compiled once for each
// driver and message. A FieldVisitor (field_visitor.h) is not a layout driver: VisitingLayout calls it for each field,
// and it is compiled once, for all messages.
// Invariant: a `when` sees only the dialect and earlier fields; fields() computes nothing; a count above the number of
// bytes left is refused before memory is allocated; structs keep wire values (the i16, the padding, the bytes after a
// NUL), so that what decodes encodes to the same bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "adapters/wire/field_visitor.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::wire {

// -- Types of fields besides numbers, enums, std::array and std::vector of them ---------------------------------------

/// A text in a field of N bytes. What follows its NUL is kept, because real servers leave old memory there.
template <std::size_t N>
struct Text {
  std::array<char, N> chars{};

  std::string_view view() const {
    const auto* nul = static_cast<const char*>(std::memchr(chars.data(), 0, N));
    return {chars.data(), nul ? static_cast<std::size_t>(nul - chars.data()) : N};
  }
  /// Sets the text, cut to N bytes and padded with NULs.
  void set(std::string_view text) {
    chars.fill(0);
    std::memcpy(chars.data(), text.data(), std::min(text.size(), N));
  }
};

/// A text that ends at a NUL; `open` if the message ended before it.
struct ZText {
  std::string chars;
  bool open = false;
};

/// A text that ends at a NUL, which is required: `open` is never set.
struct ClosedText : ZText {};

/// A text that senders write in bytes or in 16-bit units; see any_text.
struct AnyText : ZText {
  bool wide = false;
};

/// A text that ends with the message. A NUL in it, and what follows, are kept.
struct EndText {
  std::string chars;

  std::string_view view() const { return std::string_view(chars).substr(0, chars.find('\0')); }
};

/// Bytes without meaning, which some programs fill with garbage.
template <std::size_t N>
struct Pad {
  std::array<std::uint8_t, N> bytes{};
};

/// 24 bits.
struct U24 {
  std::uint32_t value = 0;
};

using Vec3 = std::array<float, 3>;

template <class T>
concept Number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
struct WireInt {
  using type = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
};
/// The unsigned integer with the width of T.
template <class T>
using Bits = typename WireInt<T>::type;

/// The bits of `value`, a number or enum.
template <Number T>
constexpr Bits<T> to_bits(T value) {
  return std::bit_cast<Bits<T>>(value);
}

inline std::uint8_t byte_swap(std::uint8_t v) { return v; }
inline std::uint16_t byte_swap(std::uint16_t v) { return __builtin_bswap16(v); }
inline std::uint32_t byte_swap(std::uint32_t v) { return __builtin_bswap32(v); }
inline std::uint64_t byte_swap(std::uint64_t v) { return __builtin_bswap64(v); }

/// Byte order of a dialect's numbers.
enum class ByteOrder : std::uint8_t { kBig, kLittle };

// -- The verbs, shared by all layout drivers ------------------------------------------------------------------------

/// `Self` is the layout driver; D the game's dialect: a struct of features with a member `order`.
template <class Self, class D>
class Verbs {
 public:
  explicit Verbs(const D& d) : dialect(d) {}

  const D& dialect;

  /// A number, enum, array of fixed size, text, padding, or a struct with fields().
  template <class T>
  Self& operator()(const char* name, T& value) {
    self().field(name, value);
    return self();
  }

  /// A part that exists only if `condition`, which FORMAT.md calls `what` (with "dialect." in front if only the
  /// dialect decides).
  template <class F>
  Self& when(const char* what, bool condition, F&& part) {
    if (self().enter(what, condition)) {
      part();
      self().leave();
    }
    return self();
  }

  /// A part whose existence follows from the bytes left: `tell(Bytes)` decides when reading, `there` stores it.
  template <class Tell, class F>
  Self& told(const char* what, bool& there, Tell&& tell, F&& part) {
    if (self().ask(what, there, tell)) {
      part();
      self().leave();
    }
    return self();
  }

  /// A text prefixed by its length, an N.
  template <class N>
  Self& text(const char* name, std::string& chars) {
    self().template counted_text<N>(name, chars);
    return self();
  }

  /// A list prefixed by its count, an N.
  template <class N, class T>
  Self& list(const char* name, std::vector<T>& items) {
    self().template counted<N>(name, items);
    return self();
  }

  /// As above, if peers count up to `beyond` more items than there are bytes left: those items end with the message.
  template <class N, class T>
  Self& list(const char* name, std::vector<T>& items, std::size_t beyond) {
    self().template counted<N>(name, items, beyond);
    return self();
  }

  /// A list whose length is `count`, an earlier field. REQUIRES (to write): count is items.size().
  template <std::unsigned_integral N, class T>
  Self& list(const char* name, N& count, std::vector<T>& items) {
    self().list_of(name, count, items);
    return self();
  }

  /// A list with the length of an earlier one.
  template <class T, class U>
  Self& as_many(const char* name, const std::vector<U>& like, std::vector<T>& items) {
    self().as_many_of(name, like.size(), items);
    return self();
  }

 protected:
  Self& self() { return static_cast<Self&>(*this); }
};

// -- Reading ---------------------------------------------------------------------------------------------------------

/// Reads one message. After a fault every verb does nothing, so layouts need no checks.
template <class D>
class Reader : public Verbs<Reader<D>, D> {
 public:
  /// `base`: length of the envelope before `in`, so that offsets count from the start of the frame.
  Reader(Bytes in, const D& d, std::size_t base = 0)
      : Verbs<Reader, D>(d), begin_(in.data()), at_(in.data()), end_(in.data() + in.size()), base_(base) {}

  bool ok() const { return what_ == nullptr; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  Fault fault() const { return {what_, field_, offset_}; }

  /// Called after the last field: bytes left over are a fault.
  bool finish() {
    if (ok() && at_ != end_) fail("bytes left over", "");
    return ok();
  }

  template <Number T>
  Reader& byte_swapped(const char* name, T& value) {
    number(name, value, this->dialect.order == ByteOrder::kBig ? ByteOrder::kLittle : ByteOrder::kBig);
    return *this;
  }
  template <Number T, std::size_t N>
  Reader& byte_swapped(const char* name, std::array<T, N>& values) {
    for (auto& value : values) byte_swapped(name, value);
    return *this;
  }
  template <class N, Number T>
  Reader& list_byte_swapped(const char* name, std::vector<T>& items) {
    counted_each<N>(name, items, [&](T& item) { byte_swapped(name, item); });
    return *this;
  }
  template <std::unsigned_integral N, Number T>
  Reader& list_byte_swapped(const char* name, N& count, std::vector<T>& items) {
    each_of(name, count, items, [&](T& item) { byte_swapped(name, item); });
    return *this;
  }

  template <class K, class T>
  Reader& until_zero(const char* name, std::vector<T>& items) {
    items.clear();
    for (;;) {
      if (!need(name, sizeof(K))) return *this;
      K key{};
      std::memcpy(&key, at_, sizeof key);
      if (key == 0) break;
      this->field(name, items.emplace_back());
      if (!ok()) return *this;
    }
    at_ += sizeof(K);
    return *this;
  }

  template <class T>
  Reader& until_end(const char* name, std::vector<T>& items) {
    items.clear();
    while (ok() && at_ != end_) this->field(name, items.emplace_back());
    return *this;
  }

  /// Like until_end, but at least `count` items (an earlier field) are required. Items beyond `count` have no meaning.
  template <std::unsigned_integral N, class T>
  Reader& until_end(const char* name, const N& count, std::vector<T>& items) {
    until_end(name, items);
    if (ok() && items.size() < count) fail("count exceeds the bytes left", name);
    return *this;
  }

  Reader& zero_text(const char*, ZText& text) {
    if (!ok()) return *this;
    const auto* nul = static_cast<const std::uint8_t*>(at_ == end_ ? nullptr : std::memchr(at_, 0, left()));
    text.open = nul == nullptr;
    const auto* stop = nul ? nul : end_;
    text.chars.assign(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(stop - at_));
    at_ = nul ? nul + 1 : end_;
    return *this;
  }

  /// Bytes that are always the same, such as a magic word.
  Reader& exact(const char* name, std::string_view bytes) {
    if (!need(name, bytes.size())) return *this;
    if (std::memcmp(at_, bytes.data(), bytes.size()) != 0) fail("not the expected bytes", name);
    at_ += bytes.size();
    return *this;
  }
  /// Little-endian 16-bit units up to a 0 unit; `chars` holds their bytes. An odd byte at the end belongs to an open
  /// text.
  Reader& ucs2_text(const char*, ZText& text) {
    if (!ok()) return *this;
    std::size_t size = 0;
    while (size + 1 < left() && (at_[size] | at_[size + 1]) != 0) size += 2;
    text.open = size + 1 >= left();
    if (text.open) size = left();
    text.chars.assign(reinterpret_cast<const char*>(at_), size);
    at_ += text.open ? size : size + 2;
    return *this;
  }

  /// A zero_text or a ucs2_text, for texts that begin with ASCII: in 16-bit units the second byte is 0.
  Reader& any_text(const char* name, AnyText& text) {
    text.wide = left() > 1 && at_[1] == 0;
    return text.wide ? ucs2_text(name, text) : zero_text(name, text);
  }

  /// A fault if fewer than `bytes` bytes are left: peers refuse such a message, whatever the bytes are.
  Reader& at_least(const char* name, std::size_t bytes) {
    need(name, bytes);
    return *this;
  }

  /// A number that must be in [low, high], by the dialect or the layout.
  template <Number T>
  Reader& bounded(const char* name, T& value, T low, T high) {
    field(name, value);
    if (ok() && (value < low || value > high)) fail("value out of range", name);
    return *this;
  }

  /// An N on the wire, kept as a T, which can hold every N.
  template <Number N, Number T>
  Reader& as(const char* name, T& value) {
    N carried{};
    field(name, carried);
    if (ok()) value = carried;
    return *this;
  }

  /// An N on the wire, whose bits are kept as a T of the same size: dialects differ in its sign.
  template <Number N, Number T>
  requires(sizeof(N) == sizeof(T)) Reader& bits_as(const char* name, T& value) {
    field(name, value);
    return *this;
  }

  Reader& end_text(const char*, EndText& text) {
    if (ok()) text.chars.assign(reinterpret_cast<const char*>(at_), left());
    if (ok()) at_ = end_;
    return *this;
  }

  Reader& rest(const char*, Buffer& bytes, Kept) {
    if (ok()) bytes.assign(at_, end_);
    if (ok()) at_ = end_;
    return *this;
  }

  /// A field that exists only if any byte is left.
  template <class T>
  Reader& maybe(const char* name, std::optional<T>& value) {
    value.reset();
    if (ok() && at_ != end_) this->field(name, value.emplace());
    return *this;
  }

  /// Which of several forms this message has, by the number of bytes left.
  Reader& infer(const char* name, std::uint8_t& form, std::initializer_list<std::size_t> sizes) {
    if (!ok()) return *this;
    std::uint8_t i = 0;
    for (const std::size_t size : sizes) {
      if (size == left()) {
        form = i;
        return *this;
      }
      ++i;
    }
    fail("no form of this length", name);
    return *this;
  }

  /// A number that has only this value.
  template <Number T>
  Reader& must(const char* name, T& value, T expected) {
    field(name, value);
    if (ok() && value != expected) fail("value contradicts the length", name);
    return *this;
  }

  template <Number T>
  void field(const char* name, T& value) {
    number(name, value, this->dialect.order);
  }
  void field(const char* name, U24& value) {
    if (!need(name, 3)) return;
    const bool big = this->dialect.order == ByteOrder::kBig;
    const std::uint32_t high = at_[big ? 0 : 2], middle = at_[1], low = at_[big ? 2 : 0];
    value.value = high << 16U | middle << 8U | low;
    at_ += 3;
  }
  template <class T, std::size_t N>
  void field(const char* name, std::array<T, N>& values) {
    for (auto& value : values) field(name, value);
  }
  template <std::size_t N>
  void field(const char* name, Text<N>& text) {
    take(name, text.chars.data(), N);
  }
  template <std::size_t N>
  void field(const char* name, Pad<N>& pad) {
    take(name, pad.bytes.data(), N);
  }
  void field(const char* name, ZText& text) { zero_text(name, text); }
  void field(const char* name, ClosedText& text) {
    zero_text(name, text);
    if (ok() && text.open) fail("no NUL ends the text", name);
  }
  template <class T>
  requires std::is_class_v<T>
  void field(const char*, T& value) {
    if (ok()) fields(*this, value);
  }

  bool enter(const char*, bool condition) { return condition && ok(); }
  template <class Tell>
  bool ask(const char*, bool& there, Tell& tell) {
    there = ok() && tell(Bytes(at_, left()));
    return there;
  }
  void leave() {}

  template <class N, class T>
  void counted(const char* name, std::vector<T>& items, std::size_t beyond = 0) {
    counted_each<N>(
        name, items, [&](T& item) { this->field(name, item); }, beyond);
  }
  template <class N, class T>
  void list_of(const char* name, N& count, std::vector<T>& items) {
    each_of(name, count, items, [&](T& item) { this->field(name, item); });
  }

  template <class T>
  void as_many_of(const char* name, std::size_t count, std::vector<T>& items) {
    each_of(name, count, items, [&](T& item) { this->field(name, item); });
  }

  template <class N>
  void counted_text(const char* name, std::string& chars) {
    N count{};
    number(name, count, this->dialect.order);
    if (!need(name, count)) return;
    chars.assign(reinterpret_cast<const char*>(at_), count);
    at_ += count;
  }

  /// For a rule of the layout that no verb checks.
  void fail(const char* what, const char* name) {
    if (!ok()) return;
    what_ = what;
    field_ = name;
    offset_ = base_ + static_cast<std::size_t>(at_ - begin_);
  }

 private:
  bool need(const char* name, std::size_t bytes) {
    if (ok() && left() >= bytes) return true;
    fail("message too short", name);
    return false;
  }

  void take(const char* name, void* to, std::size_t bytes) {
    if (!need(name, bytes)) return;
    std::memcpy(to, at_, bytes);
    at_ += bytes;
  }

  template <Number T>
  void number(const char* name, T& value, ByteOrder order) {
    if (!need(name, sizeof(T))) return;
    Bits<T> bits{};
    std::memcpy(&bits, at_, sizeof bits);
    at_ += sizeof bits;
    if constexpr (std::is_same_v<T, bool>) {
      if (bits > 1) return fail("neither 0 nor 1", name);
    }
    if (order == ByteOrder::kBig) bits = byte_swap(bits);
    value = std::bit_cast<T>(bits);
  }

  template <class N, class T, class F>
  void counted_each(const char* name, std::vector<T>& items, F&& each, std::size_t beyond = 0) {
    N count{};
    number(name, count, this->dialect.order);
    each_of(name, count, items, each, beyond);
  }

  template <class N, class T, class F>
  void each_of(const char* name, N count, std::vector<T>& items, F&& each, std::size_t beyond = 0) {
    if (ok() && count > left() + beyond) fail("count exceeds the bytes left", name);
    items.clear();
    for (N i = 0; ok() && i < count; ++i) each(items.emplace_back());
  }

  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::size_t base_;
  const char* what_ = nullptr;
  const char* field_ = "";
  std::size_t offset_ = 0;
};

// -- Writing ---------------------------------------------------------------------------------------------------------

/// Appends one message; the buffer is complete when the Writer is destroyed. Of a list or text that is longer than its
/// count can say, only the beginning is written. REQUIRES: texts have no NUL where a NUL ends them. Allocates only if
/// the buffer must grow.
template <class D>
class Writer : public Verbs<Writer<D>, D> {
 public:
  Writer(Buffer& out, const D& d) : Verbs<Writer, D>(d), out_(out) { grow(0, out.size()); }
  ~Writer() { out_.resize(used()); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  template <Number T>
  Writer& byte_swapped(const char*, T& value) {
    number(value, this->dialect.order == ByteOrder::kBig ? ByteOrder::kLittle : ByteOrder::kBig);
    return *this;
  }
  template <Number T, std::size_t N>
  Writer& byte_swapped(const char* name, std::array<T, N>& values) {
    for (auto& value : values) byte_swapped(name, value);
    return *this;
  }
  template <class N, Number T>
  Writer& list_byte_swapped(const char* name, std::vector<T>& items) {
    first(count<N>(items.size()), items, [&](T& item) { byte_swapped(name, item); });
    return *this;
  }
  template <std::unsigned_integral N, Number T>
  Writer& list_byte_swapped(const char* name, N& count, std::vector<T>& items) {
    first(count, items, [&](T& item) { byte_swapped(name, item); });
    return *this;
  }
  template <class K, class T>
  Writer& until_zero(const char* name, std::vector<T>& items) {
    for (auto& item : items) this->field(name, item);
    number(K{0}, this->dialect.order);
    return *this;
  }
  template <class T>
  Writer& until_end(const char* name, std::vector<T>& items) {
    for (auto& item : items) this->field(name, item);
    return *this;
  }
  template <std::unsigned_integral N, class T>
  Writer& until_end(const char* name, [[maybe_unused]] const N& count, std::vector<T>& items) {
    assert(count <= items.size());
    return until_end(name, items);
  }
  /// Writes the text up to its first NUL: a text from another game may contain one.
  Writer& zero_text(const char*, ZText& text) {
    put(text.chars.data(), std::min(text.chars.size(), text.chars.find('\0')));
    if (!text.open) number(std::uint8_t{0}, this->dialect.order);
    return *this;
  }
  Writer& exact(const char*, std::string_view bytes) {
    put(bytes.data(), bytes.size());
    return *this;
  }
  Writer& ucs2_text(const char*, ZText& text) {
    if (text.open) return put(text.chars.data(), text.chars.size()), *this;
    std::size_t size = 0;
    while (size + 1 < text.chars.size() && (text.chars[size] != 0 || text.chars[size + 1] != 0)) size += 2;
    put(text.chars.data(), size);
    number(std::uint16_t{0}, this->dialect.order);
    return *this;
  }
  Writer& any_text(const char* name, AnyText& text) {
    return text.wide ? ucs2_text(name, text) : zero_text(name, text);
  }
  Writer& at_least(const char*, std::size_t) { return *this; }
  template <Number T>
  Writer& bounded(const char* name, T& value, [[maybe_unused]] T low, [[maybe_unused]] T high) {
    assert(value >= low && value <= high);
    field(name, value);
    return *this;
  }
  template <Number N, Number T>
  Writer& as(const char*, T& value) {
    assert(static_cast<T>(static_cast<N>(value)) == value);
    number(static_cast<N>(value), this->dialect.order);
    return *this;
  }
  template <Number N, Number T>
  requires(sizeof(N) == sizeof(T)) Writer& bits_as(const char* name, T& value) {
    field(name, value);
    return *this;
  }
  Writer& end_text(const char*, EndText& text) {
    put(text.chars.data(), text.chars.size());
    return *this;
  }
  Writer& rest(const char*, Buffer& bytes, Kept) {
    put(bytes.data(), bytes.size());
    return *this;
  }
  template <class T>
  Writer& maybe(const char* name, std::optional<T>& value) {
    if (value) this->field(name, *value);
    return *this;
  }
  Writer& infer(const char*, std::uint8_t&, std::initializer_list<std::size_t>) { return *this; }

  template <Number T>
  Writer& must(const char* name, T&, T expected) {
    field(name, expected);
    return *this;
  }

  template <Number T>
  void field(const char*, T& value) {
    number(value, this->dialect.order);
  }
  void field(const char*, U24& v) {
    const auto b = [&](unsigned shift) { return static_cast<std::uint8_t>(v.value >> shift); };
    const bool big = this->dialect.order == ByteOrder::kBig;
    const std::uint8_t bytes[3] = {b(big ? 16 : 0), b(8), b(big ? 0 : 16)};
    put(bytes, 3);
  }
  template <class T, std::size_t N>
  void field(const char* name, std::array<T, N>& values) {
    for (auto& value : values) field(name, value);
  }
  template <std::size_t N>
  void field(const char*, Text<N>& text) {
    put(text.chars.data(), N);
  }
  template <std::size_t N>
  void field(const char*, Pad<N>& pad) {
    put(pad.bytes.data(), N);
  }
  void field(const char* name, ZText& text) { zero_text(name, text); }
  void field(const char* name, ClosedText& text) {
    assert(!text.open);
    zero_text(name, text);
  }
  template <class T>
  requires std::is_class_v<T>
  void field(const char*, T& value) { fields(*this, value); }

  bool enter(const char*, bool condition) { return condition; }
  template <class Tell>
  bool ask(const char*, bool& there, Tell&) {
    return there;
  }
  void leave() {}

  template <class N, class T>
  void counted(const char* name, std::vector<T>& items, std::size_t = 0) {
    first(count<N>(items.size()), items, [&](T& item) { this->field(name, item); });
  }
  template <class N, class T>
  void list_of(const char* name, N& count, std::vector<T>& items) {
    first(count, items, [&](T& item) { this->field(name, item); });
  }

  template <class T>
  void as_many_of(const char* name, [[maybe_unused]] std::size_t count, std::vector<T>& items) {
    assert(count == items.size());
    for (auto& item : items) this->field(name, item);
  }

  template <class N>
  void counted_text(const char*, std::string& chars) {
    put(chars.data(), count<N>(chars.size()));
  }

 private:
  void put(const void* bytes, std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) grow(size, used());
    if (size > 0) std::memcpy(at_, bytes, size);
    at_ += size;
  }

  std::size_t used() const { return static_cast<std::size_t>(at_ - out_.data()); }

  /// The buffer is kept a little larger than what is written, because an insert for each field took four times as
  /// long.
  void grow(std::size_t more, std::size_t used) {
    out_.resize(used + more + 64);
    at_ = out_.data() + used;
    end_ = out_.data() + out_.size();
  }

  template <Number T>
  void number(T value, ByteOrder order) {
    auto bits = to_bits(value);
    if (order == ByteOrder::kBig) bits = byte_swap(bits);
    put(&bits, sizeof bits);
  }

  /// Writes the count, and returns it: `size`, or the largest N.
  template <class N>
  std::size_t count(std::size_t size) {
    const auto fitting = static_cast<N>(std::min<std::size_t>(size, std::numeric_limits<N>::max()));
    number(fitting, this->dialect.order);
    return fitting;
  }

  /// The first `most` of them. A count that is a field of its own must be that of the list.
  template <class T, class Write>
  void first(std::size_t most, std::vector<T>& items, Write&& write) {
    assert(most <= items.size());
    for (std::size_t i = 0; i < std::min(most, items.size()); ++i) write(items[i]);
  }

  Buffer& out_;
  std::uint8_t* at_ = nullptr;
  std::uint8_t* end_ = nullptr;
};

}  // namespace entente::wire
