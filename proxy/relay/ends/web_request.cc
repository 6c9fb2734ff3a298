#include "proxy/relay/ends/web_request.h"

#include <algorithm>

#include "proxy/net/web/http_file.h"
#include "proxy/net/web/websocket.h"
#include "proxy/net/web/websocket_handshake.h"

namespace entente::relay {

std::optional<Fault> objection(const Route& route, const net::HttpHead& request, unsigned& status) {
  const auto no = [&](unsigned code, const char* why, const char* field) {
    status = code;
    return Fault{why, field};
  };
  const bool no_file = !route.options->web.page.empty() && net::asks_for_file(request);
  if (no_file || !route.serves(request.path())) return no(404, "nothing is served under this path", "path");
  if (route.draining) return no(503, telling(Reason::kDraining).words, "");
  const auto verdict = net::check_upgrade(request);
  if (verdict.status != 101) return no(verdict.status, verdict.why, "upgrade");
  if (!net::accepts_origin(request, route.options->web.origins)) return no(403, "this origin is not allowed", "Origin");
  return std::nullopt;
}

std::uint16_t content_code(const Fault& fault) {
  const std::string_view what = fault.what;  // as the games' cutters word it
  const bool too_large = what.ends_with("too large") || what.starts_with("oversize");
  return too_large ? net::CloseFrame::kTooLarge : net::CloseFrame::kBadContent;
}

const Asset* file_for(const Route& route, const net::HttpHead& request) {
  const auto page = route.options->web.page;
  if (page.empty() || !net::asks_for_file(request)) return nullptr;
  const std::string_view path = request.path(), at = route.options->web.path;
  if (path == (at.empty() ? "/" : at)) return &page.front();
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto file = std::find_if(page.begin() + 1, page.end(), [&](const Asset& one) { return one.name == name; });
  return file != page.end() ? &*file : nullptr;
}

std::optional<net::HttpReply> document_for(const Route& route, const net::HttpHead& request) {
  if (!route.options->web.documents || !net::asks_for_file(request)) return std::nullopt;
  const std::string_view path = request.path(), at = route.options->web.path;
  const std::string_view folder = at.empty() ? "/" : at.substr(0, at.rfind('/') + 1);
  if (!path.starts_with(folder)) return std::nullopt;
  return route.options->web.documents(request, path.substr(folder.size()));
}

}  // namespace entente::relay
