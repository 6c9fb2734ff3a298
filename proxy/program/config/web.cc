#include "proxy/program/config/web.h"

#include <spdlog/spdlog.h>

namespace entente {

Outcome<bool> read_web_parameter(std::string_view key, std::string_view value, WebEnd& to) {
  if (key == "origin") {
    to.origins.emplace_back(value);
    return true;
  }
  std::string* const field = key == "cert"     ? &to.certificates
                             : key == "key"    ? &to.key
                             : key == "ca"     ? &to.authorities
                             : key == "verify" ? &to.verify
                                               : nullptr;
  if (field == nullptr) return false;
  if (!field->empty()) return Error{"'" + std::string(key) + "' is given twice"};
  *field = value;
  return true;
}

std::optional<Error> objection(const WebEnd& end, Side side) {
  const bool listens = side == Side::kListen;
  if (listens && (!end.authorities.empty() || !end.verify.empty()))
    return Error{"'ca' and 'verify' belong in the server's URL"};
  if (!listens && (!end.certificates.empty() || !end.key.empty() || !end.origins.empty()))
    return Error{"'cert', 'key' and 'origin' belong in the URL to listen on"};
  const bool keys = !end.certificates.empty() || !end.key.empty();
  if (listens && end.tls && (end.certificates.empty() || end.key.empty()))
    return Error{"TLS needs a certificate and its key: add ?cert=FILE&key=FILE (PEM), or listen with +ws"};
  if (!end.tls && (keys || !end.authorities.empty() || !end.verify.empty()))
    return Error{"certificates need +wss; this is +ws"};
  if (!end.verify.empty() && end.verify != "yes" && end.verify != "no")
    return Error{"'verify' must be yes or no, not '" + end.verify + "'"};
  return std::nullopt;
}

Outcome<relay::WebOptions> web_options(const WebEnd& listen, const WebEnd& to) {
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

void tell_page(const relay::WebOptions& web, const net::Address& listener) {
  if (web.page.empty()) return;
  spdlog::info("web page at {}://{}{}", web.client_tls ? "https" : "http", listener.text(),
               web.path.empty() ? "/" : web.path);
}

}  // namespace entente
