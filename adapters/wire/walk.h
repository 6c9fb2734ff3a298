// Walk turns the verbs of fields.h into calls of a Walker, so that each tool is compiled once instead of once a
// message. Law: what the walker changes, the message has afterwards; a list or part the walker asks for is made before
// it is visited.
#pragma once

#include "adapters/wire/fields.h"

namespace entente::wire {

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

template <class D>
class Walk : public Verbs<Walk<D>, D> {
 public:
  Walk(Walker& walker, const D& d) : Verbs<Walk, D>(d), walker_(walker) {}

  template <class T>
  Walk& turned(const char* name, T& value) {
    turned_ = true;
    field(name, value);
    turned_ = false;
    return *this;
  }
  template <class N, Number T>
  Walk& list_turned(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kCount, items, std::numeric_limits<N>::max());
    turned_ = true;
    each(name, items);
    turned_ = false;
    return *this;
  }
  template <class K, class T>
  Walk& until_zero(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kZero, items, kUnbounded);
    each(name, items);
    return *this;
  }
  template <class T>
  Walk& until_end(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kFrame, items, kUnbounded);
    each(name, items);
    return *this;
  }
  Walk& zero_text(const char* name, ZText& text) {
    walker_.text(name, text.chars, TextEnd::kZero, text.open);
    return *this;
  }
  Walk& end_text(const char* name, EndText& text) {
    bool open = false;
    walker_.text(name, text.chars, TextEnd::kFrame, open);
    return *this;
  }
  Walk& rest(const char* name, Buffer& bytes, Kept kept) {
    walker_.rest(name, bytes, kept);
    return *this;
  }
  template <class T>
  Walk& maybe(const char* name, std::optional<T>& value) {
    if (walker_.part("bytes are left", value.has_value(), true)) {
      if (!value) value.emplace();
      field(name, *value);
      walker_.end_part();
    } else {
      value.reset();
    }
    return *this;
  }
  Walk& infer(const char* name, std::uint8_t& form, std::initializer_list<std::size_t> sizes) {
    form = static_cast<std::uint8_t>(walker_.form(name, form, {sizes.begin(), sizes.size()}));
    return *this;
  }

  template <Number T>
  void field(const char* name, T& value) {
    Scalar scalar{kind_of<T>(), to_bits(value), turned_};
    walker_.scalar(name, scalar);
    value = std::bit_cast<T>(static_cast<Bits<T>>(scalar.bits));
  }
  void field(const char* name, U24& value) {
    Scalar scalar{Kind::kU24, value.value, turned_};
    walker_.scalar(name, scalar);
    value.value = static_cast<std::uint32_t>(scalar.bits & 0xFFFFFFU);
  }
  template <class T, std::size_t N>
  void field(const char* name, std::array<T, N>& values) {
    walker_.list(name, ListEnd::kFixed, N, N);
    for (std::size_t i = 0; i < N; ++i) {
      walker_.item(i);
      field(name, values[i]);
    }
    walker_.end_list();
  }
  template <std::size_t N>
  void field(const char* name, Text<N>& text) {
    walker_.fixed_text(name, text.chars);
  }
  template <std::size_t N>
  void field(const char* name, Pad<N>& pad) {
    walker_.padding(name, pad.bytes);
  }
  void field(const char* name, ZText& text) { zero_text(name, text); }
  template <class T>
  requires std::is_class_v<T>
  void field(const char* name, T& value) {
    walker_.group(name);
    fields(*this, value);
    walker_.end_group();
  }

  bool enter(const char* what, bool condition) { return walker_.part(what, condition, false); }
  void leave() { walker_.end_part(); }

  template <class N, class T>
  void counted(const char* name, std::vector<T>& items) {
    resize(name, ListEnd::kCount, items, std::numeric_limits<N>::max());
    each(name, items);
  }

 private:
  static constexpr std::size_t kUnbounded = SIZE_MAX;

  template <class T>
  void resize(const char* name, ListEnd end, std::vector<T>& items, std::size_t most) {
    items.resize(walker_.list(name, end, items.size(), most));
  }

  template <class T>
  void each(const char* name, std::vector<T>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      walker_.item(i);
      field(name, items[i]);
    }
    walker_.end_list();
  }

  Walker& walker_;
  bool turned_ = false;
};

}  // namespace entente::wire
