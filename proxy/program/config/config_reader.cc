#include "proxy/program/config/config_reader.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <toml++/toml.h>

#include <charconv>
#include <optional>
#include <sstream>

#include "proxy/base/text.h"
#include "proxy/program/base/suggest.h"
#include "schema/config.pb.h"

namespace entente {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

const config::Rule& rule_of(const FieldDescriptor& field) { return field.options().GetExtension(config::rule); }

Place start_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

// The value as it is written in the file, for an error message.
std::string shown(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  std::ostringstream text;
  text << toml::toml_formatter{node};
  return std::string(whole_characters(text.str(), 80));
}

// -- Values -----------------------------------------------------------------------------------------------------------

// REQUIRES: the field's range fits a uint32, as for every number in config.proto (a test checks this).
void set_number(Message& message, const FieldDescriptor& field, std::int64_t value) {
  message.GetReflection()->SetUInt32(&message, &field, static_cast<std::uint32_t>(value));
}

std::string set_enum(Message& message, const FieldDescriptor& field, std::string_view word) {
  const EnumDescriptor& kind = *field.enum_type();
  if (const auto* value = kind.FindValueByName(std::string(word))) {
    message.GetReflection()->SetEnum(&message, &field, value);
    return "";
  }
  std::vector<std::string_view> words;
  for (int i = 0; i < kind.value_count(); ++i) words.push_back(kind.value(i)->name());
  return expected_one_of(words, word);
}

bool in_range(std::int64_t value, const config::Rule& rule) { return value >= rule.min() && value <= rule.max(); }

std::string not_in_range(const config::Rule& rule, std::string_view got) {
  return expected_integer(rule.min(), rule.max(), rule.unit(), got);
}

void set_preset(Message& message, const FieldDescriptor& field) {
  const std::string& preset = rule_of(field).preset();
  const auto& reflection = *message.GetReflection();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) return reflection.SetString(&message, &field, preset);
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL) return reflection.SetBool(&message, &field, preset == "true");
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
    set_enum(message, field, preset);
    return;
  }
  std::int64_t value = 0;
  std::from_chars(preset.data(), preset.data() + preset.size(), value);
  set_number(message, field, value);
}

// -- Tables -----------------------------------------------------------------------------------------------------------

class Filler {
 public:
  explicit Filler(Reading& reading) : reading_(reading) {}

  void table(const toml::table& from, Message& into, const std::string& path) {
    for (const auto& [key, node] : from) {
      const std::string at = path.empty() ? std::string(key.str()) : path + "." + std::string(key.str());
      const FieldDescriptor* field = into.GetDescriptor()->FindFieldByName(std::string(key.str()));
      if (field)
        value(node, into, *field, at);
      else
        problem(start_of(key.source()), at, "unknown key" + did_you_mean(key.str(), names_in(into)));
    }
    miss_required(from, into, path);
  }

 private:
  static std::vector<std::string_view> names_in(const Message& message) {
    std::vector<std::string_view> names;
    const auto& kind = *message.GetDescriptor();
    for (int i = 0; i < kind.field_count(); ++i) names.push_back(kind.field(i)->name());
    return names;
  }

  void problem(Place place, const std::string& path, const std::string& text) {
    reading_.problems.push_back({place, path + ": " + text});
  }

  /// Refuses control characters: a NUL would cut a file's name, and others could control a terminal.
  std::string printable(const toml::value<std::string>& text, const std::string& path) {
    std::string kept = text.get();
    std::erase_if(kept, [](char c) { return is_control(c) && c != '\n' && c != '\t'; });
    if (kept.size() != text.get().size()) problem(start_of(text.source()), path, "must have no control characters");
    return kept;
  }

  void expected(const char* what, const toml::node& node, const std::string& path) {
    problem(start_of(node.source()), path, std::string("expected ") + what + ", got " + shown(node));
  }

  /// Makes later checks ignore this value, whose error was reported already.
  void beyond_words(const std::string& path) { reading_.places.erase(path); }

  void value(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    reading_.places[path] = start_of(node.source());
    if (field.is_repeated()) return list(node, into, field, path);
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return group(node, into, field, path);
      case FieldDescriptor::CPPTYPE_STRING:
        return text(node, into, field, path);
      case FieldDescriptor::CPPTYPE_ENUM:
        return word(node, into, field, path);
      case FieldDescriptor::CPPTYPE_BOOL:
        return truth(node, into, field, path);
      default:
        return number(node, into, field, path);
    }
  }

  void group(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    if (!node.is_table()) return expected(("a table [" + path + "]").c_str(), node, path);
    table(*node.as_table(), *into.GetReflection()->MutableMessage(&into, &field), path);
  }

  void list(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    const bool texts = field.message_type() == nullptr;
    const std::string shape = rule_of(field).bare() ? "a string, or a list of strings"
                              : texts               ? "a list of strings, [\"like this\"]"
                                                    : "tables, each under [[" + path + "]]";
    if (texts && rule_of(field).bare() && node.is_string())
      return add(node, into, field, path + "[0]");  // a list of one
    if (!node.is_array()) {
      if (texts) beyond_words(path);
      return expected(shape.c_str(), node, path);
    }
    std::size_t index = 0;
    for (const toml::node& item : *node.as_array()) {
      const std::string at = path + "[" + std::to_string(index++) + "]";
      if (texts ? item.is_string() : item.is_table())
        add(item, into, field, at);
      else
        expected(texts ? "a string" : shape.c_str(), item, at);
    }
  }

  void add(const toml::node& item, Message& into, const FieldDescriptor& field, const std::string& path) {
    reading_.places[path] = start_of(item.source());
    const auto& reflection = *into.GetReflection();
    if (const auto* text = item.as_string())
      reflection.AddString(&into, &field, printable(*text, path));
    else
      table(*item.as_table(), *reflection.AddMessage(&into, &field), path);
  }

  void text(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    if (const auto* text = node.as_string())
      return into.GetReflection()->SetString(&into, &field, printable(*text, path));
    beyond_words(path);
    expected("a string", node, path);
  }

  void word(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    const auto* word = node.as_string();
    if (!word) return expected("a string", node, path);
    const std::string wrong = set_enum(into, field, printable(*word, path));
    if (!wrong.empty()) problem(start_of(node.source()), path, wrong);
  }

  void truth(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    if (const auto* truth = node.as_boolean()) return into.GetReflection()->SetBool(&into, &field, truth->get());
    expected("true or false", node, path);
  }

  void number(const toml::node& node, Message& into, const FieldDescriptor& field, const std::string& path) {
    const auto* number = node.as_integer();
    if (number == nullptr || !in_range(number->get(), rule_of(field)))
      return problem(start_of(node.source()), path, not_in_range(rule_of(field), shown(node)));
    set_number(into, field, number->get());
  }

  void miss_required(const toml::table& from, const Message& message, const std::string& path) {
    const auto& kind = *message.GetDescriptor();
    for (int i = 0; i < kind.field_count(); ++i) {
      const FieldDescriptor& field = *kind.field(i);
      if (rule_of(field).required() && !from.contains(field.name()))
        problem(start_of(from.source()), path, "the key '" + field.name() + "' is missing");
    }
  }

  Reading& reading_;
};

}  // namespace

std::string set_key(Message& message, const FieldDescriptor& field, std::string_view text) {
  const auto& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.SetString(&message, &field, std::string(text)), "";
    case FieldDescriptor::CPPTYPE_ENUM:
      return set_enum(message, field, text);
    case FieldDescriptor::CPPTYPE_BOOL:
      if (text != "true" && text != "false") return "expected true or false, got '" + std::string(text) + "'";
      return reflection.SetBool(&message, &field, text == "true"), "";
    default:
      break;
  }
  std::int64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{} || end != text.data() + text.size() || !in_range(value, rule_of(field)))
    return not_in_range(rule_of(field), "'" + std::string(text) + "'");
  set_number(message, field, value);
  return "";
}

void set_defaults(Message& message) {
  const auto& kind = *message.GetDescriptor();
  const auto& reflection = *message.GetReflection();
  for (int i = 0; i < kind.field_count(); ++i) {
    const FieldDescriptor& field = *kind.field(i);
    if (field.is_repeated()) {
      if (field.message_type() == nullptr) continue;
      for (int j = 0; j < reflection.FieldSize(message, &field); ++j)
        set_defaults(*reflection.MutableRepeatedMessage(&message, &field, j));
    } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!rule_of(field).inherits()) set_defaults(*reflection.MutableMessage(&message, &field));
    } else if (!reflection.HasField(message, &field) && !rule_of(field).required()) {
      set_preset(message, field);
    }
  }
}

namespace {

/// Where a key has more parts (a.b.c) than any of ours. The parser calls itself for each part when it frees the table,
/// so that many of them overflow the stack.
std::optional<Place> deep_key(std::string_view toml) {
  constexpr int kMostKeyParts = 64;
  Place place{1, 0};
  int parts = 1;
  char passed = 0;  // a text or a comment that is passed over: what it began with
  for (std::size_t i = 0; i < toml.size(); ++i) {
    const char c = toml[i];
    ++place.column;
    if (c == '\n') {
      place = {place.line + 1, 0};
      passed = 0;
    }
    if (passed != 0) {
      if (passed == '"' && c == '\\') ++i, ++place.column;
      if (passed != '#' && c == passed) passed = 0;
    } else if (c == '"' || c == '\'' || c == '#') {
      passed = c;
    } else if (c == '.') {
      if (++parts > kMostKeyParts) return place;
    } else if (std::string_view("\n=,{}[]").find(c) != std::string_view::npos) {
      parts = 1;
    }
  }
  return std::nullopt;
}

}  // namespace

Reading read_toml(std::string_view toml, Message& into) {
  Reading reading;
  if (const auto place = deep_key(toml)) {
    reading.syntax_error = true;
    reading.problems.push_back({*place, "a key with more than 64 parts"});
    set_defaults(into);
    return reading;
  }
  try {
    const toml::table root = toml::parse(toml);
    Filler(reading).table(root, into, "");
  } catch (const toml::parse_error& error) {
    // A syntax error is the only one reported: what follows it cannot be parsed reliably.
    reading.syntax_error = true;
    reading.problems.push_back({start_of(error.source()), std::string(error.description())});
  }
  set_defaults(into);
  return reading;
}

}  // namespace entente
