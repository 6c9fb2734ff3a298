// The options of a route's WebSockets, beside its addresses.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proxy/base/asset.h"
#include "proxy/net/web/http_reply.h"
#include "proxy/net/web/tls.h"

namespace entente::relay {

struct WebOptions {
  std::shared_ptr<net::TlsContext> client_tls;  ///< for clients; null: ws://
  std::string path;                             ///< that clients must ask for; empty: any
  std::vector<std::string> origins;             ///< accepted origins; empty: any or none
  std::span<const Asset> page;                  ///< for browsers: first the page, then its files; empty: none
  net::HttpDocuments documents;                 ///< beside the page; null: none

  std::shared_ptr<net::TlsContext> server_tls;  ///< null: ws://
  std::string server_path;                      ///< to ask for; empty: what the client asked for
};

}  // namespace entente::relay
