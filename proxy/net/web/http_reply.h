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

/// Appends the head of the response.
void write_reply_head(const HttpReply& reply, Buffer& out);

/// Appends the whole response, after which the connection is closed; without its body for HEAD.
void write_reply(const HttpHead& request, const HttpReply& reply, Buffer& out);

}  // namespace entente::net
