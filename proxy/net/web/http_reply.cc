#include "proxy/net/web/http_reply.h"

namespace entente::net {

bool has_body(const HttpHead& request, const HttpReply& reply) {
  return reply.body && reply.status != 304 && request.method != "HEAD";
}

void write_reply_head(const HttpReply& reply, bool keep, Buffer& out) {
  std::vector<HttpHeader> headers = reply.headers;
  if (reply.status != 304) headers.push_back({"Content-Length", std::to_string(reply.body ? reply.body->size() : 0)});
  headers.push_back({"Connection", keep ? "keep-alive" : "close"});
  write_response_head(reply.status, headers, out);
}

}  // namespace entente::net
