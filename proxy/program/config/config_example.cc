// The commented example: every key of the schema with its comment, unit, range and default.
#include <google/protobuf/descriptor.h>

#include <string>

#include "proxy/program/config/config.h"
#include "proxy/program/config/config_comment.h"

namespace entente {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr std::string_view kHead =
    "# An example configuration for `entente run`, with every key. The line above a key shows its default; a key that\n"
    "# is left out has that value. If a key and its table say nothing about reloads, a change needs a restart.\n"
    "# Generated from schema/config.proto by `entente check --example`.\n";

// The comment above a key, as lines of TOML.
std::string above(const FieldDescriptor& field) {
  std::string lines;
  const std::string comment = config_comment(field);
  for (std::string_view left = comment; !left.empty();) {
    const std::size_t end = left.find('\n');
    lines.append("#").append(left.substr(0, end)).append("\n");
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  }
  return lines;
}

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
    const auto is_key = [&](const FieldDescriptor& field) {
      return field.message_type() == nullptr || (field.is_repeated() && !path.empty());
    };
    for (int i = 0; i < kind.field_count(); ++i)
      if (is_key(*kind.field(i))) key(*kind.field(i));
    for (int i = 0; i < kind.field_count(); ++i)
      if (!is_key(*kind.field(i))) table(*kind.field(i), path);
  }

  void key(const FieldDescriptor& field) {
    const config::Rule& rule = field.options().GetExtension(config::rule);
    text_ += "\n" + above(field);
    if (const auto* of = field.message_type())
      for (int i = 0; i < of->field_count(); ++i) text_ += "#   " + of->field(i)->name() + ":" + about(*of->field(i));
    text_ += facts(field, rule);
    const std::string value = literal(field, rule.example().empty() ? rule.preset() : rule.example());
    text_ += field.name() + " = " + value + "\n";
  }

  void table(const FieldDescriptor& field, const std::string& path) {
    const std::string name = path + field.name();
    const config::Rule& rule = field.options().GetExtension(config::rule);
    if (rule.inherits()) {
      text_ += "\n" + above(field) + "[" + name + "]\n";  // its keys have been explained
      return;
    }
    text_ += "\n" + above(field);
    if (rule.reload() != config::Rule::never) text_.append("# ").append(reload_sentence(rule.reload())).append("\n");
    text_ += (field.is_repeated() ? "[[" + name + "]]\n" : "[" + name + "]\n");
    keys(*field.message_type(), name + ".");
  }

  // Of a key in a list of tables: " How much later …. Unit: seconds. …"
  static std::string about(const FieldDescriptor& field) {
    return config_sentence(field).insert(0, " ") + facts(field, field.options().GetExtension(config::rule)).substr(1);
  }

  // "# Unit: bytes. Range: 1 to 64. Default: 1."
  static std::string facts(const FieldDescriptor& field, const config::Rule& rule) {
    std::string line = "#";
    if (!rule.unit().empty()) line += " Unit: " + rule.unit() + ".";
    if (rule.has_min()) line += " Range: " + std::to_string(rule.min()) + " to " + std::to_string(rule.max()) + ".";
    if (const auto* words = field.enum_type()) line += " One of: " + names(*words) + ".";
    line += rule.required() ? " Required." : " Default: " + literal(field, rule.preset()) + ".";
    if (rule.reload() != config::Rule::never) line.append(" ").append(reload_sentence(rule.reload()));
    return line + "\n";
  }

  static std::string names(const google::protobuf::EnumDescriptor& words) {
    std::string all;
    for (int i = 0; i < words.value_count(); ++i) all += (i ? ", " : "") + words.value(i)->name();
    return all;
  }

  static std::string literal(const FieldDescriptor& field, const std::string& value) {
    if (field.options().GetExtension(config::rule).bare()) return "\"" + value + "\"";
    if (field.is_repeated()) return value.empty() ? "[]" : "[\"" + value + "\"]";
    const bool bare = field.cpp_type() != FieldDescriptor::CPPTYPE_STRING && !field.enum_type();
    return bare ? value : "\"" + value + "\"";
  }

  std::string text_;
};

}  // namespace

std::string example_config() { return Example().text(); }

}  // namespace entente
