// Answers to browsers that want no WebSocket but a page. Law: what a page of ours loads, and whom it talks to, is ours:
// nothing inline runs, nothing foreign is fetched, and no other site shows it in a frame.
#pragma once

#include "proxy/base/asset.h"
#include "proxy/net/web/http.h"

namespace entente::net {

/// Whether a request is a plain one for a file: GET or HEAD, and no upgrade.
bool asks_for_file(const HttpHead& request);

/// Appends the whole answer, after which the connection is closed; to HEAD without its text.
void write_file(const HttpHead& request, const Asset& file, Buffer& out);

}  // namespace entente::net
