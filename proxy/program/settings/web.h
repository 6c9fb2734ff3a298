// The WebSocket and TLS parts of a route's URLs: ogar+wss://0.0.0.0:443/play?cert=FILE&key=FILE
// Invariant: errors in them are reported before anything is served.
#pragma once

#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/relay/route/web_options.h"

namespace entente {

/// The error in these settings: something is missing, or does not fit. Nothing if there is none.
std::optional<Error> objection(const WebSocketSettings& end, EndpointRole role);

/// Loads certificates and keys. REQUIRES: both were checked.
Outcome<relay::WebOptions> web_options(const WebSocketSettings& listen, const WebSocketSettings& to);

/// Logs where browsers get the page, if there is one.
void log_page_address(const relay::WebOptions& web, const net::Address& listener);

}  // namespace entente
