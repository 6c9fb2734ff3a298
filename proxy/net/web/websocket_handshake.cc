#include "proxy/net/web/websocket_handshake.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "proxy/base/lower_case.h"

namespace entente::net {
namespace {

constexpr std::string_view kHandshakeGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // RFC 6455, 1.3

/// MultiOgarII takes a client whose User-Agent is shorter than 50 for a minion, and likewise one without Cache-Control
/// (Server.js:253).
constexpr std::string_view kUserAgent =
    "Mozilla/5.0 (X11; Linux x86_64) Entente/" ENTENTE_VERSION " (game relay; WebSocket)";
constexpr std::string_view kCacheControl = "no-cache";

std::string base64(Bytes bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes.data(), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string accept_of(std::string_view key) {
  const std::string text = std::string(key) + std::string(kHandshakeGuid);
  std::array<std::uint8_t, 20> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return base64(digest);
}

/// Whether a client's header is sent on: what browsers send with a WebSocket's request, and what servers decide by.
/// Everything else is left out. Proxies name the client's address in many headers (CF-Connecting-IP, X-Client-IP,
/// X-Cluster-Client-IP, …), by which a client could claim any address; other headers belong to one connection.
bool is_sent_on(const std::string& name) {
  static constexpr std::string_view kSentOn[] = {"accept",
                                                 "accept-charset",
                                                 "accept-encoding",
                                                 "accept-language",
                                                 "authorization",
                                                 "cache-control",
                                                 "cookie",
                                                 "dnt",
                                                 "origin",
                                                 "pragma",
                                                 "priority",
                                                 "referer",
                                                 "sec-gpc",
                                                 "user-agent",
                                                 "sec-websocket-protocol"};
  const std::string low = lower_case(name);
  return std::find(std::begin(kSentOn), std::end(kSentOn), low) != std::end(kSentOn) || low.starts_with("sec-fetch-") ||
         low.starts_with("sec-ch-ua");
}

}  // namespace

UpgradeVerdict check_upgrade(const HttpHead& request) {
  if (request.method != "GET") return {405, "only GET is answered here"};
  if (!request.lists("Upgrade", "websocket") || !request.lists("Connection", "upgrade"))
    return {426, "a WebSocket is served here"};
  const std::string* version = request.find("Sec-WebSocket-Version");
  const std::string* key = request.find("Sec-WebSocket-Key");
  if (!version || *version != "13") return {426, "WebSocket version 13 is served here"};
  if (!key || key->size() != 24) return {400, "Sec-WebSocket-Key is missing or not 16 bytes"};
  return {};
}

bool accepts_origin(const HttpHead& request, std::span<const std::string> accepted) {
  if (accepted.empty()) return true;
  const std::string* origin = request.find("Origin");
  return origin && std::find(accepted.begin(), accepted.end(), *origin) != accepted.end();
}

void write_upgrade_answer(const HttpHead& request, const std::string* subprotocol, Buffer& out) {
  std::vector<HttpHeader> headers{{"Upgrade", "websocket"},
                                  {"Connection", "Upgrade"},
                                  {"Sec-WebSocket-Accept", accept_of(*request.find("Sec-WebSocket-Key"))}};
  if (subprotocol) headers.push_back({"Sec-WebSocket-Protocol", *subprotocol});
  write_response_head(101, headers, out);
}

std::string make_upgrade_key() {
  std::array<std::uint8_t, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::abort();
  return base64(bytes);
}

std::vector<HttpHeader> forwarded_headers(const HttpHead& request, const std::optional<Address>& client) {
  std::vector<HttpHeader> headers;
  for (const HttpHeader& header : request.headers)
    if (is_sent_on(header.name) && !request.lists("Connection", header.name)) headers.push_back(header);
  if (client) headers.push_back({"X-Forwarded-For", client->unmapped().ip_text()});
  if (!request.find("User-Agent")) headers.push_back({"User-Agent", std::string(kUserAgent)});
  if (!request.find("Cache-Control")) headers.push_back({"Cache-Control", std::string(kCacheControl)});
  return headers;
}

void write_upgrade_request(const UpgradeRequest& request, Buffer& out) {
  std::vector<HttpHeader> headers{{"Host", request.host}};
  if (request.key.empty())
    headers.push_back({"Connection", "close"});
  else
    headers.insert(headers.end(), {{"Upgrade", "websocket"},
                                   {"Connection", "Upgrade"},
                                   {"Sec-WebSocket-Key", request.key},
                                   {"Sec-WebSocket-Version", "13"}});
  headers.insert(headers.end(), request.headers.begin(), request.headers.end());
  write_request_head("GET", request.target, headers, out);
}

const char* objection_to_upgrade(const HttpHead& response, const std::string& key) {
  if (response.status != 101) return "no upgrade";
  if (!response.lists("Upgrade", "websocket")) return "upgrade to something else";
  const std::string* accept = response.find("Sec-WebSocket-Accept");
  if (!accept || *accept != accept_of(key)) return "wrong Sec-WebSocket-Accept";
  if (response.find("Sec-WebSocket-Extensions")) return "extension that was not offered";
  return nullptr;
}

}  // namespace entente::net
