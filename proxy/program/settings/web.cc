#include "proxy/program/settings/web.h"

#include "proxy/program/log/say.h"

namespace entente {

std::optional<Error> objection(const WebSocketSettings& end, EndpointRole role) {
  const bool listens = role == EndpointRole::kListen;
  const bool keys = !end.certificates.empty() || !end.key.empty();
  if (listens && end.tls && (end.certificates.empty() || end.key.empty()))
    return Error{"TLS needs a certificate and its key: add ?cert=FILE&key=FILE (PEM), or listen with +ws"};
  if (!end.tls && (keys || !end.authorities.empty() || !end.verify.empty()))
    return Error{"certificates need +wss; this is +ws"};
  return std::nullopt;
}

Outcome<relay::WebOptions> web_options(const WebSocketSettings& listen, const WebSocketSettings& to) {
  relay::WebOptions options;
  options.path = listen.path;
  options.origins = listen.origins;
  options.server_path = to.path;
  if (listen.tls) {
    auto tls = net::TlsContext::server(listen.certificates, listen.key);
    if (!tls) return tls.error();
    options.client_tls = *tls;
  }
  if (to.tls) {
    auto tls = net::TlsContext::client(to.authorities, to.verify != "no");
    if (!tls) return tls.error();
    options.server_tls = *tls;
  }
  return options;
}

void log_page_address(const relay::WebOptions& web, const net::Address& listener) {
  if (web.page.empty()) return;
  log_info("web page at {}://{}{}", web.client_tls ? "https" : "http", listener.text(),
           web.path.empty() ? "/" : web.path);
}

}  // namespace entente
