// Which requests a route serves: those for a WebSocket, and a browser's for the page that speaks through one; and what
// is said to who sends messages that nobody takes.
#pragma once

#include <optional>

#include "proxy/net/web/http.h"
#include "proxy/relay/route.h"

namespace entente::relay {

/// Why `route` does not serve this request, and by `status` what its client is answered. REQUIRES: its game travels by
/// WebSocket, and the request is for no file.
std::optional<Fault> objection(const Route& route, const net::HttpHead& request, unsigned& status);

/// By which code a WebSocket is closed whose message is refused for what is in it (RFC 6455, 7.4.1).
std::uint16_t content_code(const Fault& fault);

/// The file of the route's page that this request is for; null if it is for none. The page is where the WebSocket is
/// (under any path: at "/"), and its files beside it.
const Asset* file_for(const Route& route, const net::HttpHead& request);

}  // namespace entente::relay
