// Names and other texts of players, for games that end a text with a NUL or limit its bytes. Chat has its own rules
// (chat.h).
// Law: no control character and no overlong text enters a room; other texts stay unchanged to the byte.
#pragma once

#include <cstddef>

#include "proxy/core/word.h"

namespace entente::core {

/// Limits in bytes. Names: Ogar's are the longest, 16 characters of four bytes. Others: what BZFlag's client can
/// send.
inline constexpr std::size_t kMostName = 64, kMostSkin = 64, kMostText = 127;

/// The reason sent to players when Entente stops. An Entente in front of this one recognises it.
inline constexpr const char* kProxyStopped = "proxy stopped";

/// For Enter, Change and Leave, which besides Say are the only intents with texts.
void clean_texts(Intent& intent);

}  // namespace entente::core
