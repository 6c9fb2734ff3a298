#include "adapters/native/reflect.h"

#include <bit>

namespace entente::native {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using wire::FieldVisitor;
using wire::Kind;
using wire::Scalar;

/// One field of one message. `index`: the item of a repeated field, else -1.
struct Place {
  Message& message;
  const FieldDescriptor* field;
  int index = -1;

  const Reflection& reflection() const { return *message.GetReflection(); }
};

/// Shows a number to the visitor, and sets it if the visitor changed it.
template <class T, class Get, class Set>
void show_number(const Place& at, FieldVisitor& visitor, Kind kind, Get&& get, Set&& set) {
  const auto bits_of = [](T value) -> std::uint64_t {
    if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<std::uint64_t>(value);
    else if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<std::uint32_t>(value);
    else
      return static_cast<std::uint64_t>(value) & (sizeof(T) == 8 ? ~0ULL : (1ULL << 8 * sizeof(T)) - 1);
  };
  Scalar value{kind, bits_of(get())};
  const std::uint64_t before = value.bits;
  visitor.scalar(at.field->name().c_str(), value);
  if (value.bits == before) return;
  if constexpr (std::is_same_v<T, double>)
    set(std::bit_cast<double>(value.bits));
  else if constexpr (std::is_same_v<T, float>)
    set(std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)));
  else
    set(static_cast<T>(value.bits));
}

// clang-format off
#define ENTENTE_NUMBER(type, kind, Name)                                                                              \
  show_number<type>(at, visitor, kind,                                                                                 \
      [&] { return at.index < 0 ? r.Get##Name(m, f) : r.GetRepeated##Name(m, f, at.index); },                          \
      [&](type v) { at.index < 0 ? r.Set##Name(&m, f, v) : r.SetRepeated##Name(&m, f, at.index, v); })
// clang-format on

void visit_text(const Place& at, FieldVisitor& visitor) {
  const Reflection& r = at.reflection();
  std::string text =
      at.index < 0 ? r.GetString(at.message, at.field) : r.GetRepeatedString(at.message, at.field, at.index);
  const std::string before = text;
  if (at.field->type() == FieldDescriptor::TYPE_BYTES) {
    Buffer bytes(text.begin(), text.end());
    visitor.rest(at.field->name().c_str(), bytes, wire::Kept::kDeclared);
    text.assign(bytes.begin(), bytes.end());
  } else {
    bool open = false;
    visitor.text(at.field->name().c_str(), text, wire::TextEnd::kCount32, open);
  }
  if (text == before) return;
  if (at.index < 0)
    r.SetString(&at.message, at.field, text);
  else
    r.SetRepeatedString(&at.message, at.field, at.index, text);
}

void visit_message(const Place& at, FieldVisitor& visitor) {
  const Reflection& r = at.reflection();
  visitor.group(at.field->name().c_str());
  visit(at.index < 0 ? *r.MutableMessage(&at.message, at.field)
                     : *r.MutableRepeatedMessage(&at.message, at.field, at.index),
        visitor);
  visitor.end_group();
}

void visit_value(const Place& at, FieldVisitor& visitor) {
  Message& m = at.message;
  const FieldDescriptor* f = at.field;
  const Reflection& r = at.reflection();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return ENTENTE_NUMBER(std::int32_t, Kind::kI32, Int32);
    case FieldDescriptor::CPPTYPE_INT64:
      return ENTENTE_NUMBER(std::int64_t, Kind::kI64, Int64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return ENTENTE_NUMBER(std::uint32_t, Kind::kU32, UInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return ENTENTE_NUMBER(std::uint64_t, Kind::kU64, UInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return ENTENTE_NUMBER(double, Kind::kF64, Double);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return ENTENTE_NUMBER(float, Kind::kF32, Float);
    case FieldDescriptor::CPPTYPE_BOOL:
      return ENTENTE_NUMBER(bool, Kind::kBool, Bool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return ENTENTE_NUMBER(std::int32_t, Kind::kI32, EnumValue);
    case FieldDescriptor::CPPTYPE_STRING:
      return visit_text(at, visitor);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return visit_message(at, visitor);
  }
}

#undef ENTENTE_NUMBER

void add_one(Message& message, const FieldDescriptor* field) {
  const Reflection& r = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return r.AddString(&message, field, "");
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return void(r.AddMessage(&message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return r.AddUInt32(&message, field, 0);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return r.AddFloat(&message, field, 0);
    default:
      assert(false && "a repeated field of a type that the schema did not have");
  }
}

void visit_list(Message& message, const FieldDescriptor* field, FieldVisitor& visitor) {
  const Reflection& r = *message.GetReflection();
  const int now = r.FieldSize(message, field);
  const int wanted = static_cast<int>(
      visitor.list(field->name().c_str(), wire::ListEnd::kCount, static_cast<std::size_t>(now), 0xffff));
  for (int i = now; i < wanted; ++i) add_one(message, field);
  for (int i = now; i > wanted; --i) r.RemoveLast(&message, field);
  for (int i = 0; i < wanted; ++i) {
    visitor.item(static_cast<std::size_t>(i));
    visit_value({message, field, i}, visitor);
  }
  visitor.end_list();
}

void visit_optional(Message& message, const FieldDescriptor* field, FieldVisitor& visitor) {
  const Reflection& r = *message.GetReflection();
  const bool there = visitor.part(field->name().c_str(), r.HasField(message, field), true);
  if (!there) return r.ClearField(&message, field);
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE && !r.HasField(message, field)) {
    // A field that is present with the value 0: setting it makes it present.
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) r.SetString(&message, field, "");
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) r.SetUInt32(&message, field, 0);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) r.SetDouble(&message, field, 0);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) r.SetEnumValue(&message, field, 0);
  }
  visit_value({message, field}, visitor);
  visitor.end_part();
}

/// Intent.link and Fact.link.
bool is_of_recordings(const FieldDescriptor& field) {
  static_assert(int{words::Intent::kLinkFieldNumber} == int{words::Fact::kLinkFieldNumber});
  const auto* type = field.containing_type();
  return field.number() == words::Fact::kLinkFieldNumber &&
         (type == words::Intent::descriptor() || type == words::Fact::descriptor());
}

}  // namespace

void visit(Message& message, FieldVisitor& visitor) {
  const auto* type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->real_containing_oneof() != nullptr || is_of_recordings(*field)) continue;
    if (field->is_repeated())
      visit_list(message, field, visitor);
    else if (field->has_presence())
      visit_optional(message, field, visitor);
    else
      visit_value({message, field}, visitor);
  }
}

}  // namespace entente::native
