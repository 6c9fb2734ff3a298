// Connections that have not named their client yet, and are lost before they do.
#include "proxy/net/proxies/proxy_header_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/net/socket.h"
#include "tests/support/connection.h"

namespace entente::net::proxy_header_reader_test {
namespace {

struct Heard final : ProxyHeaderReader::User {
  void client_named(Fd, const Address&, bool) override { FAIL("no header is whole"); }
  void client_unnamed(Fd, const Address&, NoHeader why, const Fault&) override { all.push_back(why); }
  std::vector<NoHeader> all;
};

/// A connection that has sent this and was then reset.
Fd reset_after(std::string_view sent) {
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  Fd client = testing::connect_to(listening->address);
  pollfd one{listening->tcp.get(), POLLIN, 0};
  REQUIRE(::poll(&one, 1, 40'000) == 1);
  Fd fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  REQUIRE(fd);
  REQUIRE(::send(client.get(), sent.data(), sent.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(sent.size()));
  const linger now{1, 0};
  ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  client.reset();
  one = {fd.get(), 0, 0};  // an error is always reported
  REQUIRE(::poll(&one, 1, 40'000) == 1);
  return fd;
}

TEST_CASE("a connection that sends a part of what names its client, and is reset, is closed") {
  for (const auto naming : {ClientNaming::kProxyHeader, ClientNaming::kForwarded})
    for (const std::string_view sent :
         {std::string_view(), naming == ClientNaming::kForwarded ? std::string_view("GET / HTTP/1.1\r\nX-Forw")
                                                                 : std::string_view("PROXY TCP4 192.0")}) {
      CAPTURE(sent);
      Heard heard;
      Loop loop;
      const TrustedProxies proxies{{}, naming};
      ProxyHeaderReader reader(loop, proxies, heard);
      reader.add(reset_after(sent), *Address::parse("127.0.0.1:1"));
      loop.run();  // ends when nothing is watched any more
      CHECK(heard.all == std::vector{NoHeader::kLeft});
      reader.close();
    }
}

TEST_CASE("a client whose request came in pieces is heard afterwards, however little it sends") {
  struct Named final : ProxyHeaderReader::User {
    void client_named(Fd fd, const Address&, bool) override { its = std::move(fd); }
    void client_unnamed(Fd, const Address&, NoHeader, const Fault&) override { FAIL("the header is right"); }
    Fd its;
  };
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  REQUIRE(listening.ok());
  const Fd client = testing::connect_to(listening->address);
  pollfd one{listening->tcp.get(), POLLIN, 0};
  REQUIRE(::poll(&one, 1, 40'000) == 1);
  Fd fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  REQUIRE(fd);
  one.fd = fd.get();
  const auto sends = [&](std::string_view text) {
    REQUIRE(::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  };
  Named named;
  Loop loop;
  const TrustedProxies proxies{{}, ClientNaming::kForwarded};
  ProxyHeaderReader reader(loop, proxies, named);
  sends("GET / HTTP/1.1\r\nX-Forw");
  REQUIRE(::poll(&one, 1, 40'000) == 1);
  reader.add(std::move(fd), *Address::parse("127.0.0.1:1"));
  uv_run(loop.raw(), UV_RUN_ONCE);
  CHECK_FALSE(named.its);
  constexpr std::string_view kRest = "arded-For: 192.0.2.7\r\n\r\n";
  sends(kRest);
  loop.run();  // ends when nothing is watched any more
  REQUIRE(named.its);
  char request[256];
  REQUIRE(::recv(named.its.get(), request, sizeof request, 0) > static_cast<ssize_t>(kRest.size()));
  sends("x");
  one = {named.its.get(), POLLIN, 0};
  CHECK(::poll(&one, 1, 10'000) == 1);
  reader.close();
}

TEST_CASE("a health check that is reset after its header is closed") {
  Heard heard;
  Loop loop;
  const TrustedProxies proxies;
  ProxyHeaderReader reader(loop, proxies, heard);
  reader.add(reset_after("PROXY UNKNOWN\r\n"), *Address::parse("127.0.0.1:1"));
  loop.run();
  CHECK(heard.all == std::vector{NoHeader::kLeft});
  reader.close();
}

/// Raises the limit of descriptors for as long as it lives.
struct ManyFiles {
  explicit ManyFiles(rlim_t wanted) {
    ::getrlimit(RLIMIT_NOFILE, &before);
    rlimit now = before;
    now.rlim_cur = std::max(now.rlim_cur, std::min(wanted, now.rlim_max));
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~ManyFiles() { ::setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
};

TEST_CASE("if too many connections have not named their client, the oldest makes room for the next") {
  struct Refused final : ProxyHeaderReader::User {
    void client_named(Fd, const Address&, bool) override { FAIL("no header is whole"); }
    void client_unnamed(Fd, const Address& by, NoHeader why, const Fault&) override {
      CHECK(why == NoHeader::kTooMany);
      refused.push_back(by.port());
    }
    std::vector<int> refused;
  };
  const ManyFiles many(ProxyHeaderReader::kMost + 512);
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  const Fd silent(ends[0]), peer(ends[1]);
  Refused heard;
  Loop loop;
  const TrustedProxies proxies{{}, ClientNaming::kProxyHeader};
  ProxyHeaderReader reader(loop, proxies, heard);
  for (std::size_t i = 1; i <= ProxyHeaderReader::kMost + 2; ++i) {
    Fd fd(::fcntl(silent.get(), F_DUPFD_CLOEXEC, 0));
    REQUIRE(fd);
    reader.add(std::move(fd), *Address::parse("192.0.2.1", static_cast<std::uint16_t>(i)));
  }
  CHECK(heard.refused == std::vector{1, 2});
  reader.close();
  loop.run();
}

/// A connection of a proxy, and what its reader tells of it.
struct Comer final : ProxyHeaderReader::User {
  explicit Comer(ClientNaming naming = ClientNaming::kProxyHeader) : proxies{{}, naming} {
    auto listening = listen(*Address::parse("127.0.0.1:0"), false);
    REQUIRE(listening.ok());
    proxy = testing::connect_to(listening->address);
    Fd fd(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    REQUIRE(fd);
    reader.add(std::move(fd), by);
  }
  ~Comer() override { reader.close(); }
  void client_named(Fd fd, const Address& client, bool health_check) override {
    its = std::move(fd);
    told += client.text() + (health_check ? " checks" : "");
  }
  void client_unnamed(Fd, const Address& from, NoHeader why, const Fault& fault) override {
    CHECK(from == by);
    told += "no header " + std::to_string(static_cast<int>(why)) + " " + fault.field;
  }
  void says(std::string_view text) {
    REQUIRE(::send(proxy.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
    for (int i = 0; i < 3; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  }
  /// What its reader tells once it does; empty: it does not.
  const std::string& tells() {
    for (const Millis until = steady_now() + 20'000; told.empty() && steady_now() < until;)
      uv_run(loop.raw(), UV_RUN_NOWAIT);
    return told;
  }
  /// What is left in the connection for the session.
  std::string left() const {
    char room[4096];
    const ssize_t size = ::recv(its.get(), room, sizeof room, MSG_DONTWAIT);
    return size > 0 ? std::string(room, static_cast<std::size_t>(size)) : std::string();
  }

  const Address by = *Address::parse("192.0.2.100:1234");
  const TrustedProxies proxies;
  Loop loop;
  ProxyHeaderReader reader{loop, proxies, *this};
  Fd proxy, its;
  std::string told;
};

TEST_CASE("a PROXY header is taken from a connection, in any number of pieces, and the client's bytes are left") {
  Comer whole;
  whole.says("PROXY TCP4 192.0.2.7 198.51.100.1 56324 5154\r\nhello");
  CHECK(whole.tells() == "192.0.2.7:56324");
  CHECK(whole.left() == "hello");
  Comer cut;
  for (const char* piece : {"P", "ROXY TCP4 192.0.2.7 198.51", ".100.1 56324 5154\r"}) {
    cut.says(piece);
    CHECK(cut.told.empty());
  }
  cut.says("\nhello");
  CHECK(cut.tells() == "192.0.2.7:56324");
  CHECK(cut.left() == "hello");
}

TEST_CASE("a client whose port is not named has the proxy's port; one that is not named at all, the proxy's address") {
  Comer portless;
  portless.says("PROXY TCP4 192.0.2.7 198.51.100.1 0 0\r\n");
  CHECK(portless.tells() == "192.0.2.7:1234");
  Comer nobody;
  nobody.says(std::string_view("\r\n\r\n\0\r\nQUIT\n\x21\x00\x00\x00", 16));
  CHECK(nobody.tells() == "192.0.2.100:1234");
}

TEST_CASE("a health check is told of when it says something: one that is LOCAL, and one that names the proxy itself") {
  Comer local;
  local.says(std::string_view("\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00", 16));
  CHECK(local.told.empty());
  local.says("GET");
  CHECK(local.tells() == "192.0.2.100:1234 checks");
  CHECK(local.left() == "GET");
  Comer own;
  own.says("PROXY TCP4 192.0.2.100 198.51.100.1 1234 5154\r\nGET");
  CHECK(own.tells() == "192.0.2.100:1234 checks");
  Comer other;  // from another port of the proxy's machine
  other.says("PROXY TCP4 192.0.2.100 198.51.100.1 1235 5154\r\n");
  CHECK(other.tells() == "192.0.2.100:1235");
}

TEST_CASE("a request that names its client is left in the connection as it came") {
  Comer comer(ClientNaming::kForwarded);
  const std::string request = "GET / HTTP/1.1\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n";
  comer.says(request.substr(0, 20));
  CHECK(comer.told.empty());
  comer.says(request.substr(20) + "more");
  CHECK(comer.tells() == "192.0.2.7:1234");
  CHECK(comer.left() == request + "more");
}

TEST_CASE(
    "a wrong header is told with its fault, and one that does not come in time as late, unless there is no limit") {
  Comer wrong;
  wrong.says("PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n");
  CHECK(wrong.tells() == "no header 0 protocol");
  Comer late;
  const Millis began = late.loop.now();
  while (late.loop.now() < began + 5) uv_update_time(late.loop.raw());
  late.reader.tick(0);
  late.reader.tick(3'600'000);
  CHECK(late.told.empty());
  late.reader.tick(1);
  CHECK(late.told == "no header 1 ");
}

}  // namespace
}  // namespace entente::net::proxy_header_reader_test
