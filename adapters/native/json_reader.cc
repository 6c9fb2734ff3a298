#include <google/protobuf/stubs/strutil.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "adapters/native/json.h"
#include "adapters/native/schema_table.h"
#include "proxy/base/text.h"

namespace entente::native {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A value that is neither an object nor an array.
struct JsonScalar {
  enum class Kind : std::uint8_t { kNull, kBool, kUnsigned, kSigned, kDouble, kString };
  Kind kind = Kind::kNull;
  bool truth = false;
  std::uint64_t whole = 0;
  std::int64_t negative = 0;
  double real = 0;
  std::string_view text;  ///< valid until the next string is read
};

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_of_number(char c) {
  return is_digit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' || c == 'x';
}

/// All of `text` as a number, as std::from_chars reads it.
template <class Number>
std::optional<Number> plainly(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

/// As strtod() reads it, which also knows hexadecimal numbers, white space, and numbers too small or too large.
std::optional<double> real_in(std::string_view text) {
  std::optional<double> number = plainly<double>(text);
  if (!number) {
    double slowly = 0;
    if (!google::protobuf::safe_strtod(std::string(text), &slowly)) return std::nullopt;
    number = slowly;
  }
  return std::isfinite(*number) ? number : std::nullopt;
}

bool has_blank_at_an_end(std::string_view text) { return !text.empty() && (text.front() == ' ' || text.back() == ' '); }

template <class Whole>
std::optional<Whole> whole_of(const JsonScalar& from) {
  constexpr double kBeyond = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<Whole>::digits - 1));
  constexpr double kLeast = std::is_signed_v<Whole> ? -kBeyond : 0.0;
  std::string_view text = from.text;
  switch (from.kind) {
    case JsonScalar::Kind::kUnsigned:
      return std::in_range<Whole>(from.whole) ? std::optional(static_cast<Whole>(from.whole)) : std::nullopt;
    case JsonScalar::Kind::kSigned:
      return std::in_range<Whole>(from.negative) ? std::optional(static_cast<Whole>(from.negative)) : std::nullopt;
    case JsonScalar::Kind::kDouble:
      if (!(from.real >= kLeast && from.real < kBeyond) || std::trunc(from.real) != from.real) return std::nullopt;
      return static_cast<Whole>(from.real);
    case JsonScalar::Kind::kString:
      if (text.starts_with('+')) text.remove_prefix(1);
      if (text.size() != from.text.size() && text.starts_with('-')) return std::nullopt;
      return plainly<Whole>(text);
    default:
      return std::nullopt;
  }
}

std::optional<double> double_of(const JsonScalar& from) {
  switch (from.kind) {
    case JsonScalar::Kind::kUnsigned:
      return static_cast<double>(from.whole);
    case JsonScalar::Kind::kSigned:
      return static_cast<double>(from.negative);
    case JsonScalar::Kind::kDouble:
      return from.real;
    case JsonScalar::Kind::kString:
      if (from.text == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (from.text == "Infinity") return std::numeric_limits<double>::infinity();
      if (from.text == "-Infinity") return -std::numeric_limits<double>::infinity();
      if (has_blank_at_an_end(from.text)) return std::nullopt;
      return real_in(from.text);
    default:
      return std::nullopt;
  }
}

/// The nearest float. A number just above the largest float becomes that one, unless it is in a string.
std::optional<float> float_of(const JsonScalar& from) {
  if (from.kind == JsonScalar::Kind::kUnsigned) return static_cast<float>(from.whole);
  if (from.kind == JsonScalar::Kind::kSigned) return static_cast<float>(from.negative);
  constexpr float kMost = std::numeric_limits<float>::max();
  const std::optional<double> wide = double_of(from);
  if (!wide || !std::isfinite(*wide) || std::abs(*wide) <= kMost)
    return wide ? std::optional(static_cast<float>(*wide)) : std::nullopt;
  if (from.kind == JsonScalar::Kind::kString || std::abs(*wide) >= 2.0 * kMost) return std::nullopt;
  const float half = static_cast<float>(*wide / 2);
  return std::abs(half) <= kMost / 2 ? std::optional(half * 2) : std::nullopt;
}

std::optional<bool> truth_of(const JsonScalar& from) {
  bool truth = from.truth;
  if (from.kind == JsonScalar::Kind::kBool) return truth;
  if (from.kind != JsonScalar::Kind::kString || has_blank_at_an_end(from.text) ||
      !google::protobuf::safe_strtob({from.text.data(), from.text.size()}, &truth))
    return std::nullopt;
  return truth;
}

std::optional<std::string> text_of(const JsonScalar& from) {
  if (from.kind != JsonScalar::Kind::kString) return std::nullopt;
  return std::string(from.text);
}

/// In either alphabet of base64 (RFC 4648), with padding or without. The digits must be those that the bytes have.
std::optional<std::string> bytes_of(const JsonScalar& from) {
  if (from.kind != JsonScalar::Kind::kString) return std::nullopt;
  const google::protobuf::StringPiece text(from.text.data(), from.text.size());
  std::string bytes, digits;
  if (google::protobuf::WebSafeBase64Unescape(text, &bytes))
    google::protobuf::WebSafeBase64Escape(bytes, &digits);
  else if (google::protobuf::Base64Unescape(text, &bytes))
    google::protobuf::Base64Escape(as_bytes(bytes).data(), static_cast<int>(bytes.size()), &digits, false);
  else
    return std::nullopt;
  if (from.text.substr(0, from.text.find_last_not_of('=') + 1) != digits) return std::nullopt;
  return bytes;
}

/// Any number; or of a string, the known value of that name or number.
std::optional<int> enum_value_of(const EnumDescriptor& type, const JsonScalar& from) {
  const std::optional<int> number = whole_of<std::int32_t>(from);
  if (from.kind != JsonScalar::Kind::kString) return number;
  if (const auto* value = type.FindValueByName(std::string(from.text))) return value->number();
  return number && type.FindValueByNumber(*number) != nullptr ? number : std::nullopt;
}

const char* expected(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return field.type() == FieldDescriptor::TYPE_BYTES ? "expected bytes in base64" : "expected a string";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "expected true or false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return "expected a name or a number of the enum";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "expected an object";
    case FieldDescriptor::CPPTYPE_UINT32:
      return "expected a whole number from 0 to 4294967295";
    case FieldDescriptor::CPPTYPE_UINT64:
      return "expected a whole number from 0 to 18446744073709551615";
    default:
      return "expected a number";
  }
}

class JsonReader {
 public:
  JsonReader(std::string_view json, UnknownName unknown, const LongMessage* limits)
      : start_(json.data()),
        at_(start_),
        end_(start_ + json.size()),
        unknown_(unknown),
        limits_(limits),
        wrong_(start_) {}

  bool read(const MessageType& type, Message& into) {
    const auto size = static_cast<int>(end_ - start_);
    const int valid = google::protobuf::internal::UTF8SpnStructurallyValid({start_, static_cast<std::size_t>(size)});
    if (valid != size) return fail("expected UTF-8", nullptr, start_ + valid);
    if (next() != '{') return fail("expected '{'");
    if (!object(type, into)) return false;
    next();
    return at_ == end_ || fail("expected the end");
  }

  /// After read() was false.
  Fault fault() const {
    const bool exceeds = sentence_ == kTooLong || sentence_ == kTooManyInside;
    return {exceeds        ? sentence_
            : not_in_enum_ ? "unknown name of an enum value"
                           : "not a message of the schema in JSON",
            field_ != nullptr ? in_schema(*field_) : "word", static_cast<std::size_t>(wrong_ - start_)};
  }

  /// What is wrong, and where.
  std::string why() const {
    const std::string field = field_ != nullptr ? std::string(in_schema(*field_)) + ": " : "";
    if (not_in_enum_) return field + '\'' + fitted(clean(*not_in_enum_), kShownName) + "' is not a " + values();
    const std::string_view rest(wrong_, static_cast<std::size_t>(end_ - wrong_));
    return field + sentence_ + " at byte " + std::to_string(wrong_ - start_) +
           (rest.empty() ? ", the end" : ", before: " + clean(whole_characters(rest, kShown)));
  }

 private:
  // Bytes that why() shows: after the place of a mistake, and of a name.
  static constexpr std::size_t kShown = 20, kShownName = 64;

  /// Always false.
  bool fail(const char* sentence, const FieldDescriptor* field, const char* where) {
    sentence_ = sentence;
    field_ = field;
    wrong_ = where;
    return false;
  }
  bool fail(const char* sentence) { return fail(sentence, nullptr, at_); }

  /// The next byte that is not white space, or 0 at the end.
  char next() {
    while (at_ != end_ && is_space(*at_)) ++at_;
    return at_ != end_ ? *at_ : '\0';
  }

  /// After a value in an object or array: skips the comma, or stands before the end.
  bool separator(char closer, const char* otherwise) {
    const char c = next();
    if (c == ',') ++at_;
    return c == ',' || c == closer || fail(otherwise);
  }

  // -- Values of the schema -----------------------------------------------------------------------------------------

  /// Reads an object, which begins here.
  bool object(const MessageType& type, Message& message) {
    if (!go_deeper()) return false;
    std::uint64_t taken = 0;  // a bit for each oneof that has a value
    while (next() != '}') {
      const char* const start = at_;
      std::string_view name;
      if (!key(name)) return false;
      if (name.empty()) return fail("expected the name of a field", nullptr, start);
      const FieldType* const field = type.named(name);
      if (!(field != nullptr ? value(*field, message, taken) : skip())) return false;
      if (!separator('}', "expected ',' or '}'")) return false;
    }
    ++at_;
    --depth_;
    return true;
  }

  bool value(const FieldType& field, Message& message, std::uint64_t& taken) {
    if (next() != '[') return item(field, message, taken);
    if (!field.is->is_repeated()) return fail(expected(*field.is), field.is, at_);
    return items(field, message, taken);
  }

  /// Reads an array, which begins here. The items of arrays inside it count as its own.
  bool items(const FieldType& field, Message& message, std::uint64_t& taken) {
    std::size_t open = 0;
    for (;;) {
      const char c = next();
      if (c == '[') {
        ++at_;
        ++open;
        continue;
      }
      if (c == ']') {
        ++at_;
        if (--open == 0) return true;
      } else if (!item(field, message, taken)) {
        return false;
      }
      if (!separator(']', "expected ',' or ']'")) return false;
    }
  }

  /// Reads one value.
  bool item(const FieldType& field, Message& message, std::uint64_t& taken) {
    const bool is_object = next() == '{';
    const char* const start = at_;
    if (is_object) {
      if (field.inner == nullptr) return fail(expected(*field.is), field.is, start);
      if (!take_oneof(*field.is, taken, start) || !keeps_limits(field, start)) return false;
      const Reflection& see = *message.GetReflection();
      return object(*field.inner, field.is->is_repeated() ? *see.AddMessage(&message, field.is)
                                                          : *see.MutableMessage(&message, field.is));
    }
    JsonScalar scalar;
    if (!read_scalar(scalar)) return false;
    if (scalar.kind == JsonScalar::Kind::kNull) return true;  // as if it were not there
    if (!take_oneof(*field.is, taken, start)) return false;
    if (set(*field.is, message, scalar)) return true;
    return fail(expected(*field.is), field.is, start);
  }

  /// Of a message inside another one.
  bool keeps_limits(const FieldType& field, const char* where) {
    if (limits_ == nullptr) return true;
    if (depth_ == 1 && std::ranges::find(limits_->kinds, field.is->number()) == limits_->kinds.end())
      return fail(kTooLong, field.is, where);
    return ++inside_ <= limits_->most_inside || fail(kTooManyInside, field.is, where);
  }

  /// Each oneof, also that of an `optional` field, can have one value in an object.
  bool take_oneof(const FieldDescriptor& field, std::uint64_t& taken, const char* where) {
    if (field.containing_oneof() == nullptr) return true;
    const std::uint64_t bit = std::uint64_t{1} << field.containing_oneof()->index();
    if ((taken & bit) != 0) return fail("a second value where only one may be", &field, where);
    taken |= bit;
    return true;
  }

  /// False: it cannot be a value of that field.
  bool set(const FieldDescriptor& field, Message& message, const JsonScalar& scalar) {
    const Reflection& see = *message.GetReflection();
    const auto put = [&](auto value, auto set_one, auto add_one) {
      if (!value) return false;
      field.is_repeated() ? (see.*add_one)(&message, &field, *std::move(value))
                          : (see.*set_one)(&message, &field, *std::move(value));
      return true;
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return put(whole_of<std::int32_t>(scalar), &Reflection::SetInt32, &Reflection::AddInt32);
      case FieldDescriptor::CPPTYPE_INT64:
        return put(whole_of<std::int64_t>(scalar), &Reflection::SetInt64, &Reflection::AddInt64);
      case FieldDescriptor::CPPTYPE_UINT32:
        return put(whole_of<std::uint32_t>(scalar), &Reflection::SetUInt32, &Reflection::AddUInt32);
      case FieldDescriptor::CPPTYPE_UINT64:
        return put(whole_of<std::uint64_t>(scalar), &Reflection::SetUInt64, &Reflection::AddUInt64);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return put(double_of(scalar), &Reflection::SetDouble, &Reflection::AddDouble);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return put(float_of(scalar), &Reflection::SetFloat, &Reflection::AddFloat);
      case FieldDescriptor::CPPTYPE_BOOL:
        return put(truth_of(scalar), &Reflection::SetBool, &Reflection::AddBool);
      case FieldDescriptor::CPPTYPE_STRING:
        return put(field.type() == FieldDescriptor::TYPE_BYTES ? bytes_of(scalar) : text_of(scalar),
                   &Reflection::SetString, &Reflection::AddString);
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto number = enum_value_of(*field.enum_type(), scalar);
        if (!number && scalar.kind == JsonScalar::Kind::kString) return leave_out(scalar.text);
        return put(number, &Reflection::SetEnumValue, &Reflection::AddEnumValue);
      }
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return false;
    }
    return false;
  }

  /// Of a string that is no value of its enum: whether the field may stay as it is.
  bool leave_out(std::string_view name) {
    const bool is_number = !name.empty() && name.find_first_not_of("-0123456789") == std::string_view::npos;
    if (unknown_ == UnknownName::kLeaveOut || is_number) return true;
    not_in_enum_ = name;
    return false;
  }

  /// "Role; it is one of PLAY, WATCH, ROBOT"
  std::string values() const {
    const EnumDescriptor& type = *field_->enum_type();
    std::string text = type.name() + "; it is one of ";
    for (int i = 0; i < type.value_count(); ++i) text += (i == 0 ? "" : ", ") + type.value(i)->name();
    return text;
  }

  // -- Values of fields that are not in the schema ------------------------------------------------------------------

  /// Reads any value.
  bool skip() {
    std::string closers;  // of the objects and arrays that are open
    for (;;) {
      const char c = next();
      const bool in_object = !closers.empty() && closers.back() == '}';
      if (!closers.empty() && c == closers.back()) {
        ++at_;
        if (in_object) --depth_;
        closers.pop_back();
      } else {
        std::string_view name;
        if (in_object && !key(name)) return false;
        if (next() == '{') {
          if (!go_deeper()) return false;
          closers += '}';
          continue;
        }
        if (next() == '[') {
          ++at_;
          closers += ']';
          continue;
        }
        JsonScalar scalar;
        if (!read_scalar(scalar)) return false;
      }
      if (closers.empty()) return true;
      if (!separator(closers.back(), closers.back() == '}' ? "expected ',' or '}'" : "expected ',' or ']'"))
        return false;
    }
  }

  // -- The grammar --------------------------------------------------------------------------------------------------

  /// Reads the beginning of an object.
  bool go_deeper() {
    if (++depth_ > kDeepestJson) return fail("more than 100 objects inside each other");
    ++at_;
    return true;
  }

  /// Reads a name and its colon. `name` is valid until the next string is read.
  bool key(std::string_view& name) {
    const char c = next();
    if (c == '"' || c == '\'') {
      if (!string(name)) return false;
    } else {
      const char* const start = at_;
      if (starts_name(c))
        while (at_ != end_ && (starts_name(*at_) || is_digit(*at_))) ++at_;
      name = {start, static_cast<std::size_t>(at_ - start)};
      if (name.empty() || name == "null" || name == "true" || name == "false")
        return fail("expected the name of a field, or '}'", nullptr, start);
    }
    if (next() != ':') return fail("expected ':'");
    ++at_;
    return true;
  }

  /// Reads a value that is neither an object nor an array.
  bool read_scalar(JsonScalar& scalar) {
    const char c = next();
    if (c == '"' || c == '\'') {
      scalar.kind = JsonScalar::Kind::kString;
      return string(scalar.text);
    }
    if (c == '-' || is_digit(c)) return number(scalar);
    const auto word = [&](std::string_view text) {
      if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text)) return false;
      at_ += text.size();
      return true;
    };
    if (word("null")) return true;
    scalar.kind = JsonScalar::Kind::kBool;
    scalar.truth = word("true");
    return scalar.truth || word("false") || fail("expected a value");
  }

  bool number(JsonScalar& scalar) {
    const char* const start = at_;
    while (at_ != end_ && is_of_number(*at_)) ++at_;
    const std::string_view text(start, static_cast<std::size_t>(at_ - start));
    const bool is_negative = *start == '-';
    if (text.find_first_of(".eE") == std::string_view::npos) {
      const std::string_view digits = text.substr(is_negative ? 1 : 0);
      if (digits.size() > 1 && digits[0] == '0')
        return fail("expected a number without a zero before it", nullptr, start);
      if (const auto whole = plainly<std::uint64_t>(text)) {
        scalar.kind = JsonScalar::Kind::kUnsigned;
        scalar.whole = *whole;
        return true;
      }
      if (const auto negative = plainly<std::int64_t>(text)) {
        scalar.kind = JsonScalar::Kind::kSigned;
        scalar.negative = *negative;
        return true;
      }
    }
    const auto real = real_in(text);
    if (!real) return fail("expected a number up to 1.8e308", nullptr, start);
    scalar.kind = JsonScalar::Kind::kDouble;
    scalar.real = *real;
    return true;
  }

  /// Reads a string in double or single quotes.
  bool string(std::string_view& text) {
    const char quote = *at_++;
    const char* const start = at_;
    const auto is_plain = [&](char c) { return c != quote && c != '\\'; };
    at_ = std::find_if_not(at_, end_, is_plain);
    text = {start, static_cast<std::size_t>(at_ - start)};
    if (at_ != end_ && *at_ == '\\') {
      scratch_ = text;
      while (at_ != end_ && *at_ == '\\') {
        if (!escape()) return false;
        const char* const plain = at_;
        at_ = std::find_if_not(at_, end_, is_plain);
        scratch_.append(plain, at_);
      }
      text = scratch_;
    }
    if (at_ == end_) return fail("expected the closing quote of a string");
    ++at_;
    return true;
  }

  /// Reads what a backslash begins.
  bool escape() {
    if (end_ - at_ < 2) return fail("expected the closing quote of a string");
    const char c = at_[1];
    if (c == 'u') return unicode_escape();
    at_ += 2;
    constexpr std::string_view kNames = "bfnrtv", kMeant = "\b\f\n\r\t\v";
    const std::size_t which = kNames.find(c);
    scratch_ += which != std::string_view::npos ? kMeant[which] : c;
    return true;
  }

  bool unicode_escape() {
    const char* const first = at_;
    const auto point = code_unit();
    if (!point) return false;
    const bool is_high = *point >= 0xd800 && *point < 0xdc00, is_low = *point >= 0xdc00 && *point < 0xe000;
    if (is_low) return fail("expected the first half of a surrogate pair before the second", nullptr, first);
    if (!is_high) {
      add_character(*point, scratch_);
      return true;
    }
    const char* const second = at_;
    const auto low = code_unit();
    if (!low) return false;
    if (*low < 0xdc00 || *low > 0xdfff) return fail("expected the other half of a surrogate pair", nullptr, second);
    add_character(0x10000 + ((*point - 0xd800) << 10U) + (*low - 0xdc00), scratch_);
    return true;
  }

  /// Reads \uXXXX.
  std::optional<std::uint32_t> code_unit() {
    std::uint32_t unit = 0;
    if (end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
      const auto [last, error] = std::from_chars(at_ + 2, at_ + 6, unit, 16);
      if (error == std::errc() && last == at_ + 6) return at_ += 6, unit;
    }
    fail("expected \\u and four hexadecimal digits");
    return std::nullopt;
  }

  const char* const start_;
  const char* at_;
  const char* const end_;
  const UnknownName unknown_;
  const LongMessage* const limits_;
  int depth_ = 0;
  std::size_t inside_ = 0;  // messages inside the message so far
  std::string scratch_;     // a string with escapes

  // The first mistake.
  const char* sentence_ = "";
  const FieldDescriptor* field_ = nullptr;  // null: it is one of the grammar
  const char* wrong_;
  std::optional<std::string> not_in_enum_;  // the name that its enum does not have
};

}  // namespace

Result<Message*> read_json(Bytes json, Message& into, UnknownName unknown, std::string* why,
                           const LongMessage* limits) {
  into.Clear();
  const MessageType* const type = message_type(into.GetDescriptor());
  assert(type != nullptr);
  JsonReader reader(as_text(json), unknown, limits);
  if (reader.read(*type, into)) return &into;
  if (why != nullptr) *why = reader.why();
  return reader.fault();
}

}  // namespace entente::native
