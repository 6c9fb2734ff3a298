// Serves a web page to browsers that do not ask for a WebSocket. Invariant: the page loads only our files and connects
// only to us: nothing inline runs, nothing foreign is fetched, and no other site may frame it.
#pragma once

#include "proxy/base/asset.h"
#include "proxy/net/web/http.h"

namespace entente::net {

/// Whether a request asks for a file: GET or HEAD, without an upgrade.
bool asks_for_file(const HttpHead& request);

/// Appends the head of the response, and returns the body: nothing for HEAD, and for a client that has the file already
/// (If-None-Match). `keep`: another request may follow on the connection.
std::string_view write_file_head(const HttpHead& request, const Asset& file, bool keep, Buffer& out);

/// Appends the whole response, after which the connection is closed.
void write_file(const HttpHead& request, const Asset& file, Buffer& out);

}  // namespace entente::net
