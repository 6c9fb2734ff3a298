#include "proxy/core/ids.h"

#include <unordered_map>
#include <vector>

namespace entente::core {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

/// The fields of a message type that hold ids. Found once, because reflection over every field of every word is slow.
struct Ids {
  std::vector<const FieldDescriptor*> numbers;
  std::vector<const FieldDescriptor*> inside;  // submessages with ids, except those of the oneof
  const google::protobuf::OneofDescriptor* choice = nullptr;

  bool none() const { return numbers.empty() && inside.empty() && choice == nullptr; }
};

using Table = std::unordered_map<const google::protobuf::Descriptor*, Ids>;

const Ids& learn(const google::protobuf::Descriptor* type, Table& table) {
  if (const auto at = table.find(type); at != table.end()) return at->second;
  Ids ids;
  if (type->real_oneof_decl_count() > 0) ids.choice = type->oneof_decl(0);
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool some = is_message && !learn(field->message_type(), table).none();
    if (some && field->real_containing_oneof() == nullptr) ids.inside.push_back(field);
    if (!is_message && field->options().GetExtension(words::room_id)) ids.numbers.push_back(field);
  }
  return table[type] = std::move(ids);
}

const Ids& ids_of(const google::protobuf::Descriptor* type) {
  static const Table kTable = [] {
    Table table;
    learn(words::Intent::descriptor(), table);
    learn(words::Fact::descriptor(), table);
    return table;
  }();
  return kTable.at(type);
}

}  // namespace

void translate_ids(Message& message, const std::function<Id(Id)>& translate) {
  const Reflection& r = *message.GetReflection();
  const Ids& ids = ids_of(message.GetDescriptor());
  const auto change = [&](Id id) { return id == 0 ? 0 : translate(id); };
  for (const FieldDescriptor* field : ids.numbers) {
    const bool one = !field->is_repeated() && (!field->has_presence() || r.HasField(message, field));
    if (one) r.SetUInt32(&message, field, change(r.GetUInt32(message, field)));
    for (int k = 0; field->is_repeated() && k < r.FieldSize(message, field); ++k)
      r.SetRepeatedUInt32(&message, field, k, change(r.GetRepeatedUInt32(message, field, k)));
  }
  for (const FieldDescriptor* field : ids.inside) {
    if (!field->is_repeated() && r.HasField(message, field))
      translate_ids(*r.MutableMessage(&message, field), translate);
    for (int k = 0; field->is_repeated() && k < r.FieldSize(message, field); ++k)
      translate_ids(*r.MutableRepeatedMessage(&message, field, k), translate);
  }
  if (ids.choice == nullptr) return;
  const FieldDescriptor* chosen = r.GetOneofFieldDescriptor(message, ids.choice);
  if (chosen != nullptr) translate_ids(*r.MutableMessage(&message, chosen), translate);
}

void each_id(const Message& message, const std::function<void(Id)>& see) {
  const Reflection& r = *message.GetReflection();
  const Ids& ids = ids_of(message.GetDescriptor());
  const auto number = [&](Id id) {
    if (id != 0) see(id);
  };
  for (const FieldDescriptor* field : ids.numbers) {
    if (!field->is_repeated()) number(r.GetUInt32(message, field));
    for (int k = 0; field->is_repeated() && k < r.FieldSize(message, field); ++k)
      number(r.GetRepeatedUInt32(message, field, k));
  }
  for (const FieldDescriptor* field : ids.inside) {
    if (!field->is_repeated() && r.HasField(message, field)) each_id(r.GetMessage(message, field), see);
    for (int k = 0; field->is_repeated() && k < r.FieldSize(message, field); ++k)
      each_id(r.GetRepeatedMessage(message, field, k), see);
  }
  if (ids.choice == nullptr) return;
  const FieldDescriptor* chosen = r.GetOneofFieldDescriptor(message, ids.choice);
  if (chosen != nullptr) each_id(r.GetMessage(message, chosen), see);
}

}  // namespace entente::core
