#include "proxy/net/web/http_file.h"

#include <string>

namespace entente::net {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace

bool asks_for_file(const HttpHead& request) {
  return (request.method == "GET" || request.method == "HEAD") && !request.lists("Upgrade", "websocket");
}

void write_file_head(const Asset& file, Buffer& out) {
  const HttpHeader headers[] = {{"Content-Type", std::string(file.type)},
                                {"Content-Length", std::to_string(file.text.size())},
                                {"Content-Security-Policy", kPolicy},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cache-Control", "no-cache"},  // the next version of the program has another page
                                {"Connection", "close"}};
  write_response_head(200, headers, out);
}

void write_file(const HttpHead& request, const Asset& file, Buffer& out) {
  write_file_head(file, out);
  if (request.method != "HEAD") append(out, as_bytes(file.text));
}

}  // namespace entente::net
