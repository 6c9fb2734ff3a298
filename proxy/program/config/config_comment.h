// The comment above a key in schema/config.proto, which documents the key in the example and on the command line.
#pragma once

#include <string>
#include <string_view>

#include "schema/config.pb.h"

namespace google::protobuf {
class FieldDescriptor;
}

namespace entente {

/// The comment without its slashes: lines that begin with a space and end with a newline.
std::string config_comment(const google::protobuf::FieldDescriptor& field);
/// The comment on one line.
std::string config_sentence(const google::protobuf::FieldDescriptor& field);

/// The key's own rule for reloads; nothing of its own: that of its table.
config::Rule::Reload reload_rule(const google::protobuf::FieldDescriptor& field, config::Rule::Reload table);
/// "A reload applies a change at once."
std::string_view reload_sentence(config::Rule::Reload reload);

}  // namespace entente
