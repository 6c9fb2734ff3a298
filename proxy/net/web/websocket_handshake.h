// The HTTP exchange that opens a WebSocket (RFC 6455, section 4). Extensions are never offered or accepted.
// Invariant: the headers of a client's request are passed on to the server unchanged if they are on a list of those
// that browsers send and servers read; all others are left out.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "proxy/net/address.h"
#include "proxy/net/web/http.h"

namespace entente::net {

/// Why a request is not a WebSocket upgrade; status 101 if it is one.
struct UpgradeVerdict {
  unsigned status = 101;
  const char* why = "";
};
UpgradeVerdict check_upgrade(const HttpHead& request);

/// Whether the origin of this request is admitted: `accepted` is empty or contains it.
bool accepts_origin(const HttpHead& request, std::span<const std::string> accepted);

/// Answers `request` with 101 and the chosen subprotocol, if any.
void write_upgrade_answer(const HttpHead& request, const std::string* subprotocol, Buffer& out);

/// What a client asks of a server.
struct UpgradeRequest {
  std::string host;    ///< with its port
  std::string target;  ///< path and query
  std::string key;     ///< see make_upgrade_key; "": a plain request, without an upgrade
  std::vector<HttpHeader> headers;
};
std::string make_upgrade_key();
/// The headers of `request` to send on. User-Agent and Cache-Control are added if they are missing, because some
/// servers accept only browsers. Headers that are not known are left out: the client wrote them, and a server may trust
/// what we send, such as an address. `client`: the client's address, which is sent to the server in X-Forwarded-For.
std::vector<HttpHeader> forwarded_headers(const HttpHead& request, const std::optional<Address>& client = {});
void write_upgrade_request(const UpgradeRequest& request, Buffer& out);

/// What is wrong with the response to an upgrade request that had this key. Null: the server has accepted the upgrade.
const char* objection_to_upgrade(const HttpHead& response, const std::string& key);

}  // namespace entente::net
