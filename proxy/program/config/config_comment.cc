#include "proxy/program/config/config_comment.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <cassert>
#include <map>

#include "proxy/program/config/config_schema.h"

namespace entente {
namespace {

using google::protobuf::FileDescriptorProto;
using google::protobuf::SourceCodeInfo;

/// The comments, by the full names of fields.
class Comments {
 public:
  Comments() {
    google::protobuf::FileDescriptorSet set;
    const Bytes schema = config_schema();
    const bool parsed = set.ParseFromArray(schema.data(), static_cast<int>(schema.size()));
    assert(parsed && set.file_size() == 1);
    (void)parsed;
    const auto& file = set.file(0);
    for (const auto& location : file.source_code_info().location()) note(file, location);
  }

  std::string of(const std::string& name) const {
    const auto found = comments_.find(name);
    return found != comments_.end() ? found->second : std::string();
  }

 private:
  // A path of 4, message, 2, field leads to a field of a message (see descriptor.proto).
  void note(const FileDescriptorProto& file, const SourceCodeInfo::Location& location) {
    if (location.path_size() != 4 || location.path(0) != 4 || location.path(2) != 2) return;
    const auto& message = file.message_type(location.path(1));
    const auto& field = message.field(location.path(3));
    comments_[file.package() + "." + message.name() + "." + field.name()] = location.leading_comments();
  }

  std::map<std::string, std::string> comments_;
};

}  // namespace

std::string config_comment(const google::protobuf::FieldDescriptor& field) {
  static const Comments comments;
  return comments.of(field.full_name());
}

std::string config_sentence(const google::protobuf::FieldDescriptor& field) {
  std::string line;
  for (const char c : config_comment(field))
    if (c != '\n') line += c;
  return line.substr(line.find_first_not_of(' ') == std::string::npos ? line.size() : line.find_first_not_of(' '));
}

config::Rule::Reload reload_rule(const google::protobuf::FieldDescriptor& field, config::Rule::Reload table) {
  const config::Rule::Reload own = field.options().GetExtension(config::rule).reload();
  return own != config::Rule::never ? own : table;
}

std::string_view reload_sentence(config::Rule::Reload reload) {
  switch (reload) {
    case config::Rule::at_once:
      return "A reload applies a change at once.";
    case config::Rule::newcomers:
      return "A reload applies a change to new sessions.";
    case config::Rule::new_match:
      return "A reload begins a new match with a change.";
    case config::Rule::listeners:
      return "A reload opens and closes listeners.";
    case config::Rule::replaces:
      return "A reload adds, replaces and removes them; those that do not differ go on.";
    default:
      return "A change needs a restart.";
  }
}

}  // namespace entente
