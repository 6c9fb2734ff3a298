#include "proxy/rules/words.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "proxy/base/command.h"
#include "proxy/base/text.h"
#include "proxy/rules/sandbox.h"

namespace entente::rules {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::vector<std::string> kinds_of(const Descriptor& word) {
  std::vector<std::string> names;
  const auto& kinds = *word.FindOneofByName("kind");
  for (int i = 0; i < kinds.field_count(); ++i) names.push_back(kinds.field(i)->name());
  return names;
}

/// The part of a text that rules see.
std::string_view shown(std::string_view text) {
  return whole_characters(text.substr(0, text.find('\0')), Limits{}.text);
}

/// Pushes a value; nothing was set: nil.
void push_value(lua_State* lua, const Message& message, const FieldDescriptor& field, int at = -1) {
  const Reflection& its = *message.GetReflection();
  const bool element = at >= 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return lua_pushnumber(lua, element ? its.GetRepeatedDouble(message, &field, at) : its.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return lua_pushnumber(lua, element ? its.GetRepeatedFloat(message, &field, at) : its.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return lua_pushinteger(lua,
                             element ? its.GetRepeatedUInt32(message, &field, at) : its.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return lua_pushinteger(lua, static_cast<lua_Integer>(element ? its.GetRepeatedUInt64(message, &field, at)
                                                                   : its.GetUInt64(message, &field)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return lua_pushboolean(lua, element ? its.GetRepeatedBool(message, &field, at) : its.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int number = element ? its.GetRepeatedEnumValue(message, &field, at) : its.GetEnumValue(message, &field);
      const auto* const value = field.enum_type()->FindValueByNumber(number);
      if (value == nullptr) return lua_pushinteger(lua, static_cast<std::uint32_t>(number));
      lua_pushstring(lua, value->name().c_str());
      return;
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      const std::string& text = element ? its.GetRepeatedStringReference(message, &field, at, &scratch)
                                        : its.GetStringReference(message, &field, &scratch);
      const std::string_view part = shown(text);
      lua_pushlstring(lua, part.data(), part.size());
      return;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return push_message(lua, element ? its.GetRepeatedMessage(message, &field, at) : its.GetMessage(message, &field));
    default:
      return lua_pushnil(lua);
  }
}

void push_list(lua_State* lua, const Message& message, const FieldDescriptor& field) {
  const int count = std::min(message.GetReflection()->FieldSize(message, &field), kMostElements);
  lua_createtable(lua, count, 0);
  for (int i = 0; i < count; ++i) {
    push_value(lua, message, field, i);
    lua_rawseti(lua, -2, i + 1);
  }
}

[[noreturn]] void refuse(lua_State* lua, const FieldDescriptor& field, const char* wanted) {
  luaL_error(lua, "%s: %s expected, got %s", field.name().c_str(), wanted, luaL_typename(lua, -1));
  std::abort();  // luaL_error does not return
}

double number_of(lua_State* lua, const FieldDescriptor& field) {
  if (lua_type(lua, -1) != LUA_TNUMBER) refuse(lua, field, "number");
  const double number = lua_tonumber(lua, -1);
  if (!std::isfinite(number)) luaL_error(lua, "%s: not a finite number", field.name().c_str());
  return number;
}

std::uint64_t whole_number_of(lua_State* lua, const FieldDescriptor& field, std::uint64_t most) {
  int is_whole = 0;
  const lua_Integer number = lua_type(lua, -1) == LUA_TNUMBER ? lua_tointegerx(lua, -1, &is_whole) : 0;
  if (is_whole == 0) refuse(lua, field, "whole number");
  if (most == std::numeric_limits<std::uint64_t>::max()) return static_cast<std::uint64_t>(number);
  if (number < 0 || static_cast<std::uint64_t>(number) > most)
    luaL_error(lua, "%s: %I is out of range", field.name().c_str(), static_cast<LUAI_UACINT>(number));
  return static_cast<std::uint64_t>(number);
}

/// Of the value on the top of the stack. `add`: to a list.
void read_value(lua_State* lua, Message& message, const FieldDescriptor& field, bool add) {
  const Reflection& its = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return add ? its.AddDouble(&message, &field, number_of(lua, field))
                 : its.SetDouble(&message, &field, number_of(lua, field));
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const auto number = static_cast<float>(number_of(lua, field));
      if (!std::isfinite(number)) luaL_error(lua, "%s: out of range", field.name().c_str());
      return add ? its.AddFloat(&message, &field, number) : its.SetFloat(&message, &field, number);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto number =
          static_cast<std::uint32_t>(whole_number_of(lua, field, std::numeric_limits<std::uint32_t>::max()));
      return add ? its.AddUInt32(&message, &field, number) : its.SetUInt32(&message, &field, number);
    }
    case FieldDescriptor::CPPTYPE_UINT64: {
      const std::uint64_t number = whole_number_of(lua, field, std::numeric_limits<std::uint64_t>::max());
      return add ? its.AddUInt64(&message, &field, number) : its.SetUInt64(&message, &field, number);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      if (!lua_isboolean(lua, -1)) refuse(lua, field, "boolean");
      return add ? its.AddBool(&message, &field, lua_toboolean(lua, -1) != 0)
                 : its.SetBool(&message, &field, lua_toboolean(lua, -1) != 0);
    case FieldDescriptor::CPPTYPE_ENUM: {
      if (lua_isinteger(lua, -1) != 0) {  // a value that the schema does not have
        const auto number = static_cast<int>(whole_number_of(lua, field, std::numeric_limits<std::uint32_t>::max()));
        return add ? its.AddEnumValue(&message, &field, number) : its.SetEnumValue(&message, &field, number);
      }
      if (lua_type(lua, -1) != LUA_TSTRING) refuse(lua, field, "name of a value");
      const auto* const value = field.enum_type()->FindValueByName(lua_tostring(lua, -1));
      if (value == nullptr) luaL_error(lua, "%s: there is no '%s'", field.name().c_str(), lua_tostring(lua, -1));
      return add ? its.AddEnum(&message, &field, value) : its.SetEnum(&message, &field, value);
    }
    case FieldDescriptor::CPPTYPE_STRING: {
      if (lua_type(lua, -1) != LUA_TSTRING) refuse(lua, field, "string");
      std::size_t size = 0;
      const char* const text = lua_tolstring(lua, -1, &size);
      if (!add && shown(its.GetString(message, &field)) == std::string_view(text, size)) return;  // unchanged
      std::string value = well_formed({text, size});
      return add ? its.AddString(&message, &field, std::move(value))
                 : its.SetString(&message, &field, std::move(value));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (!lua_istable(lua, -1)) refuse(lua, field, "table");
      return read_message(lua, lua_gettop(lua),
                          add ? *its.AddMessage(&message, &field) : *its.MutableMessage(&message, &field));
    default:
      return;
  }
}

/// Whether the table has what the rule was shown. Then what it was not shown stays, too.
bool is_same_list(lua_State* lua, const Message& message, const FieldDescriptor& field) {
  const auto count = std::min(message.GetReflection()->FieldSize(message, &field), kMostElements);
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE || lua_rawlen(lua, -1) != static_cast<lua_Unsigned>(count))
    return false;
  bool same = true;
  for (int i = 0; i < count && same; ++i) {
    lua_rawgeti(lua, -1, i + 1);
    push_value(lua, message, field, i);
    same = lua_rawequal(lua, -1, -2) != 0;
    lua_pop(lua, 2);
  }
  return same;
}

void read_list(lua_State* lua, Message& message, const FieldDescriptor& field) {
  if (!lua_istable(lua, -1)) refuse(lua, field, "table");
  if (is_same_list(lua, message, field)) return;
  message.GetReflection()->ClearField(&message, &field);
  const auto count = static_cast<lua_Integer>(std::min<lua_Unsigned>(lua_rawlen(lua, -1), kMostElements));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(lua, -1, i);
    read_value(lua, message, field, true);
    lua_pop(lua, 1);
  }
}

/// Secrets, and bytes such as maps.
std::vector<const FieldDescriptor*> hidden_fields() {
  std::vector<const FieldDescriptor*> hidden;
  const auto& schema = *words::Intent::descriptor()->file();
  for (int i = 0; i < schema.message_type_count(); ++i)
    for (int j = 0; j < schema.message_type(i)->field_count(); ++j) {
      const FieldDescriptor& field = *schema.message_type(i)->field(j);
      if (field.type() == FieldDescriptor::TYPE_BYTES || field.options().GetExtension(words::secret))
        hidden.push_back(&field);
    }
  return hidden;
}

/// A command whose arguments may be a password.
template <class Word>
bool has_arguments(const Word& word) {
  return word.kind() == words::Say::COMMAND || is_command(word.text());
}

template <class Word>
void hide_arguments(lua_State* lua, const Word& word) {
  if (!has_arguments(word)) return;
  const std::size_t size = is_command(word.text()) ? arguments_of(word.text()) : 0;
  lua_pushlstring(lua, word.text().data(), size);
  lua_setfield(lua, -2, "text");
}

}  // namespace

const std::vector<std::string>& intent_kinds() {
  static const std::vector<std::string> kinds = kinds_of(*words::Intent::descriptor());
  return kinds;
}

const std::vector<std::string>& fact_kinds() {
  static const std::vector<std::string> kinds = kinds_of(*words::Fact::descriptor());
  return kinds;
}

const Descriptor& message_of(const std::vector<std::string>& kinds, std::size_t kind) {
  const Descriptor& word = &kinds == &intent_kinds() ? *words::Intent::descriptor() : *words::Fact::descriptor();
  return *word.FindOneofByName("kind")->field(static_cast<int>(kind))->message_type();
}

bool is_shown(const FieldDescriptor& field) {
  static const std::vector<const FieldDescriptor*> hidden = hidden_fields();
  return std::find(hidden.begin(), hidden.end(), &field) == hidden.end();
}

void copy_hidden(const core::Intent& from, core::Intent& to) {
  const Message& source = core::message_in(from);
  Message& target = core::message_in(to);
  const Descriptor& fields = *source.GetDescriptor();
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor& field = *fields.field(i);
    if (is_shown(field) || field.cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    target.GetReflection()->SetString(&target, &field, source.GetReflection()->GetString(source, &field));
  }
  const auto* const say = core::as<words::Say>(from);
  if (say != nullptr && has_arguments(*say)) std::get<words::Say>(to.content).set_text(say->text());
}

void clear_hidden(core::Intent& intent) {
  core::Intent shown = intent;
  Message& fields = core::message_in(shown);
  for (int i = 0; i < fields.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *fields.GetDescriptor()->field(i);
    if (!is_shown(field)) fields.GetReflection()->ClearField(&fields, &field);
  }
  auto* const say = std::get_if<words::Say>(&shown.content);
  if (say != nullptr && has_arguments(*say)) say->clear_text();
  intent = std::move(shown);
}

void push_message(lua_State* lua, const Message& message) {
  const Descriptor& fields = *message.GetDescriptor();
  const Reflection& its = *message.GetReflection();
  luaL_checkstack(lua, 8, "words");
  lua_createtable(lua, 0, fields.field_count());
  for (int i = 0; i < fields.field_count(); ++i) {
    const FieldDescriptor& field = *fields.field(i);
    if (!is_shown(field)) continue;
    if (field.is_repeated())
      push_list(lua, message, field);
    else if (!field.has_presence() || its.HasField(message, &field))
      push_value(lua, message, field);
    else
      continue;
    lua_setfield(lua, -2, field.name().c_str());
  }
}

void push_word(lua_State* lua, const core::Intent& intent) {
  push_message(lua, core::message_in(intent));
  if (const auto* say = core::as<words::Say>(intent)) hide_arguments(lua, *say);
}

void push_word(lua_State* lua, const core::Fact& fact) {
  push_message(lua, core::message_in(fact));
  if (const auto* said = core::as<words::Said>(fact)) hide_arguments(lua, *said);
}

void read_message(lua_State* lua, int index, Message& message) {
  const Descriptor& fields = *message.GetDescriptor();
  luaL_checkstack(lua, 8, "words");
  Sandbox::charge_scan(lua);
  for (lua_pushnil(lua); lua_next(lua, index) != 0; lua_pop(lua, 1)) {
    Sandbox::charge(lua, 2);
    const FieldDescriptor* const field =
        lua_type(lua, -2) == LUA_TSTRING ? fields.FindFieldByName(lua_tostring(lua, -2)) : nullptr;
    if (field == nullptr || !is_shown(*field)) {
      push_text_of(lua, -2);
      luaL_error(lua, "%s has no field '%s'", fields.name().c_str(), lua_tostring(lua, -1));
    }
    field->is_repeated() ? read_list(lua, message, *field) : read_value(lua, message, *field, false);
  }
}

}  // namespace entente::rules
