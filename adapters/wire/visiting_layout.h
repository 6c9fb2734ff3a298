// VisitingLayout turns the verbs of fields.h into calls of a FieldVisitor. So each tool is compiled once instead of
// once per message.
// Included only by typed_codec.h. Its functions are the verbs, which fields.h explains.
// Invariant: what the visitor changes is changed in the message; a list or part that the visitor asks for is created
// before it is visited.
#pragma once

#include <algorithm>

#include "adapters/wire/fields.h"

namespace entente::wire {

/// The kind of a number or enum as it travels.
template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_enum_v<T>) {
    return kind_of<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return Kind::kBool;
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? Kind::kF32 : Kind::kF64;
  } else {
    constexpr bool is_signed = std::is_signed_v<T>;
    switch (sizeof(T)) {
      case 1:
        return is_signed ? Kind::kI8 : Kind::kU8;
      case 2:
        return is_signed ? Kind::kI16 : Kind::kU16;
      case 4:
        return is_signed ? Kind::kI32 : Kind::kU32;
      default:
        return is_signed ? Kind::kI64 : Kind::kU64;
    }
  }
}

/// `D`: the game's dialect. Made for one visit of one message; visitor and dialect outlive it.
template <class D>
class VisitingLayout : public Verbs<VisitingLayout<D>, D> {
 public:
  VisitingLayout(FieldVisitor& visitor, const D& d) : Verbs<VisitingLayout, D>(d), visitor_(visitor) {}

  template <class T>
  VisitingLayout& byte_swapped(const char* name, T& value) {
    byte_swapped_ = true;
    field(name, value);
    byte_swapped_ = false;
    return *this;
  }
  template <class N, Number T>
  VisitingLayout& list_byte_swapped(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kCount, items, std::numeric_limits<N>::max());
    byte_swapped_ = true;
    each(name, items);
    byte_swapped_ = false;
    return *this;
  }
  template <std::unsigned_integral N, Number T>
  VisitingLayout& list_byte_swapped(const char* name, N& count, std::vector<T>& items) {
    byte_swapped_ = true;
    list_of(name, count, items);
    byte_swapped_ = false;
    return *this;
  }
  template <class K, class T>
  VisitingLayout& until_zero(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kZero, items, kUnbounded);
    each(name, items);
    return *this;
  }
  template <class T>
  VisitingLayout& until_end(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kFrame, items, kUnbounded);
    each(name, items);
    return *this;
  }
  template <std::unsigned_integral N, class T>
  VisitingLayout& until_end(const char* name, N& count, std::vector<T>& items) {
    until_end(name, items);
    count = static_cast<N>(std::min<std::size_t>(count, items.size()));
    return *this;
  }
  VisitingLayout& zero_text(const char* name, ZText& text) {
    visitor_.text(name, text.chars, TextEnd::kZero, text.open);
    return *this;
  }
  VisitingLayout& ucs2_text(const char* name, ZText& text) {
    visitor_.text(name, text.chars, TextEnd::kZero16, text.open);
    return *this;
  }
  VisitingLayout& any_text(const char* name, AnyText& text) {
    text.wide = visitor_.part("16-bit units, told by a second byte of 0", text.wide, true);
    if (!text.wide) return zero_text(name, text);
    ucs2_text(name, text);
    visitor_.end_part();
    return *this;
  }
  VisitingLayout& at_least(const char*, std::size_t) { return *this; }
  template <Number T>
  VisitingLayout& bounded(const char* name, T& value, T low, T high) {
    field(name, value);
    value = std::clamp(value, low, high);
    return *this;
  }
  template <Number N, Number T>
  VisitingLayout& as(const char* name, T& value) {
    N carried = static_cast<N>(value);
    field(name, carried);
    value = carried;
    return *this;
  }
  template <Number N, Number T>
  requires(sizeof(N) == sizeof(T)) VisitingLayout& bits_as(const char* name, T& value) {
    N seen = std::bit_cast<N>(value);
    field(name, seen);
    value = std::bit_cast<T>(seen);
    return *this;
  }
  VisitingLayout& end_text(const char* name, EndText& text) {
    bool open = false;
    visitor_.text(name, text.chars, TextEnd::kFrame, open);
    return *this;
  }
  VisitingLayout& exact(const char* name, std::string_view bytes) {
    visitor_.exact(name, bytes);
    return *this;
  }
  VisitingLayout& rest(const char* name, Buffer& bytes, Kept kept) {
    visitor_.rest(name, bytes, kept);
    return *this;
  }
  template <class T>
  VisitingLayout& maybe(const char* name, std::optional<T>& value) {
    if (visitor_.part("bytes are left", value.has_value(), true)) {
      if (!value) value.emplace();
      field(name, *value);
      visitor_.end_part();
    } else {
      value.reset();
    }
    return *this;
  }
  VisitingLayout& infer(const char* name, std::uint8_t& form, std::initializer_list<std::size_t> sizes) {
    form = static_cast<std::uint8_t>(visitor_.form(name, form, {sizes.begin(), sizes.size()}));
    return *this;
  }

  template <Number T>
  VisitingLayout& must(const char* name, T& value, T expected) {
    value = expected;
    field(name, value);
    value = expected;
    return *this;
  }

  template <Number T>
  void field(const char* name, T& value) {
    Scalar scalar{kind_of<T>(), to_bits(value), byte_swapped_};
    visitor_.scalar(name, scalar);
    value = std::bit_cast<T>(static_cast<Bits<T>>(scalar.bits));
  }
  void field(const char* name, U24& value) {
    Scalar scalar{Kind::kU24, value.value, byte_swapped_};
    visitor_.scalar(name, scalar);
    value.value = static_cast<std::uint32_t>(scalar.bits & 0xFFFFFFU);
  }
  template <class T, std::size_t N>
  void field(const char* name, std::array<T, N>& values) {
    visitor_.list(name, ListEnd::kFixed, N, N);
    for (std::size_t i = 0; i < N; ++i) {
      visitor_.item(i);
      field(name, values[i]);
    }
    visitor_.end_list();
  }
  template <std::size_t N>
  void field(const char* name, Text<N>& text) {
    visitor_.fixed_text(name, text.chars);
  }
  template <std::size_t N>
  void field(const char* name, Pad<N>& pad) {
    visitor_.padding(name, pad.bytes);
  }
  void field(const char* name, ZText& text) { zero_text(name, text); }
  void field(const char* name, ClosedText& text) {
    zero_text(name, text);
    text.open = false;
  }
  template <class T>
  requires std::is_class_v<T>
  void field(const char* name, T& value) {
    visitor_.group(name);
    fields(*this, value);
    visitor_.end_group();
  }

  // Called by Verbs.
  bool enter(const char* what, bool condition) { return visitor_.part(what, condition, false); }
  template <class Tell>
  bool ask(const char* what, bool& there, Tell&) {
    there = visitor_.part(what, there, true);
    return there;
  }
  void leave() { visitor_.end_part(); }

  template <class N, class T>
  void counted(const char* name, std::vector<T>& items, std::size_t = 0) {
    resize(name, ListEnd::kCount, items, std::numeric_limits<N>::max());
    each(name, items);
  }
  template <class N, class T>
  void list_of(const char* name, N& count, std::vector<T>& items) {
    resize(name, ListEnd::kField, items, std::numeric_limits<N>::max());
    count = static_cast<N>(items.size());
    each(name, items);
  }

  template <class T>
  void as_many_of(const char* name, std::size_t count, std::vector<T>& items) {
    items.resize(count);
    visitor_.list(name, ListEnd::kFixed, count, count);
    each(name, items);
  }

  template <class N>
  void counted_text(const char* name, std::string& chars) {
    bool open = false;
    visitor_.text(name, chars,
                  sizeof(N) == 1   ? TextEnd::kCount8
                  : sizeof(N) == 2 ? TextEnd::kCount16
                                   : TextEnd::kCount32,
                  open);
  }

 private:
  static constexpr std::size_t kUnbounded = SIZE_MAX;

  template <class T>
  void resize(const char* name, ListEnd end, std::vector<T>& items, std::size_t most) {
    items.resize(visitor_.list(name, end, items.size(), most));
  }

  template <class T>
  void each(const char* name, std::vector<T>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      visitor_.item(i);
      field(name, items[i]);
    }
    visitor_.end_list();
  }

  FieldVisitor& visitor_;
  bool byte_swapped_ = false;
};

}  // namespace entente::wire
