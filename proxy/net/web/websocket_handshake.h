// The HTTP exchange with which a WebSocket begins (RFC 6455, section 4). No extension is ever offered or taken.
// Law: what a client asked for travels to the server and back untouched, save what belongs to one connection only.
#pragma once

#include <span>
#include <string>

#include "proxy/net/web/http.h"

namespace entente::net {

/// Why a request is no WebSocket upgrade; status 101 if it is one.
struct UpgradeVerdict {
  unsigned status = 101;
  const char* why = "";
};
UpgradeVerdict check_upgrade(const HttpHead& request);

/// Whether a request that names `origin` may come: `accepted` is empty, or has it.
bool accepts_origin(const HttpHead& request, std::span<const std::string> accepted);

/// Answers `request` with 101 and the subprotocol that was chosen, if any.
void write_upgrade_answer(const HttpHead& request, const std::string* subprotocol, Buffer& out);

/// What a client asks of a server.
struct UpgradeRequest {
  std::string host;    ///< with its port
  std::string target;  ///< path and query
  std::string key;     ///< see make_upgrade_key
  std::vector<HttpHeader> headers;
};
std::string make_upgrade_key();
/// The headers of `request` that are to be sent on, and what MultiOgarII and browsers' servers want beside them.
std::vector<HttpHeader> forwarded_headers(const HttpHead& request);
void write_upgrade_request(const UpgradeRequest& request, Buffer& out);

/// Whether `response` agrees to `request`; else what is wrong with it.
const char* objection_to_upgrade(const HttpHead& response, const std::string& key);

}  // namespace entente::net
