// Which intents are wishes of a person, who waits for what becomes of them. The others are claims and requests that a
// client's program makes by itself. Also: which intents need a player who has entered, and how a Change alters the wish
// to enter.
// Invariant: each kind of intent is in the table; a kind without an entry does not compile.
#pragma once

#include <string>

#include "proxy/base/mapping.h"
#include "proxy/core/word.h"

namespace entente::core {

/// Whether this line is about an intent that a person waits for, and the room must tell its player
/// (MappingLine::tells). `word`: the word's name, for a line about any word.
bool is_wish(const MappingLine& line, const char* word);

/// Whether it is an Enter, or what only a player does who has entered. Other intents (Query, WantWorld and the like)
/// may come before.
bool is_of_player(const Intent& intent);

/// What a player is told whose wish is dropped by this line.
std::string words_for_drop(const MappingLine& line, const char* word);

/// Makes the change a part of the wish to enter. An Enter has no colour.
void change_wish(words::Enter& wish, const words::Change& change);

}  // namespace entente::core
