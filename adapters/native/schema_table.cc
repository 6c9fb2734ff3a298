#include "adapters/native/schema_table.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

#include "schema/game.pb.h"

namespace entente::native {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Name = std::pair<std::string_view, std::uint16_t>;

bool is_before(const Name& a, const Name& b) {
  return a.first.size() != b.first.size() ? a.first.size() < b.first.size() : a.first < b.first;
}

class SchemaTable {
 public:
  SchemaTable() {
    add(*words::Intent::descriptor());
    add(*words::Fact::descriptor());
  }

  const MessageType* of(const Descriptor* type) const {
    const auto at = types_.find(type);
    return at != types_.end() ? &at->second : nullptr;
  }

 private:
  const MessageType& add(const Descriptor& is) {
    const auto [at, fresh] = types_.try_emplace(&is);
    MessageType& type = at->second;  // stays where it is when others are added
    if (!fresh) return type;
    type.is = &is;
    assert(is.oneof_decl_count() <= 64);  // the JSON reader has a bit for each
    for (int i = 0; i < is.field_count(); ++i) type.fields.push_back({is.field(i), '"' + is.field(i)->name() + "\":"});
    std::sort(type.fields.begin(), type.fields.end(),
              [](const FieldType& a, const FieldType& b) { return a.is->number() < b.is->number(); });
    for (FieldType& field : type.fields) {
      if (const Descriptor* inner = field.is->message_type()) field.inner = &add(*inner);
      type.has_text |= field.is->type() == FieldDescriptor::TYPE_STRING || (field.inner && field.inner->has_text);
    }
    add_names(type);
    return type;
  }

  static void add_names(MessageType& type) {
    for (std::uint16_t i = 0; i < type.fields.size(); ++i) {
      const FieldDescriptor& field = *type.fields[i].is;
      type.names.emplace_back(field.name(), i);
      if (field.json_name() != field.name()) type.names.emplace_back(field.json_name(), i);
    }
    std::sort(type.names.begin(), type.names.end(), is_before);
  }

  std::unordered_map<const Descriptor*, MessageType> types_;
};

}  // namespace

const FieldType* MessageType::named(std::string_view name) const {
  const auto at = std::lower_bound(names.begin(), names.end(), Name(name, 0), is_before);
  return at != names.end() && at->first == name ? &fields[at->second] : nullptr;
}

const FieldType* MessageType::numbered(std::uint32_t number) const {
  const auto at = std::lower_bound(fields.begin(), fields.end(), number, [](const FieldType& field, std::uint32_t n) {
    return static_cast<std::uint32_t>(field.is->number()) < n;
  });
  return at != fields.end() && static_cast<std::uint32_t>(at->is->number()) == number ? &*at : nullptr;
}

const MessageType* message_type(const Descriptor* type) {
  static const SchemaTable table;
  return table.of(type);
}

const char* in_schema(const FieldDescriptor& field) {
  return field.full_name().c_str() + field.file()->package().size() + 1;
}

}  // namespace entente::native
