// An acceptor for HTTP requests: which ones it answers and refuses, in any number of pieces.
#include "proxy/net/web/http_acceptor.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>

#include "tests/support/connection.h"

namespace entente::net::http_acceptor_test {
namespace {

RequestLoop& requests() {
  static RequestLoop loop("control", "commands");
  return loop;
}

std::unique_ptr<HttpAcceptor> open_acceptor() {
  auto acceptor = HttpAcceptor::open(requests(), *Address::parse("127.0.0.1", 0), [](std::string_view path) {
    if (path == "/gone") return HttpAnswer{503, "text/y", "not now"};
    return HttpAnswer{200, "text/x", path == "/here" ? "all of it" : ""};
  });
  REQUIRE_MESSAGE(acceptor.ok(), (acceptor.ok() ? "" : acceptor.error().text));
  (*acceptor)->start();
  return std::move(*acceptor);
}

/// The answer to these pieces.
std::string asked(const Address& at, std::initializer_list<std::string_view> pieces, bool finishes = false) {
  const Fd fd = testing::connect_to(at);
  for (const std::string_view piece : pieces) ::send(fd.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
  if (finishes) ::shutdown(fd.get(), SHUT_WR);
  int error = 0;
  std::string all = testing::read_all(fd, &error);
  CHECK(error == 0);
  return all;
}

std::string asked(const HttpAcceptor& acceptor, std::initializer_list<std::string_view> pieces, bool finishes = false) {
  return asked(acceptor.address(), pieces, finishes);
}

TEST_CASE("a GET for something that exists is answered, in any number of pieces") {
  const auto acceptor = open_acceptor();
  constexpr std::string_view kAnswer =
      "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 9\r\nConnection: close\r\n\r\n";
  CHECK(asked(*acceptor, {"GET /here HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"}) == std::string(kAnswer) + "all of it");
  CHECK(asked(*acceptor, {"GET /he", "re?a=1 HTTP/1.1\r\nHo", "st: 127.0.0.1\r\n\r", "\n"}) ==
        std::string(kAnswer) + "all of it");
  CHECK(asked(*acceptor, {"HEAD /here HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"}) == kAnswer);
  const std::string gone = asked(*acceptor, {"GET /gone HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"});
  CHECK(gone.starts_with("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/y\r\n"));
  CHECK(gone.ends_with("\r\n\r\nnot now"));
}

TEST_CASE("any other request is refused with a reason") {
  const auto acceptor = open_acceptor();
  CHECK(asked(*acceptor, {"GET /there HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"}).substr(0, 24) ==
        "HTTP/1.1 404 Not Found\r\n");
  CHECK(asked(*acceptor, {"DELETE /here HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"}).substr(0, 13) == "HTTP/1.1 405 ");
  CHECK(asked(*acceptor, {"POST /here HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"}).substr(0, 13) == "HTTP/1.1 400 ");
  CHECK(asked(*acceptor, {"BZFLAG\r\n\r\n"}).substr(0, 26) == "HTTP/1.1 400 Bad Request\r\n");
  CHECK(asked(*acceptor, {"GET /here HT"}, true).substr(0, 13) == "HTTP/1.1 400 ");
  CHECK(asked(*acceptor, {"GET /here HTTP/1.1\r\nX: " + std::string(20'000, 'x')}).substr(0, 10) == "HTTP/1.1 4");
  CHECK(asked(*acceptor, {}, true) == "");
}

TEST_CASE("a client that is still sending when it is refused gets the whole answer") {
  const auto acceptor = open_acceptor();
  const Fd fd = testing::connect_to(acceptor->address());
  const std::string more(20'000, 'x');
  const std::string start = "GET /here HTTP/1.1\r\nX: " + more;
  REQUIRE(::send(fd.get(), start.data(), start.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(start.size()));
  pollfd refused{fd.get(), POLLRDHUP, 0};
  REQUIRE(::poll(&refused, 1, 40'000) == 1);
  for (int i = 0; i < 3; ++i)
    CHECK(::send(fd.get(), more.data(), more.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(more.size()));
  int error = 0;
  const std::string answer = testing::read_all(fd, &error);
  CHECK(error == 0);
  CHECK(answer.substr(0, 13) == "HTTP/1.1 400 ");
  CHECK(answer.find("\r\n\r\n") != std::string::npos);
}

TEST_CASE("on loopback, a request for another host name is refused") {
  const auto acceptor = open_acceptor();
  const auto get = [](const HttpAcceptor& from, const std::string& host) {
    return asked(from, {"GET /here HTTP/1.1\r\n" + host + "\r\n"}).substr(0, 13);
  };
  for (const char* host : {"Host: evil.example\r\n", "Host: evil.example:9464\r\n", "Host: 127.0.0.1.evil.example\r\n",
                           "Host: \r\n", "Host: 127.0.0.1:x\r\n", "Host: [::1\r\n"}) {
    CAPTURE(host);
    CHECK(get(*acceptor, host) == "HTTP/1.1 403 ");
  }
  for (const char* host : {"", "Host: 127.0.0.1\r\n", "Host: LocalHost:9464\r\n", "Host: [::1]:9464\r\n"}) {
    CAPTURE(host);
    CHECK(get(*acceptor, host) == "HTTP/1.1 200 ");
  }
  const auto everywhere = HttpAcceptor::open(requests(), *Address::parse("0.0.0.0", 0), [](std::string_view) {
    return HttpAnswer{200, "a/b", "x"};
  });
  REQUIRE(everywhere.ok());
  (*everywhere)->start();
  const Address local = *Address::parse("127.0.0.1", (*everywhere)->address().port());
  CHECK(asked(local, {"GET / HTTP/1.1\r\nHost: games.example\r\n\r\n"}).substr(0, 13) == "HTTP/1.1 200 ");
}

TEST_CASE("a body is read with its request, in any number of pieces, up to a limit") {
  const auto acceptor = HttpAcceptor::open(
      requests(), *Address::parse("127.0.0.1", 0),
      [](const HttpRequest& request) {
        CHECK(request.client.ip_text() == "127.0.0.1");
        return request.head.method + " " + std::string(request.body);
      },
      10);
  REQUIRE(acceptor.ok());
  (*acceptor)->start();
  const auto& page = **acceptor;
  CHECK(asked(page, {"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"}) == "POST hello");
  CHECK(asked(page, {"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", "he", "llo"}) == "POST hello");
  CHECK(asked(page, {"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello, world"}) == "POST hello");
  CHECK(asked(page, {"POST / HTTP/1.1\r\n\r\n"}) == "POST ");
  CHECK(asked(page, {"POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"}).substr(0, 13) == "HTTP/1.1 413 ");
  CHECK(asked(page, {"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhell"}, true).substr(0, 13) == "HTTP/1.1 400 ");
  CHECK(asked(page, {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"}).substr(0, 13) == "HTTP/1.1 400 ");
}

TEST_CASE("while no descriptors are left, clients wait, and the acceptor does not spin") {
  const auto acceptor = open_acceptor();
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto used = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
  };
  rlimit many{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &many) == 0);
  const rlimit none{static_cast<rlim_t>(Fd(::dup(fd.get())).get()), many.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool connected = ::connect(fd.get(), acceptor->address().raw(), acceptor->address().size()) == 0;
  constexpr std::string_view kAsk = "GET /here HTTP/1.1\r\n\r\n";
  ::send(fd.get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL);
  const auto before = used();
  pollfd polled{fd.get(), POLLIN, 0};
  const int answers = ::poll(&polled, 1, 500);
  const auto spent = used() - before;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &many) == 0);
  CHECK(connected);
  CHECK(answers == 0);
  CHECK(spent < 100);  // ms
  CHECK(::poll(&polled, 1, 40'000) == 1);
}

TEST_CASE("an address that is in use is a clear error") {
  const auto acceptor = open_acceptor();
  const auto second =
      HttpAcceptor::open(requests(), acceptor->address(), [](std::string_view) { return HttpAnswer(); });
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().text.find(acceptor->address().text()) != std::string::npos);
}

}  // namespace
}  // namespace entente::net::http_acceptor_test
