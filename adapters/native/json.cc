#include "adapters/native/json.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schema/game.pb.h"

namespace entente::native {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// A field of a message, and its key in JSON.
struct Field {
  const FieldDescriptor* is;
  std::string key;  // "\"name\":"
};

/// All messages that occur in words, each with its fields in the order of their numbers, which is the order in which
/// they are serialized.
class Tables {
 public:
  Tables() {
    add(*words::Intent::descriptor());
    add(*words::Fact::descriptor());
  }

  /// Null if the message does not occur in words.
  const std::vector<Field>* of(const Message& message) const {
    const auto at = tables_.find(message.GetDescriptor());
    return at != tables_.end() ? &at->second : nullptr;
  }

 private:
  void add(const Descriptor& type) {
    const auto [at, fresh] = tables_.try_emplace(&type);
    if (!fresh) return;
    std::vector<Field>& fields = at->second;
    for (int i = 0; i < type.field_count(); ++i) fields.push_back({type.field(i), '"' + type.field(i)->name() + "\":"});
    std::sort(fields.begin(), fields.end(),
              [](const Field& a, const Field& b) { return a.is->number() < b.is->number(); });
    for (int i = 0; i < type.field_count(); ++i)
      if (const Descriptor* inner = type.field(i)->message_type()) add(*inner);
  }

  std::unordered_map<const Descriptor*, std::vector<Field>> tables_;
};

const Tables& tables() {
  static const Tables all;
  return all;
}

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

/// Uses 15 digits if they are exact, else 17.
bool add_double(double number, Buffer& out) {
  if (!std::isfinite(number)) return false;
  std::array<char, 40> digits;
  char* const last = digits.data() + digits.size();
  auto end =
      std::to_chars(digits.data(), last, number, std::chars_format::general, std::numeric_limits<double>::digits10);
  double read = 0;
  std::from_chars(digits.data(), end.ptr, read);
  if (read != number)
    end = std::to_chars(digits.data(), last, number, std::chars_format::general,
                        std::numeric_limits<double>::max_digits10);
  put({digits.data(), end.ptr}, out);
  return true;
}

/// False: the text needs escapes.
bool add_text(std::string_view text, Buffer& out) {
  const auto plain = [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>'; };
  if (!std::all_of(text.begin(), text.end(), plain)) return false;
  out.push_back('"');
  put(text, out);
  out.push_back('"');
  return true;
}

bool add_enum(const FieldDescriptor& field, int number, Buffer& out) {
  const auto* const value = field.enum_type()->FindValueByNumber(number);
  return value != nullptr && add_text(value->name(), out);
}

bool add_message(const Message& message, Buffer& out);

/// Adds a field with one value. False: protobuf's printer must do it.
bool add_one(const Message& message, const FieldDescriptor& field, Buffer& out) {
  const Reflection& see = *message.GetReflection();
  std::string scratch;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return add_integer(see.GetInt32(message, &field), out), true;
    case FieldDescriptor::CPPTYPE_UINT32:
      return add_integer(see.GetUInt32(message, &field), out), true;
    case FieldDescriptor::CPPTYPE_INT64:
      return add_quoted(see.GetInt64(message, &field), out), true;
    case FieldDescriptor::CPPTYPE_UINT64:
      return add_quoted(see.GetUInt64(message, &field), out), true;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return add_double(see.GetDouble(message, &field), out);
    case FieldDescriptor::CPPTYPE_BOOL:
      return put(see.GetBool(message, &field) ? "true" : "false", out), true;
    case FieldDescriptor::CPPTYPE_ENUM:
      return add_enum(field, see.GetEnumValue(message, &field), out);
    case FieldDescriptor::CPPTYPE_STRING:
      return field.type() == FieldDescriptor::TYPE_STRING &&
             add_text(see.GetStringReference(message, &field, &scratch), out);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return add_message(see.GetMessage(message, &field), out);
    default:
      return false;
  }
}

/// Adds an element of a repeated field; only the types that occur in words.
bool add_element(const Message& message, const FieldDescriptor& field, int i, Buffer& out) {
  const Reflection& see = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return add_integer(see.GetRepeatedUInt32(message, &field, i), out), true;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return add_double(see.GetRepeatedDouble(message, &field, i), out);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return add_message(see.GetRepeatedMessage(message, &field, i), out);
    default:
      return false;
  }
}

bool add_field(const Message& message, const FieldDescriptor& field, Buffer& out) {
  if (!field.is_repeated()) return add_one(message, field, out);
  if (field.is_map()) return false;
  const int count = message.GetReflection()->FieldSize(message, &field);
  for (int i = 0; i < count; ++i) {
    out.push_back(i == 0 ? '[' : ',');
    if (!add_element(message, field, i, out)) return false;
  }
  out.push_back(']');
  return true;
}

/// False: it contains something that protobuf's printer must do.
bool add_message(const Message& message, Buffer& out) {
  const std::vector<Field>* const fields = tables().of(message);
  if (fields == nullptr) return false;
  const Reflection& see = *message.GetReflection();
  // A word has about forty kinds, one of which is set; it is looked up once.
  const FieldDescriptor* kind = nullptr;
  if (message.GetDescriptor()->real_oneof_decl_count() == 1)
    kind = see.GetOneofFieldDescriptor(message, message.GetDescriptor()->oneof_decl(0));
  const auto is_set = [&](const FieldDescriptor* field) {
    if (kind != nullptr && field->real_containing_oneof() != nullptr) return field == kind;
    return field->is_repeated() ? see.FieldSize(message, field) != 0 : see.HasField(message, field);
  };
  char before = '{';
  for (const Field& field : *fields) {
    if (!is_set(field.is)) continue;
    out.push_back(static_cast<std::uint8_t>(std::exchange(before, ',')));
    put(field.key, out);
    if (!add_field(message, *field.is, out)) return false;
  }
  if (before == '{') out.push_back('{');
  out.push_back('}');
  return true;
}

}  // namespace

void write_json(const Message& message, Buffer& out) {
  const std::size_t start = out.size();
  if (add_message(message, out)) return;
  out.resize(start);
  print_json(message, out);
}

void print_json(const Message& message, Buffer& out) {
  std::string text;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (google::protobuf::util::MessageToJsonString(message, &text, options).ok()) append(out, as_bytes(text));
}

}  // namespace entente::native
