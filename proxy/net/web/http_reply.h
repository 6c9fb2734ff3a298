// A response that is made for each request.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/web/http.h"

namespace entente::net {

struct HttpReply {
  unsigned status = 200;
  std::vector<HttpHeader> headers;          ///< beside Content-Length and Connection
  std::shared_ptr<const std::string> body;  ///< null: none
};

/// Answers a GET or HEAD of `name`, a path without the folder that it is under. Nothing: it is not known. From any
/// thread.
using HttpDocuments = std::function<std::optional<HttpReply>(const HttpHead& request, std::string_view name)>;

/// Whether the response to this request has the reply's body.
bool has_body(const HttpHead& request, const HttpReply& reply);

/// Appends the head of the response. `keep`: another request may follow on the connection.
void write_reply_head(const HttpReply& reply, bool keep, Buffer& out);

}  // namespace entente::net
