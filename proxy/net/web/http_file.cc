#include "proxy/net/web/http_file.h"

#include <string>
#include <vector>

namespace entente::net {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace

bool asks_for_file(const HttpHead& request) {
  return (request.method == "GET" || request.method == "HEAD") && !request.lists("Upgrade", "websocket");
}

std::string_view write_file_head(const HttpHead& request, const Asset& file, bool keep, Buffer& out) {
  const bool known = !file.tag.empty() && request.lists("If-None-Match", file.tag);
  std::vector<HttpHeader> headers{{"Content-Type", std::string(file.type)},
                                  {"Content-Security-Policy", kPolicy},
                                  {"X-Content-Type-Options", "nosniff"},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"Cache-Control", "no-cache"},  // the next version of the program has another page
                                  {"Connection", keep ? "keep-alive" : "close"}};
  if (!file.tag.empty()) headers.push_back({"ETag", std::string(file.tag)});
  if (!known) headers.push_back({"Content-Length", std::to_string(file.text.size())});
  write_response_head(known ? 304 : 200, headers, out);
  return known || request.method == "HEAD" ? std::string_view() : file.text;
}

void write_file(const HttpHead& request, const Asset& file, Buffer& out) {
  append(out, as_bytes(write_file_head(request, file, false, out)));
}

}  // namespace entente::net
