// The comment above a key in schema/config.proto, which documents the key in the example and on the command line.
#pragma once

#include <string>

namespace google::protobuf {
class FieldDescriptor;
}

namespace entente {

/// The comment without its slashes: lines that begin with a space and end with a newline.
std::string config_comment(const google::protobuf::FieldDescriptor& field);
/// The comment on one line.
std::string config_sentence(const google::protobuf::FieldDescriptor& field);

}  // namespace entente
