// Words as tables of Lua, and back. The fields have the names of schema/game.proto; an enum is the name of its value.
// Invariant: secret fields and the arguments of chat commands are not shown. What a rule writes into a word has the
// field's type, and all its numbers are finite.
#pragma once

#include <google/protobuf/message.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/core/word.h"
#include "proxy/rules/lua.h"

namespace entente::rules {

/// The kinds of a word by their names in the schema ("pose_claim"), in the order of the variants.
const std::vector<std::string>& intent_kinds();
const std::vector<std::string>& fact_kinds();
/// The schema's messages of these kinds.
const google::protobuf::Descriptor& message_of(const std::vector<std::string>& kinds, std::size_t kind);

/// Whether rules see this field.
bool is_shown(const google::protobuf::FieldDescriptor& field);

/// Copies what rules do not see from one intent to another of the same kind.
void copy_hidden(const core::Intent& from, core::Intent& to);
/// Removes it.
void clear_hidden(core::Intent& intent);

/// Pushes a text, without what follows a NUL: rules have none in their strings.
inline void push_text(lua_State* lua, std::string_view text) {
  lua_pushlstring(lua, text.data(), std::min(text.size(), text.find('\0')));
}

/// Lists are cut to so many elements.
inline constexpr int kMostElements = 256;

/// Pushes a table with the fields of a message. Optional fields and messages that are not set are nil.
void push_message(lua_State* lua, const google::protobuf::Message& message);
/// The same for the content of a word.
void push_word(lua_State* lua, const core::Intent& intent);
void push_word(lua_State* lua, const core::Fact& fact);

/// Sets the fields of `message` that the table at `index` has. An error of Lua if one has the wrong type, or is
/// unknown.
void read_message(lua_State* lua, int index, google::protobuf::Message& message);

}  // namespace entente::rules
