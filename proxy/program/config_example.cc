// The commented example: every key of the schema with its comment, unit, range and preset.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <cassert>
#include <map>
#include <vector>

#include "proxy/program/config.h"
#include "proxy/program/config_schema.h"

namespace entente {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr std::string_view kHead =
    "# A configuration of `entente run`, with every key at its preset; a key that is left out has the same value.\n"
    "# This file is made from schema/config.proto by `entente check --example`.\n";

// The comments above messages and fields, by full name.
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

  // The comment as lines of TOML.
  std::string above(const FieldDescriptor& field) const {
    const auto found = comments_.find(field.full_name());
    std::string lines;
    for (std::string_view left = found == comments_.end() ? std::string_view{} : found->second; !left.empty();) {
      const std::size_t end = left.find('\n');
      lines.append("#").append(left.substr(0, end)).append("\n");
      left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    }
    return lines;
  }

 private:
  // A path of 4, message, 2, field leads to a field of a message (see descriptor.proto).
  void note(const google::protobuf::FileDescriptorProto& file,
            const google::protobuf::SourceCodeInfo::Location& location) {
    if (location.path_size() != 4 || location.path(0) != 4 || location.path(2) != 2) return;
    const auto& message = file.message_type(location.path(1));
    const auto& field = message.field(location.path(3));
    comments_[file.package() + "." + message.name() + "." + field.name()] = location.leading_comments();
  }

  std::map<std::string, std::string> comments_;
};

class Example {
 public:
  std::string text() {
    text_ = kHead;
    keys(*config::Config::descriptor(), "");
    return std::move(text_);
  }

 private:
  // Plain keys go before tables: in TOML a key belongs to the table above it.
  void keys(const Descriptor& kind, const std::string& path) {
    for (int i = 0; i < kind.field_count(); ++i)
      if (!kind.field(i)->message_type()) key(*kind.field(i));
    for (int i = 0; i < kind.field_count(); ++i)
      if (kind.field(i)->message_type()) table(*kind.field(i), path);
  }

  void key(const FieldDescriptor& field) {
    const config::Rule& rule = field.options().GetExtension(config::rule);
    text_ += "\n" + comments_.above(field) + facts(field, rule);
    text_ += field.name() + " = " + literal(field, rule.example().empty() ? rule.preset() : rule.example()) + "\n";
  }

  void table(const FieldDescriptor& field, const std::string& path) {
    const std::string name = path + field.name();
    text_ += "\n" + comments_.above(field) + (field.is_repeated() ? "[[" + name + "]]\n" : "[" + name + "]\n");
    keys(*field.message_type(), name + ".");
  }

  // "# Unit: bytes. Range: 1 to 64. Preset: 1."
  static std::string facts(const FieldDescriptor& field, const config::Rule& rule) {
    std::string line = "#";
    if (!rule.unit().empty()) line += " Unit: " + rule.unit() + ".";
    if (rule.has_min()) line += " Range: " + std::to_string(rule.min()) + " to " + std::to_string(rule.max()) + ".";
    if (const auto* words = field.enum_type()) line += " One of: " + names(*words) + ".";
    line += rule.required() ? " Must be written." : " Preset: " + literal(field, rule.preset()) + ".";
    return line + "\n";
  }

  static std::string names(const google::protobuf::EnumDescriptor& words) {
    std::string all;
    for (int i = 0; i < words.value_count(); ++i) all += (i ? ", " : "") + words.value(i)->name();
    return all;
  }

  static std::string literal(const FieldDescriptor& field, const std::string& value) {
    if (field.is_repeated()) return "[" + value + "]";
    const bool bare = field.cpp_type() != FieldDescriptor::CPPTYPE_STRING && !field.enum_type();
    return bare ? value : "\"" + value + "\"";
  }

  Comments comments_;
  std::string text_;
};

}  // namespace

std::string example_config() { return Example().text(); }

}  // namespace entente
