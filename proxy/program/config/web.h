// What the URLs of a route say about WebSocket and TLS: ogar+wss://0.0.0.0:443/play?cert=FILE&key=FILE
// Law: whatever can be wrong with it is said before anything is served.
#pragma once

#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/program/config/endpoint.h"
#include "proxy/relay/ends/web_options.h"

namespace entente {

/// What `end` lacks, or has that does not fit; nothing if it is whole.
std::optional<Error> objection(const WebEnd& end, Side side);

/// Loads certificates and keys. REQUIRES: both are whole.
Outcome<relay::WebOptions> web_options(const WebEnd& listen, const WebEnd& to);

/// Says where browsers get the page, if there is one.
void tell_page(const relay::WebOptions& web, const net::Address& listener);

}  // namespace entente
