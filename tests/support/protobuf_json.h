// protobuf's own JSON parser and printer, which native's must agree with.
#pragma once

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <memory>
#include <string>
#include <string_view>

#include "adapters/native/json.h"

namespace entente::testing {

inline std::string printed_by_protobuf(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) text = "not printed";
  return text;
}

/// What native's reader and protobuf's parser read differently, as messages of the type of `type`; empty if nothing.
/// Names that are empty are left out of this: protobuf takes them for items of an array that is around the object.
inline std::string difference_in_json(std::string_view json, const google::protobuf::Message& type) {
  using google::protobuf::Message;
  const std::unique_ptr<Message> theirs(type.New()), ours(type.New()), strictly(type.New());
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, theirs.get(), options);
  std::string why, why_strictly;
  const auto read = native::read_json(as_bytes(json), *ours, native::UnknownName::kLeaveOut, &why);
  const auto read_strictly = native::read_json(as_bytes(json), *strictly, native::UnknownName::kRefuse, &why_strictly);
  if (!read && why.starts_with("expected the name of a field at")) return {};
  if (read.ok() != status.ok())
    return read.ok() ? "only protobuf refuses it: " + std::string(status.message()) : "only we refuse it: " + why;
  if (!read && read.error().offset > json.size()) return "the fault is outside of the message: " + why;
  if (!read && why.empty()) return "no reason";
  if (read && ours->SerializeAsString() != theirs->SerializeAsString())
    return "we read " + ours->ShortDebugString() + "\nprotobuf reads " + theirs->ShortDebugString();
  if (read_strictly && (!read || strictly->SerializeAsString() != ours->SerializeAsString()))
    return "read differently if unknown names are refused";
  if (!read_strictly && read && read_strictly.error().what != std::string_view("unknown name of an enum value"))
    return "refused only if unknown names are: " + why_strictly;
  return {};
}

}  // namespace entente::testing
