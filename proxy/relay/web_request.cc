#include "proxy/relay/web_request.h"

#include "proxy/net/websocket_handshake.h"

namespace entente::relay {

std::optional<Fault> objection(const Route& route, const net::HttpHead& request, unsigned& status) {
  const auto no = [&](unsigned code, const char* why, const char* field) {
    status = code;
    return Fault{why, field};
  };
  if (!route.serves(request.path())) return no(404, "nothing is served under this path", "path");
  const auto verdict = net::check_upgrade(request);
  if (verdict.status != 101) return no(verdict.status, verdict.why, "upgrade");
  if (!net::accepts_origin(request, route.web->origins)) return no(403, "this origin may not come", "Origin");
  return std::nullopt;
}

}  // namespace entente::relay
