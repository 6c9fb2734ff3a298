// The log of a bridge says what is wrong if TLS to its server fails.
#include <doctest/doctest.h>

#include "tests/relay/bridging.h"
#include "tests/support/certificate.h"

namespace entente::testing::bridge_tls_test {
namespace {

using relay::Reason;

constexpr const char* kOtherName = "127.0.0.2";  // our certificate does not name it

/// A server that shows a certificate.
class TlsServer : public Serving {
 public:
  explicit TlsServer(const Certificate& certificate, const char* at = "127.0.0.1") : Serving(1) {
    relay::RouteOptions options;
    options.game = &toy::messages();
    options.servers[0].dialect = 0;
    options.listen = *net::Address::parse(at, 0);
    options.web.client_tls = *net::TlsContext::server(certificate.file(), certificate.file());
    serve(std::move(options), nobody_.address(), no_limits(), nullptr);
  }

 private:
  FakeServer nobody_;
};

/// A bridge that trusts the certificates in a file, or those of the system if the file name is empty.
class TlsBridge : public Serving {
 public:
  TlsBridge(const net::Address& server, const std::string& trusts) : Serving(1), server_(server) {
    relay::RouteOptions options;
    options.game = &toy::stream();
    options.servers[0].dialect = 0;
    options.listen = loopback();
    options.web.server_tls = *net::TlsContext::client(trusts, true);
    options.bridge = toy_bridge(toy::stream(), toy::messages());
    serve(std::move(options), server, no_limits(), nullptr);
  }

  /// A player connects, and the log has this about the server.
  bool says(const std::string& what) {
    const Stream client = Stream::to(address);
    client.send(kHello);
    return heard.line("session 1: server " + server_.text() + ": " + what) && ended(Reason::kServerProtocolError);
  }

 private:
  const net::Address server_;
};

TEST_CASE("a bridge logs what is wrong with its server's certificate") {
  const Certificate certificate, expired(-7200, 3600), early(3600, 7200);
  const TlsServer good(certificate), old(expired), next(early), renamed(certificate, kOtherName);
  CHECK(TlsBridge(good.address, "").says("the certificate is not trusted ("));
  CHECK(TlsBridge(old.address, expired.file()).says("the certificate has expired ("));
  CHECK(TlsBridge(next.address, early.file()).says("the certificate is not valid yet ("));
  CHECK(TlsBridge(renamed.address, certificate.file()).says("the certificate is for another name ("));
}

TEST_CASE("a bridge logs that its server does not speak TLS") {
  const Certificate certificate;
  const FakeServer fake;
  TlsBridge bridge(fake.address(), certificate.file());
  const Stream client = Stream::to(bridge.address);
  client.send(kHello);
  const Stream server = fake.accept();
  CHECK_FALSE(server.read_some().empty());  // the TLS handshake
  server.send("HTTP/1.1 400 Bad Request\r\n\r\n");
  CHECK(bridge.heard.line("session 1: server " + fake.address().text() + ": not TLS"));
  CHECK(bridge.ended(Reason::kServerProtocolError));
}

}  // namespace
}  // namespace entente::testing::bridge_tls_test
