// Which WebSocket requests a route serves.
#pragma once

#include <optional>

#include "proxy/net/http.h"
#include "proxy/relay/route.h"

namespace entente::relay {

/// Why `route` does not serve this request, and by `status` what its client is answered. REQUIRES: its game travels by
/// WebSocket.
std::optional<Fault> objection(const Route& route, const net::HttpHead& request, unsigned& status);

}  // namespace entente::relay
