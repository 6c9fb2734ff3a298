#include <google/protobuf/stubs/strutil.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/native/json.h"
#include "adapters/native/schema_table.h"
#include "proxy/base/text.h"

namespace entente::native {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void put(std::string_view text, Buffer& out) { append(out, as_bytes(text)); }

template <class Number>
void add_integer(Number number, Buffer& out) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  put({digits.data(), end.ptr}, out);
}

template <class Number>
void add_quoted(Number number, Buffer& out) {
  out.push_back('"');
  add_integer(number, out);
  out.push_back('"');
}

/// Uses 15 digits (6 for a float) if they are exact, else 17 (9).
template <class Real>
void add_real(Real number, Buffer& out) {
  if (std::isnan(number)) return put("\"NaN\"", out);
  if (std::isinf(number)) return put(number > 0 ? "\"Infinity\"" : "\"-Infinity\"", out);
  std::array<char, 40> digits;
  char* const last = digits.data() + digits.size();
  const auto written = [&](int precision) {
    return std::to_chars(digits.data(), last, number, std::chars_format::general, precision).ptr;
  };
  const char* end = written(std::numeric_limits<Real>::digits10);
  Real read = 0;
  std::from_chars(digits.data(), end, read);
  // protobuf does not trust strtof() with a subnormal float.
  const bool is_exact = read == number && (sizeof number > sizeof(float) || std::fpclassify(number) != FP_SUBNORMAL);
  if (!is_exact) end = written(std::numeric_limits<Real>::max_digits10);
  put({digits.data(), end}, out);
}

/// Whether protobuf's printer writes a character as \uXXXX: the controls, and those that browsers do not show.
bool is_escaped(std::uint32_t point) {
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  constexpr std::array<Range, 18> kEscaped{{{0, 0x1f},
                                            {'"', '"'},
                                            {'<', '<'},
                                            {'>', '>'},
                                            {'\\', '\\'},
                                            {0x7f, 0x9f},
                                            {0xad, 0xad},
                                            {0x600, 0x603},
                                            {0x6dd, 0x6dd},
                                            {0x70f, 0x70f},
                                            {0x17b4, 0x17b5},
                                            {0x200b, 0x200f},
                                            {0x2028, 0x202e},
                                            {0x2060, 0x2064},
                                            {0x206a, 0x206f},
                                            {0xfeff, 0xfeff},
                                            {0xfff9, 0xfffb},
                                            {0x1d173, 0x1d17a}}};
  constexpr Range kTags{0xe0020, 0xe007f};
  const auto has = [&](const Range& range) { return point >= range.first && point <= range.second; };
  return std::any_of(kEscaped.begin(), kEscaped.end(), has) || has(kTags) || point == 0xe0001;
}

void add_escaped(std::uint32_t point, Buffer& out) {
  constexpr std::string_view kNamed = "\b\f\n\r\t\"\\", kNames = "bfnrt\"\\";
  const std::size_t which = point < 0x80 ? kNamed.find(static_cast<char>(point)) : std::string_view::npos;
  out.push_back('\\');
  if (which != std::string_view::npos) return out.push_back(static_cast<std::uint8_t>(kNames[which]));
  if (point > 0xffff) {
    point -= 0x10000;
    out.pop_back();
    add_escaped(0xd800 + (point >> 10U), out);
    return add_escaped(0xdc00 + (point & 0x3ffU), out);
  }
  out.push_back('u');
  for (int shift = 12; shift >= 0; shift -= 4)
    out.push_back(static_cast<std::uint8_t>("0123456789abcdef"[point >> static_cast<unsigned>(shift) & 15U]));
}

void add_text(std::string_view text, Buffer& out) {
  const auto is_plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>'; };
  out.push_back('"');
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<std::size_t>(end - text.begin());
    put(text.substr(0, plain), out);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t size = first_character(text);
    const std::uint32_t point = size != 0 ? code_point(text.substr(0, size)) : 0xfffd;
    if (is_escaped(point))
      add_escaped(point, out);
    else
      put(size != 0 ? text.substr(0, size) : "\xef\xbf\xbd", out);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  out.push_back('"');
}

void add_bytes(const std::string& bytes, Buffer& out) {
  std::string digits;
  google::protobuf::Base64Escape(bytes, &digits);
  out.push_back('"');
  put(digits, out);
  out.push_back('"');
}

void add_enum(const FieldDescriptor& field, int number, Buffer& out) {
  const auto* const value = field.enum_type()->FindValueByNumber(number);
  if (value == nullptr) return add_integer(number, out);
  add_text(value->name(), out);
}

void add_message(const Message& message, const MessageType& type, Buffer& out);

// The value of a field, or one of the values of a repeated field.
#define ENTENTE_VALUE(Name) (i < 0 ? see.Get##Name(message, field.is) : see.GetRepeated##Name(message, field.is, i))

/// `i`: the item of a repeated field, else -1.
void add_value(const Message& message, const FieldType& field, int i, Buffer& out) {
  const Reflection& see = *message.GetReflection();
  switch (field.is->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return add_integer(ENTENTE_VALUE(Int32), out);
    case FieldDescriptor::CPPTYPE_UINT32:
      return add_integer(ENTENTE_VALUE(UInt32), out);
    case FieldDescriptor::CPPTYPE_INT64:
      return add_quoted(ENTENTE_VALUE(Int64), out);
    case FieldDescriptor::CPPTYPE_UINT64:
      return add_quoted(ENTENTE_VALUE(UInt64), out);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return add_real(ENTENTE_VALUE(Double), out);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return add_real(ENTENTE_VALUE(Float), out);
    case FieldDescriptor::CPPTYPE_BOOL:
      return put(ENTENTE_VALUE(Bool) ? "true" : "false", out);
    case FieldDescriptor::CPPTYPE_ENUM:
      return add_enum(*field.is, ENTENTE_VALUE(EnumValue), out);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return add_message(ENTENTE_VALUE(Message), *field.inner, out);
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      const std::string& text = i < 0 ? see.GetStringReference(message, field.is, &scratch)
                                      : see.GetRepeatedStringReference(message, field.is, i, &scratch);
      return field.is->type() == FieldDescriptor::TYPE_BYTES ? add_bytes(text, out) : add_text(text, out);
    }
  }
}

#undef ENTENTE_VALUE

void add_field(const Message& message, const FieldType& field, Buffer& out) {
  if (!field.is->is_repeated()) return add_value(message, field, -1, out);
  const int count = message.GetReflection()->FieldSize(message, field.is);
  for (int i = 0; i < count; ++i) {
    out.push_back(i == 0 ? '[' : ',');
    add_value(message, field, i, out);
  }
  out.push_back(']');
}

void add_message(const Message& message, const MessageType& type, Buffer& out) {
  const Reflection& see = *message.GetReflection();
  // A word has about forty kinds, one of which is set; it is looked up once.
  const FieldDescriptor* kind = nullptr;
  if (type.is->real_oneof_decl_count() == 1) kind = see.GetOneofFieldDescriptor(message, type.is->oneof_decl(0));
  const auto is_set = [&](const FieldDescriptor* field) {
    if (kind != nullptr && field->real_containing_oneof() != nullptr) return field == kind;
    return field->is_repeated() ? see.FieldSize(message, field) != 0 : see.HasField(message, field);
  };
  char before = '{';
  for (const FieldType& field : type.fields) {
    if (!is_set(field.is)) continue;
    out.push_back(static_cast<std::uint8_t>(std::exchange(before, ',')));
    put(field.key, out);
    add_field(message, field, out);
  }
  if (before == '{') out.push_back('{');
  out.push_back('}');
}

}  // namespace

void write_json(const Message& message, Buffer& out) {
  const MessageType* const type = message_type(message.GetDescriptor());
  assert(type != nullptr);
  add_message(message, *type, out);
}

}  // namespace entente::native
