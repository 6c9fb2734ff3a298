// The answer to a client that looks for servers in the local network (a LAN ping, by a datagram without a session).
// Invariant: the answer contains our address in place of the server's, so that the client connects to us.
#pragma once

#include <string>
#include <string_view>

#include "adapters/wire/game.h"

namespace entente::bzflag {

inline constexpr std::string_view kLanQuestion("\0\2\4\4\0\0", 6);  // MsgPingCodeRequest
inline constexpr std::size_t kLanAnswerSize = 60;

/// The MsgPingCodeReply. Empty: the server's own reply cannot be read.
std::string lan_answer(const wire::Status& status);

}  // namespace entente::bzflag
