#include "proxy/rules/reference.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "proxy/rules/functions.h"
#include "proxy/rules/snapshots.h"
#include "proxy/rules/words.h"

namespace entente::rules {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

/// What functions return and is no word.
struct Table {
  const char* name;
  std::string fields;  // "id: integer, name: string"
};
const std::vector<Table>& tables() {
  static const std::vector<Table> all{
      {"Player", player_fields()},
      {"Gone", "id: integer, name: string"},
      {"Unit", unit_fields()},
      {"Field", "west: number, east: number, south: number, north: number, name: string, bases: Base[]"},
      {"Base", "team: string, x: number, y: number, half_x: number, half_y: number"},
  };
  return all;
}

/// "a: b, c: d" as pairs; types may have commas in brackets.
std::vector<std::pair<std::string, std::string>> split(std::string_view list) {
  std::vector<std::pair<std::string, std::string>> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    if (at < list.size() && (list[at] == '(' || list[at] == '<')) ++depth;
    if (at < list.size() && (list[at] == ')' || list[at] == '>')) --depth;
    if (at < list.size() && (list[at] != ',' || depth != 0)) continue;
    std::string_view one = list.substr(begin, at - begin);
    while (one.starts_with(' ')) one.remove_prefix(1);
    begin = at + 1;
    const std::size_t colon = one.find(": ");
    if (colon != one.npos) all.emplace_back(one.substr(0, colon), one.substr(colon + 2));
  }
  return all;
}

std::string type_of(const FieldDescriptor& field) {
  std::string type;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      type = "number";
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      type = "boolean";
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      type = "string";
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      type = "words." +
             std::string(field.enum_type()->containing_type() != nullptr
                             ? field.enum_type()->containing_type()->name() + "."
                             : "") +
             field.enum_type()->name();
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      type = "words." + field.message_type()->name();
      break;
    default:
      type = "integer";
  }
  if (field.is_repeated()) return type + "[]";
  return field.has_presence() ? type + "?" : type;
}

/// The message and those in it, once each.
void collect(const Descriptor& message, std::vector<const Descriptor*>& all,
             std::unordered_set<const Descriptor*>& known) {
  if (!known.insert(&message).second) return;
  all.push_back(&message);
  for (int i = 0; i < message.field_count(); ++i)
    if (const Descriptor* const inner = message.field(i)->message_type()) collect(*inner, all, known);
}

std::vector<const Descriptor*> all_words() {
  std::vector<const Descriptor*> all;
  std::unordered_set<const Descriptor*> known;
  for (const auto* kinds : {&intent_kinds(), &fact_kinds()})
    for (std::size_t i = 0; i < kinds->size(); ++i) collect(message_of(*kinds, i), all, known);
  return all;
}

std::string parameter_names(const Described& one) {
  std::string names;
  for (const auto& [name, type] : split(one.parameters))
    names += (names.empty() ? "" : ", ") + (name.ends_with('?') ? name.substr(0, name.size() - 1) : name);
  return names;
}

std::string signature(const Described& one) {
  const std::string returns = one.returns;
  return std::string(one.name) + "(" + one.parameters + ")" + (returns.empty() ? "" : ": " + returns);
}

std::string enum_type(const google::protobuf::EnumDescriptor& type, const std::string& name) {
  std::string text = "---@alias " + name + " ";
  for (int i = 0; i < type.value_count(); ++i) text += (i == 0 ? "\"" : "|\"") + type.value(i)->name() + "\"";
  return text + "\n";
}

/// "Say: scope, to, kind, text"
std::string fields_of(const Descriptor& message) {
  std::string text;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (is_shown(field)) text += (text.empty() ? "`" : ", `") + field.name() + "`";
  }
  return text.empty() ? "-" : text;
}

std::string table_of_kinds(const std::vector<std::string>& kinds, const char* handlers) {
  std::string text = "| handler | fields of its word |\n|---|---|\n";
  for (std::size_t i = 0; i < kinds.size(); ++i)
    text += "| `" + std::string(handlers) + "." + kinds[i] + "` | " + fields_of(message_of(kinds, i)) + " |\n";
  return text;
}

}  // namespace

std::string reference() {
  std::string text = "### Handlers\n\n";
  bool in_functions = false;
  for (const Described& one : described()) {
    if (one.call != nullptr && !in_functions) {
      text += "### Functions\n\n";
      in_functions = true;
    }
    text += "#### " + signature(one) + "\n\n" + one.text + "\n\n```lua\n" + one.example + "\n```\n\n";
  }
  text +=
      "### What functions return\n\nA `Player` and a `Unit` are what was true when the rule asked. They cannot be "
      "changed, and have no other fields."
      "\n\n| what | fields |\n|---|---|\n";
  for (const Table& table : tables()) text += "| `" + std::string(table.name) + "` | " + table.fields + " |\n";
  text += "\n### What players want: `on_intent`\n\n" + table_of_kinds(intent_kinds(), "on_intent");
  text += "\n### What is true: `on_fact`\n\n" + table_of_kinds(fact_kinds(), "on_fact");
  return text;
}

std::string editor_types() {
  std::string text =
      "---@meta\n-- The types of Entente's rules, for editors with LuaLS. Made by `entente rules --types`.\n\n";
  const auto& schema = *words::Intent::descriptor()->file();
  for (int i = 0; i < schema.enum_type_count(); ++i)
    text += enum_type(*schema.enum_type(i), "words." + schema.enum_type(i)->name());
  for (const Descriptor* const message : all_words()) {
    for (int i = 0; i < message->enum_type_count(); ++i)
      text += enum_type(*message->enum_type(i), "words." + message->name() + "." + message->enum_type(i)->name());
    text += "\n---@class words." + message->name() + "\n";
    for (int i = 0; i < message->field_count(); ++i)
      if (is_shown(*message->field(i)))
        text += "---@field " + message->field(i)->name() + " " + type_of(*message->field(i)) + "\n";
  }
  for (const char* const word : {"Room", "Round", "Token", "TeamScore"})
    text += "\n---@alias " + std::string(word) + " words." + word + "\n";
  for (const Table& table : tables()) {
    text += "\n---@class " + std::string(table.name) + "\n";
    for (const auto& [name, type] : split(table.fields)) text += "---@field " + name + " " + type + "\n";
  }
  text += "\n---@class on_intent\n";
  for (std::size_t i = 0; i < intent_kinds().size(); ++i)
    text += "---@field " + intent_kinds()[i] + " fun(word: words." + message_of(intent_kinds(), i).name() +
            ", player: integer, kind: string): false|table|nil\n";
  text += "on_intent = {}\n\n---@class on_fact\n";
  for (std::size_t i = 0; i < fact_kinds().size(); ++i)
    text += "---@field " + fact_kinds()[i] + " fun(word: words." + message_of(fact_kinds(), i).name() +
            ", player: integer|nil, kind: string)\n";
  text += "on_fact = {}\n\n--- Survives a reload: booleans, numbers, strings, and tables of them.\nstate = {}\n";
  for (const Described& one : described()) {
    if (std::string_view(one.name) == "on_intent" || std::string_view(one.name) == "on_fact") continue;
    text += "\n--- " + std::string(one.text) + "\n";
    for (const auto& [name, type] : split(one.parameters)) text += "---@param " + name + " " + type + "\n";
    if (*one.returns != '\0') text += "---@return " + std::string(one.returns) + "\n";
    text += "function " + std::string(one.name) + "(" + parameter_names(one) + ") end\n";
  }
  return text;
}

}  // namespace entente::rules
