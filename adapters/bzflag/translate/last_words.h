// How a client is told why its connection ends, at each stage of its joining; and what a server's refusal means.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/bzflag/wire/messages.h"
#include "adapters/wire/game.h"
#include "proxy/base/bytes.h"

namespace entente::bzflag {

/// Whether the text of a refusal instead of a greeting is one of ours, and not about a ban. Real servers refuse only
/// banned clients in this way.
bool is_refused_for_now(std::string_view text);

/// The reason of a ban for people: without the codes by which bzfs colours it in a terminal ("\x1b[37m"), and without
/// the word before it ("REFUSED:"), which bzfs may send twice.
std::string ban_words(std::string_view text);

/// A refusal instead of a greeting. Its reader tells bans from other refusals by the end of the text.
Refused refusal(bool banned, std::string_view why);

/// Lines of chat by the server, one frame each.
std::vector<Buffer> chat_of_server(std::size_t dialect, std::string_view text);

/// The last frames for a client. What stock clients show of them: proxy/manual/refusals.md.
std::vector<Buffer> last_words(std::size_t dialect, wire::ClientStage stage, wire::Parting parting,
                               std::string_view why);

}  // namespace entente::bzflag
