// The messages that occur in words, with their fields by number and by name. It is made once from the schema, so that
// readers and writers of words search for nothing by name in protobuf's own tables.
#pragma once

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace entente::native {

struct MessageType;

/// A field of a message.
struct FieldType {
  const google::protobuf::FieldDescriptor* is;
  std::string key;                     ///< what stands before its value in JSON: "\"name\":"
  const MessageType* inner = nullptr;  ///< the type of its value if that is a message
};

/// A message of the schema. Lives as long as the program.
struct MessageType {
  const google::protobuf::Descriptor* is;
  std::vector<FieldType> fields;  ///< in the order of their numbers, which is the order in which they are written
  bool has_text = false;          ///< a field of it, or of a message inside it, is text
  /// Both names of each field (`respawn_s` and `respawnS`), by length and then in the order of the bytes.
  std::vector<std::pair<std::string_view, std::uint16_t>> names;

  /// Null if there is none. Takes a number of steps that grows with the logarithm of the number of fields.
  const FieldType* named(std::string_view name) const;
  const FieldType* numbered(std::uint32_t number) const;
};

/// What a long message may be, so that reading it takes no more time and memory than its sender needed to make it.
struct LongMessage {
  std::span<const int> kinds;  ///< the numbers of the fields with a message that it may have
  std::size_t most_inside;     ///< messages inside it, at any depth
};
inline constexpr const char* kTooLong = "too long for its kind";
inline constexpr const char* kTooManyInside = "too many messages inside it";

/// Null if the message does not occur in words.
const MessageType* message_type(const google::protobuf::Descriptor* type);

/// The message and field in the schema, such as "Enter.role". Lives as long as the schema.
const char* in_schema(const google::protobuf::FieldDescriptor& field);

}  // namespace entente::native
