// Decides which HTTP requests a route serves: WebSocket upgrades, and the files of its page. Also chooses the close
// code for a refused message.
#pragma once

#include <optional>

#include "proxy/net/web/http.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

/// Why `route` does not serve this request; nothing if it does. `status`: what to answer. REQUIRES: the game travels by
/// WebSocket, and the request is not for a file.
std::optional<Fault> objection(const Route& route, const net::HttpHead& request, unsigned& status);

/// The close code for a message that is refused because of its content (RFC 6455, 7.4.1).
std::uint16_t content_code(const Fault& fault);

/// The file of the route's page that this request asks for; null if there is none. The page has the path of the
/// WebSocket ("/" if that is any), and its files are beside it.
const Asset* file_for(const Route& route, const net::HttpHead& request);

/// The answer to a request for a document of the route, which is beside its page; nothing if there is none.
std::optional<net::HttpReply> document_for(const Route& route, const net::HttpHead& request);

}  // namespace entente::relay
