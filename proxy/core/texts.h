// Names and other texts of players, for games that end a text with a NUL or limit its bytes. Chat has its own rules
// (chat.h).
// Invariant: no control character and no overlong text enters a room; other texts stay unchanged to the byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/core/word.h"

namespace entente::core {

/// Limits in bytes. Names: Ogar's are the longest, 16 characters of four bytes. Others: what BZFlag's client can
/// send.
inline constexpr std::size_t kMostName = 64, kMostSkin = 64, kMostText = 127;

/// The reason sent to players when Entente stops. An Entente in front of this one recognises it.
inline constexpr const char* kProxyStopped = "proxy stopped";

/// How the reason ends if the player may come again soon: because the server is away or full. Then an Entente in front
/// of this one does not take the end of a session for a ban or a kick.
inline constexpr std::string_view kTryAgain = "; try again later";
inline bool is_for_now(std::string_view why) { return why == kProxyStopped || why.ends_with(kTryAgain); }

/// The reason for a player whose game broke a rule of its protocol, before what is wrong.
inline constexpr const char* kBrokeProtocol = "your game sent something that the rules of its protocol forbid";
/// The whole reason.
std::string words_for_fault(const Fault& fault);

/// For Enter, Change and Leave, which besides Say are the only intents with texts.
void clean_texts(Intent& intent);

}  // namespace entente::core
