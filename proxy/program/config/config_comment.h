// What stands above a key in schema/config.proto: the one text about it, in the example and on the command line.
#pragma once

#include <string>

namespace google::protobuf {
class FieldDescriptor;
}

namespace entente {

/// As it is written there, without the slashes: lines that begin with a space and end with a newline.
std::string config_comment(const google::protobuf::FieldDescriptor& field);
/// The same in one line.
std::string config_sentence(const google::protobuf::FieldDescriptor& field);

}  // namespace entente
