// What a server of BZFlag says to whoever looks for servers around (a LAN ping, by a datagram of no session).
// Law: whoever is answered by us comes to us: our address stands where a server has its own.
#pragma once

#include <string>
#include <string_view>

#include "adapters/wire/game.h"

namespace entente::bzflag {

inline constexpr std::string_view kLanQuestion("\0\2\4\4\0\0", 6);  // MsgPingCodeRequest
inline constexpr std::size_t kLanAnswerSize = 60;

/// MsgPingCodeReply. Empty: the server's own is none that we know.
std::string lan_answer(const wire::Status& status);

}  // namespace entente::bzflag
