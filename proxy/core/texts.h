// What a player calls himself, and what else he writes, on its way to games that end a text by a NUL or give it a few
// bytes. Law: no control character and nothing too long gets into a room; honest text stays as it is, to the byte.
// What he says in the chat has rules of its own (chat.h).
#pragma once

#include <cstddef>

#include "proxy/core/word.h"

namespace entente::core {

/// Bytes. A name: Ogar's, the longest, has 16 characters of four. The others: what BZFlag's client may send.
inline constexpr std::size_t kMostName = 64, kMostSkin = 64, kMostText = 127;

/// Of Enter, Change and Leave, the only words of a player besides Say that have texts.
void clean_texts(Intent& intent);

}  // namespace entente::core
