// A response that is made for each request: which head and body it has.
#include "proxy/net/web/http_reply.h"

#include <doctest/doctest.h>

namespace entente::net::http_reply_test {
namespace {

std::string head_of(const HttpReply& reply, bool keep) {
  Buffer out;
  write_reply_head(reply, keep, out);
  return std::string(as_text(out));
}

HttpHead request(const char* method) {
  HttpHead head;
  head.method = method;
  return head;
}

TEST_CASE("http reply: its head has the length of its body, and says whether another request may follow") {
  const HttpReply reply{200, {{"Content-Type", "a/b"}}, std::make_shared<const std::string>("hello")};
  CHECK(head_of(reply, true) ==
        "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n");
  CHECK(head_of(reply, false).ends_with("\r\nConnection: close\r\n\r\n"));
  CHECK(head_of({404, {}, nullptr}, true) ==
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(head_of({304, {{"ETag", "t"}}, nullptr}, true) ==
        "HTTP/1.1 304 Not Modified\r\nETag: t\r\nConnection: keep-alive\r\n\r\n");
}

TEST_CASE("http reply: HEAD, and a client that has the document already, get no body") {
  const auto text = std::make_shared<const std::string>("hello");
  CHECK(has_body(request("GET"), {200, {}, text}));
  CHECK(has_body(request("GET"), {404, {}, text}));
  CHECK_FALSE(has_body(request("HEAD"), {200, {}, text}));
  CHECK_FALSE(has_body(request("GET"), {304, {}, text}));
  CHECK_FALSE(has_body(request("GET"), {200, {}, nullptr}));
}

}  // namespace
}  // namespace entente::net::http_reply_test
