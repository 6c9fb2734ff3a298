// Requests to receivers that answer as they should, and in every other way.
#include "proxy/net/web/http_client.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support/certificate.h"
#include "tests/support/receiver.h"

namespace entente::net::http_client_test {
namespace {

using testing::Receiver;

struct Asker final : HttpClient::User {
  void answered(const HttpOutcome& its) override {
    outcome = its;
    request.reset();
  }
  HttpOutcome ask(HttpCall call) {
    HttpClient client(loop);
    return ask(std::move(call), client);
  }
  HttpOutcome ask(HttpCall call, HttpClient& client) {
    request = client.send(call, *this);
    while (request != nullptr) uv_run(loop.raw(), UV_RUN_ONCE);
    return outcome;
  }
  Loop loop;
  HttpOutcome outcome;
  std::unique_ptr<HttpClient::Request> request;
};

HttpOutcome ask(const std::string& url, Millis time = 20'000, const std::string& authorities = "") {
  HttpCall call{url};
  call.to = {*Address::parse("127.0.0.1", 0)};
  call.headers = {"Content-Type: application/json"};
  call.body = "{\"a\":1}";
  call.authorities = authorities;
  call.time = time;
  return Asker().ask(call);
}

TEST_CASE("a request has its method, path, headers and body, and its answer a status") {
  Receiver receiver;
  CHECK(ask(receiver.url("/hook?a=b")).status == 204);
  const auto got = receiver.await(1).front();
  CHECK(got.line == "POST /hook?a=b HTTP/1.1");
  CHECK(got.headers.at("content-type") == "application/json");
  CHECK(got.headers.at("user-agent").starts_with("Entente/"));
  CHECK(got.headers.count("expect") == 0);
  CHECK(got.body == "{\"a\":1}");
  Asker asker;
  HttpCall put{receiver.url("/put")};
  put.put = true;
  CHECK(asker.ask(put).status == 204);
  CHECK(receiver.await(2).back().line == "PUT /put HTTP/1.1");
}

TEST_CASE("a name is not looked up: the caller gives its addresses, of which any that answers will do") {
  Receiver receiver;
  Asker asker;
  HttpCall call{"http://receiver.invalid:" + std::to_string(receiver.port()) + "/"};
  call.to = {*Address::parse("127.0.0.2", 0), *Address::parse("::1", 0), *Address::parse("127.0.0.1", 0)};
  CHECK_MESSAGE(asker.ask(call).status == 204, asker.outcome.error);
  CHECK(receiver.await(1).front().headers.at("host") == "receiver.invalid:" + std::to_string(receiver.port()));
}

TEST_CASE("a redirect is an answer, and is not followed") {
  Receiver elsewhere;
  Receiver receiver(Receiver::status("302 Found", "Location: " + elsewhere.url() + "\r\n"));
  CHECK(ask(receiver.url()).status == 302);
  CHECK(elsewhere.count() == 0);
}

TEST_CASE("a receiver may say when to come again, in a number that is bounded") {
  Receiver receiver(Receiver::status("429 Too Many Requests", "Retry-After: 7\r\n"));
  CHECK(ask(receiver.url()).retry_after == Millis{7'000});
  receiver.set(Receiver::status("503 Service Unavailable", "Retry-After: 99999999999\r\n"));
  CHECK(ask(receiver.url()).retry_after == Millis{86'400'000});
  receiver.set(Receiver::status("503 Service Unavailable", "Retry-After: soon\r\n"));
  CHECK(!ask(receiver.url()).retry_after);
}

TEST_CASE("an answer of 1 GB is taken by its head; the rest is not read") {
  std::atomic<std::uint64_t> sent{0};
  std::atomic<bool> cut{false};
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    talk.send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
    const std::string part(65536, 'x');
    for (int i = 0; i < 16384 && talk.send(part); ++i) sent += part.size();
    cut = sent < (std::uint64_t{1} << 30U);
    return false;
  });
  CHECK(ask(receiver.url()).status == 200);
  CHECK(sent < (64U << 20U));
}

TEST_CASE("an endless head is no answer") {
  Receiver receiver([](Receiver::Talk& talk, const Receiver::Request&) {
    talk.send("HTTP/1.1 200 OK\r\n");
    while (talk.send("X-Header: " + std::string(1000, 'x') + "\r\n")) {
    }
    return false;
  });
  const auto outcome = ask(receiver.url());
  CHECK(outcome.status == 0);
  CHECK(outcome.error == "the answer's head is too long");
}

TEST_CASE("a head up to its limit is one of an answer, a longer one is not, also if it ends") {
  std::size_t size = 0;  // of the head
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    std::string head = "HTTP/1.1 200 OK\r\n";
    const std::string end = "Content-Length: 0\r\n\r\n";
    while (head.size() + end.size() < size) {
      const std::size_t left = size - head.size() - end.size();
      const std::size_t line = left < 2'000 ? left : 1'000;
      head += "X: " + std::string(line - 5, 'x') + "\r\n";
    }
    return talk.send(head + end), false;
  });
  size = HttpClient::kMostHead;
  CHECK(ask(receiver.url()).status == 200);
  size = HttpClient::kMostHead + 100;
  const auto outcome = ask(receiver.url());
  CHECK(outcome.status == 0);
  CHECK(outcome.error == "the answer's head is too long");
}

TEST_CASE("a receiver that hangs, or sends a byte now and then, gets the time of the request and no more") {
  Receiver receiver(Receiver::hang());
  CHECK(ask(receiver.url(), 100).status == 0);
  receiver.set([](Receiver::Talk& talk, const Receiver::Request&) {
    std::array<std::uint8_t, 1> none;
    talk.send("H");
    return talk.read(none), false;
  });
  CHECK(ask(receiver.url(), 100).status == 0);
  // Its head is whole, so it has the request.
  receiver.set([](Receiver::Talk& talk, const Receiver::Request&) {
    talk.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx");
    return talk.wait_for_end(), false;
  });
  CHECK(ask(receiver.url(), 500).status == 200);
}

TEST_CASE("a receiver that closes in the middle of the head has not answered") {
  Receiver receiver([](Receiver::Talk& talk, const Receiver::Request&) {
    talk.send("HTTP/1.1 200 OK\r\nContent-");
    return false;
  });
  const auto outcome = ask(receiver.url());
  CHECK(outcome.status == 0);
  CHECK(!outcome.error.empty());
}

TEST_CASE("an interim answer is not the answer") {
  static constexpr std::string_view kEarly = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";
  Receiver receiver([](Receiver::Talk& talk, const Receiver::Request&) {
    talk.send(std::string(kEarly) + "HTTP/1.1 204 No Content\r\n\r\n");
    return false;
  });
  CHECK(ask(receiver.url()).status == 204);
  for (const std::string_view rest : {"", "HTTP/1.1 204 No Con"}) {
    CAPTURE(rest);
    receiver.set([=](Receiver::Talk& talk, const Receiver::Request&) {
      talk.send(std::string(kEarly) + std::string(rest));
      return false;
    });
    const auto outcome = ask(receiver.url());
    CHECK(outcome.status == 0);
    CHECK(!outcome.error.empty());
  }
}

TEST_CASE("nobody listens") {
  std::string url;
  {
    const Receiver gone;
    url = gone.url();
  }
  const auto outcome = ask(url);
  CHECK(outcome.status == 0);
  CHECK(outcome.error.find("127.0.0.1") != std::string::npos);
}

TEST_CASE("a certificate must be of an authority that is trusted, and of the host") {
  const Certificate certificate;
  Receiver receiver(Receiver::status("204 No Content"), certificate.file());
  const auto strange = ask(receiver.url());
  CHECK(strange.status == 0);
  CHECK(strange.error.find("certificate") != std::string::npos);
  CHECK(ask(receiver.url(), 20'000, certificate.file()).status == 204);
  const auto other = ask("https://receiver.invalid:" + std::to_string(receiver.port()), 20'000, certificate.file());
  CHECK(other.status == 0);
  CHECK(other.error.find("receiver.invalid") != std::string::npos);
  CHECK(receiver.count() == 1);
}

TEST_CASE("a request does not go over the connection of another one that trusts an authority of its own") {
  const Certificate certificate;
  Receiver receiver(Receiver::status("204 No Content"), certificate.file());
  Asker asker;
  HttpClient client(asker.loop);
  HttpCall trusts{receiver.url()};
  trusts.authorities = certificate.file();
  CHECK(asker.ask(trusts, client).status == 204);
  CHECK(asker.ask(HttpCall{receiver.url()}, client).status == 0);
  CHECK(receiver.count() == 1);
}

TEST_CASE("an expired certificate is refused") {
  const Certificate certificate(-7200, 3600);
  Receiver receiver(Receiver::status("204 No Content"), certificate.file());
  CHECK(ask(receiver.url(), 20'000, certificate.file()).status == 0);
  CHECK(receiver.count() == 0);
}

TEST_CASE("a request that its owner destroys is over") {
  Receiver receiver(Receiver::hang());
  Asker asker;
  HttpClient client(asker.loop);
  HttpCall call{receiver.url()};
  asker.request = client.send(call, asker);
  for (int i = 0; i < 1000 && receiver.count() == 0; ++i) uv_run(asker.loop.raw(), UV_RUN_NOWAIT);
  asker.request.reset();
  CHECK(asker.outcome.status == 0);
}

TEST_CASE("a URL is taken apart, or refused") {
  CHECK(HttpUrl::parse("https://example.org/a")->port == 443);
  CHECK(HttpUrl::parse("http://[::1]:8080/a")->host == "::1");
  for (const char* bad : {"", "example.org", "ftp://example.org/", "https://", "https://a b/", "file:///etc/passwd",
                          "https://user:secret@example.org/", "https://example.org:99999/", "http://\xc3\xa4.org/"})
    CHECK_MESSAGE(!HttpUrl::parse(bad), bad);
}

TEST_CASE("the beginning of an answer's body is kept, up to a limit") {
  std::string body = "why not";
  Receiver receiver([&](Receiver::Talk& talk, const Receiver::Request&) {
    talk.send("HTTP/1.1 400 Bad Request\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return false;
  });
  const auto little = ask(receiver.url());
  CHECK(little.status == 400);
  CHECK(little.error.empty());
  CHECK(little.beginning == body);
  body = std::string(HttpClient::kMostKept, 'a') + std::string(1'000, 'b');
  CHECK(ask(receiver.url()).beginning == body.substr(0, HttpClient::kMostKept));
}

TEST_CASE("a proxy that the environment names is not used") {
  Receiver receiver;
  for (const char* name : {"http_proxy", "all_proxy"}) ::setenv(name, "http://127.0.0.1:1", 1);
  const auto outcome = ask(receiver.url());
  for (const char* name : {"http_proxy", "all_proxy"}) ::unsetenv(name);
  CHECK_MESSAGE(outcome.status == 204, outcome.error);
}

TEST_CASE("a URL has the port of its scheme if it names none, and no port 0") {
  const auto plain = HttpUrl::parse("http://example.org/a"), named = HttpUrl::parse("https://example.org:8443");
  REQUIRE(plain.ok());
  REQUIRE(named.ok());
  CHECK_FALSE(plain->tls);
  CHECK(plain->port == 80);
  CHECK(named->tls);
  CHECK(named->port == 8443);
  CHECK(named->host == "example.org");
  CHECK_FALSE(HttpUrl::parse("https://example.org:0/"));
}

}  // namespace
}  // namespace entente::net::http_client_test
