// What a session's connection to its server is made of.
#pragma once

#include <optional>

#include "proxy/base/bytes.h"
#include "proxy/net/socket.h"
#include "proxy/relay/route/loopback_sources.h"
#include "proxy/relay/route/route.h"

namespace entente::relay {

/// The address that the server sees, for as long as a session lasts.
class SessionSource {
 public:
  SessionSource() = default;
  /// `client`: port 0 is a bot, which has no address of its own. `route` outlives it.
  SessionSource(const Route& route, const net::Address& client) {
    if (route.options->source == SourceMode::kOwn || client.port() == 0) return;
    if (route.options->source == SourceMode::kLoopback) loopback_address_ = route.loopback_sources->take(client);
    const bool foreign = route.options->source == SourceMode::kTransparent;
    source_ = {foreign ? client.with_port(0) : loopback_address_.address(), foreign};
  }

  const net::Source& get() const { return source_; }

 private:
  LoopbackSources::LoopbackAddress loopback_address_;
  net::Source source_;
};

/// What a connection of this route to `server` begins with: a PROXY header, or nothing. `client`: whom the header
/// names; nothing: no client, as for a check.
inline Buffer first_bytes(const Route& route, const std::optional<net::Address>& client, const net::Address& server) {
  Buffer first;
  if (route.options->send_proxy) net::append_proxy_header(first, *route.options->send_proxy, client, server);
  return first;
}

struct Outgoing {
  const Upstream& server;
  net::Sockets sockets;  ///< empty for ENet, which makes its own
  net::Source source;    ///< the address that they, or ENet's, are bound to
  Buffer first;          ///< to be sent before all else: a PROXY header
};

}  // namespace entente::relay
