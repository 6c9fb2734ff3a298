#include "proxy/fleet/arena/finite.h"

#include <cmath>

namespace entente::fleet {

using google::protobuf::FieldDescriptor;

bool has_finite_numbers(const google::protobuf::Message& message) {
  const auto& read = *message.GetReflection();
  const auto& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_DOUBLE:
        if (!field->is_repeated() && !std::isfinite(read.GetDouble(message, field))) return false;
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        if (!field->is_repeated() && !std::isfinite(read.GetFloat(message, field))) return false;
        for (int k = 0; field->is_repeated() && k < read.FieldSize(message, field); ++k)
          if (!std::isfinite(read.GetRepeatedFloat(message, field, k))) return false;
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (!field->is_repeated() && read.HasField(message, field) &&
            !has_finite_numbers(read.GetMessage(message, field)))
          return false;
        for (int k = 0; field->is_repeated() && k < read.FieldSize(message, field); ++k)
          if (!has_finite_numbers(read.GetRepeatedMessage(message, field, k))) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

}  // namespace entente::fleet
