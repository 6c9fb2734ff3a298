// Serves a web page to browsers that do not ask for a WebSocket. Law: the page loads only our files and connects
// only to us: nothing inline runs, nothing foreign is fetched, and no other site may frame it.
#pragma once

#include "proxy/base/asset.h"
#include "proxy/net/web/http.h"

namespace entente::net {

/// Whether a request asks for a file: GET or HEAD, without an upgrade.
bool asks_for_file(const HttpHead& request);

/// Appends the head of the response.
void write_file_head(const Asset& file, Buffer& out);

/// Appends the whole response, after which the connection is closed; without its body for HEAD.
void write_file(const HttpHead& request, const Asset& file, Buffer& out);

}  // namespace entente::net
