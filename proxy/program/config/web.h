// The WebSocket and TLS parts of a route's URLs: ogar+wss://0.0.0.0:443/play?cert=FILE&key=FILE
// Law: errors in them are reported before anything is served.
#pragma once

#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/program/config/endpoint.h"
#include "proxy/relay/ends/web_options.h"

namespace entente {

/// Reads "key=value" of a WebSocket URL. False if neither side has such a parameter.
Outcome<bool> read_web_parameter(std::string_view key, std::string_view value, WebEnd& to);

/// What `end` lacks, or what belongs to the other side; nothing if it is right.
std::optional<Error> objection(const WebEnd& end, Side side);

/// Loads certificates and keys. REQUIRES: both were checked.
Outcome<relay::WebOptions> web_options(const WebEnd& listen, const WebEnd& to);

/// Logs where browsers get the page, if there is one.
void tell_page(const relay::WebOptions& web, const net::Address& listener);

}  // namespace entente
