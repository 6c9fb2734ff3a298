#include "proxy/net/web/http_file.h"

#include <doctest/doctest.h>

namespace entente::net::http_file_test {
namespace {

constexpr Asset kStyle{"style.css", "text/css", "p {}"};

HttpHead request(const char* method, std::vector<HttpHeader> headers = {}) {
  HttpHead head;
  head.method = method;
  head.target = "/style.css";
  head.headers = std::move(headers);
  return head;
}

std::string answer(const char* method) {
  Buffer out;
  write_file(request(method), kStyle, out);
  return std::string(as_text(out));
}

TEST_CASE("a browser gets the file with its type and length, and HEAD the same without the body") {
  const std::string got = answer("GET"), head = answer("HEAD");
  CHECK(got == head + "p {}");
  HttpReader reader(HttpReader::Of::kResponse);
  CHECK(*reader.feed(as_bytes(head)) == head.size());
  REQUIRE(reader.complete());
  CHECK(reader.head().status == 200);
  CHECK(*reader.head().find("Content-Type") == "text/css");
  CHECK(*reader.head().find("Content-Length") == "4");
  CHECK(*reader.head().find("X-Content-Type-Options") == "nosniff");
  CHECK(*reader.head().find("Connection") == "close");
}

TEST_CASE("a page may only run and load what comes from its origin, and may not be framed") {
  const std::string policy = answer("HEAD");
  for (const char* law : {"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
                          "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"})
    CHECK_MESSAGE(policy.find(law) != std::string::npos, law);
  CHECK(policy.find("unsafe") == std::string::npos);
  CHECK(policy.find('*') == std::string::npos);
}

TEST_CASE("an upgrade, or a method that changes something, is not a request for a file") {
  CHECK(asks_for_file(request("GET")));
  CHECK(asks_for_file(request("HEAD")));
  CHECK_FALSE(asks_for_file(request("GET", {{"Upgrade", "websocket"}, {"Connection", "Upgrade"}})));
  for (const char* other : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"})
    CHECK_FALSE(asks_for_file(request(other)));
}

TEST_CASE("a browser that has the file already is told so, without the file; another gets it with its mark") {
  Asset file = kStyle;
  file.tag = "\"v1\"";
  const auto head = [&](std::vector<HttpHeader> headers, bool keep, std::string_view body) {
    Buffer out;
    CHECK(write_file_head(request("GET", std::move(headers)), file, keep, out) == body);
    HttpReader reader(HttpReader::Of::kResponse);
    REQUIRE(reader.feed(out).ok());
    REQUIRE(reader.complete());
    return reader.head();
  };
  for (const char* none : {"\"v0\"", "v1"}) {
    const HttpHead sent = head({{"If-None-Match", none}}, true, "p {}");
    CHECK(sent.status == 200);
    for (const char* name : {"ETag", "Content-Length", "Connection"}) REQUIRE(sent.find(name) != nullptr);
    CHECK(*sent.find("ETag") == "\"v1\"");
    CHECK(*sent.find("Content-Length") == "4");
    CHECK(*sent.find("Connection") == "keep-alive");
  }
  const HttpHead known = head({{"If-None-Match", "\"v0\", \"v1\""}}, false, "");
  CHECK(known.status == 304);
  for (const char* name : {"ETag", "Connection", "Cache-Control"}) REQUIRE(known.find(name) != nullptr);
  CHECK(*known.find("ETag") == "\"v1\"");
  CHECK(known.find("Content-Length") == nullptr);
  CHECK(*known.find("Connection") == "close");
  CHECK(*known.find("Cache-Control") == "no-cache");
}

}  // namespace
}  // namespace entente::net::http_file_test
