#include "proxy/net/web/tls.h"

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/certificate.h"

namespace entente::net::tls_test {
namespace {

/// A client and a server that exchange what they write, in pieces.
struct Wire {
  Wire(const TlsContext& to, const TlsContext& from, const std::string& name) : client(from, name), server(to, "") {
    client.start(up);
  }

  /// Runs until both have nothing to send. Returns false if one failed.
  bool run(std::size_t piece = 1 << 20) {
    while (!up.empty() || !down.empty()) {
      if (!give(up, piece, server, said_to_server, down)) return false;
      if (!give(down, piece, client, said_to_client, up)) return false;
    }
    return true;
  }

  Tls client, server;
  Buffer up, down, said_to_server, said_to_client;

 private:
  static bool give(Buffer& wire, std::size_t piece, Tls& to, Buffer& said, Buffer& answer) {
    const Buffer all = std::exchange(wire, {});
    for (std::size_t at = 0; at < all.size(); at += piece)
      if (!to.feed(Bytes(all).subspan(at, std::min(piece, all.size() - at)), said, answer)) return false;
    return true;
  }
};

struct Contexts {
  Certificate certificate;
  std::shared_ptr<const TlsContext> server = *TlsContext::server(certificate.file(), certificate.file());
  std::shared_ptr<const TlsContext> trusting = *TlsContext::client(certificate.file(), true);
  std::shared_ptr<const TlsContext> wary = *TlsContext::client("", true);
  std::shared_ptr<const TlsContext> blind = *TlsContext::client("", false);
};

TEST_CASE("what one side writes the other reads, in any number of pieces") {
  const Contexts contexts;
  for (const std::size_t piece : {1u, 7u, 1000u, 1u << 20}) {
    Wire wire(*contexts.server, *contexts.trusting, "localhost");
    REQUIRE(wire.run(piece));
    CHECK(wire.client.open());
    CHECK(wire.server.open());
    Buffer much(100'000);
    for (std::size_t i = 0; i < much.size(); ++i) much[i] = static_cast<std::uint8_t>(i * 31);
    wire.client.write(much, wire.up);
    wire.server.write(as_bytes("hello"), wire.down);
    REQUIRE(wire.run(piece));
    CHECK((wire.said_to_server == much));
    CHECK(as_text(wire.said_to_client) == "hello");
    wire.client.finish(wire.up);
    CHECK(wire.run(piece));
  }
}

TEST_CASE("a certificate must be trusted and be for the requested name or address") {
  const Contexts contexts;
  std::string what;
  const auto complaint = [&](const TlsContext& client, const std::string& name) -> std::string {
    Wire wire(*contexts.server, client, name);
    what.clear();
    if (wire.run()) return "";
    what = wire.client.what();
    return wire.client.why();
  };
  CHECK(complaint(*contexts.trusting, "localhost") == "");
  CHECK(complaint(*contexts.trusting, "127.0.0.1") == "");
  CHECK(complaint(*contexts.blind, "elsewhere.example") == "");
  CHECK(complaint(*contexts.trusting, "elsewhere.example").find("hostname mismatch") != std::string::npos);
  CHECK(what == "the certificate is for another name");
  CHECK(complaint(*contexts.trusting, "127.0.0.2").find("IP address mismatch") != std::string::npos);
  CHECK(what == "the certificate is for another name");
  CHECK(complaint(*contexts.wary, "localhost").find("self-signed certificate") != std::string::npos);
  CHECK(what == "the certificate is not trusted");
}

TEST_CASE("an expired certificate, or one that is not valid yet, is reported as such") {
  for (const auto& [from, what] :
       {std::pair(-7200L, "the certificate has expired"), std::pair(3600L, "the certificate is not valid yet")}) {
    const Certificate old(from, 3600);
    const auto server = *TlsContext::server(old.file(), old.file());
    const auto trusting = *TlsContext::client(old.file(), true);
    Wire wire(*server, *trusting, "localhost");
    CHECK_FALSE(wire.run());
    CHECK(std::string(wire.client.what()) == what);
    for (Tls* end : {&wire.server}) {
      Buffer plain, answer;
      if (!end->feed(wire.up, plain, answer)) CHECK(std::string(end->what()) == "our certificate was refused");
    }
  }
}

/// The errors of a handshake that fails: first the server's, then the client's, which gets an alert.
void check_handshake_fails(const Contexts& contexts, const std::string& what) {
  Wire wire(*contexts.server, *contexts.blind, "localhost");
  REQUIRE_FALSE(wire.run());
  CHECK(std::string(wire.server.what()) == what);
  Buffer plain, answer;
  REQUIRE_FALSE(wire.client.feed(wire.down, plain, answer));
  CHECK(std::string(wire.client.what()) == what);
}

TEST_CASE("without a common TLS version or cipher, both sides report that") {
  const Contexts versions, ciphers;
  SSL_CTX_set_min_proto_version(versions.server->raw().get(), TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(versions.blind->raw().get(), TLS1_2_VERSION);
  check_handshake_fails(versions, "no version of TLS in common");

  SSL_CTX_set_max_proto_version(ciphers.blind->raw().get(), TLS1_2_VERSION);
  REQUIRE(SSL_CTX_set_cipher_list(ciphers.server->raw().get(), "ECDHE+AESGCM") == 1);
  REQUIRE(SSL_CTX_set_cipher_list(ciphers.blind->raw().get(), "ECDHE+CHACHA20") == 1);
  check_handshake_fails(ciphers, "no cipher of TLS in common");
}

TEST_CASE("connections that start after a renewal get the new certificate") {
  const Certificate old, fresh;
  const auto server = *TlsContext::server(old.file(), old.file());
  const auto trusts_old = *TlsContext::client(old.file(), true), trusts_fresh = *TlsContext::client(fresh.file(), true);
  Wire before(*server, *trusts_old, "localhost");
  server->renew(**TlsContext::server(fresh.file(), fresh.file()));
  CHECK(before.run());
  CHECK(Wire(*server, *trusts_fresh, "localhost").run());
  CHECK_FALSE(Wire(*server, *trusts_old, "localhost").run());
}

TEST_CASE("a peer that answers a handshake with other bytes does not speak TLS") {
  const Contexts contexts;
  for (const char* answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "BZFS0221\x03"}) {
    Tls client(*contexts.trusting, "localhost");
    Buffer hello, plain, wire;
    client.start(hello);
    CHECK_FALSE(client.feed(as_bytes(answer), plain, wire));
    CHECK(std::string(client.what()) == "not TLS");
  }
}

TEST_CASE("bytes that are not TLS fail for good, and the peer gets an alert") {
  const Contexts contexts;
  Tls server(*contexts.server, "");
  Buffer plain, wire;
  CHECK_FALSE(server.feed(as_bytes("GET / HTTP/1.1\r\n\r\n"), plain, wire));
  CHECK(server.why() == "http request");
  CHECK(std::string(server.what()) == "not TLS");
  CHECK_FALSE(server.feed(as_bytes("more"), plain, wire));
  CHECK(plain.empty());
}

/// OpenSSL's own client, for what ours does not do.
class RawClient {
 public:
  RawClient() : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), session_(SSL_new(context_.get()), SSL_free) {
    SSL_set_bio(session_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_connect_state(session_.get());
  }

  SSL* raw() { return session_.get(); }

  /// Goes on with the handshake, or reads. Returns what it wants to send.
  Buffer answer(Bytes heard) {
    BIO_write(SSL_get_rbio(raw()), heard.data(), static_cast<int>(heard.size()));
    std::uint8_t nothing = 0;
    SSL_do_handshake(raw()) == 1 ? SSL_read(raw(), &nothing, 1) : 0;
    return sent();
  }
  Buffer sent() {
    Buffer all(BIO_ctrl_pending(SSL_get_wbio(raw())));
    if (!all.empty()) BIO_read(SSL_get_wbio(raw()), all.data(), static_cast<int>(all.size()));
    return all;
  }

 private:
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
  std::unique_ptr<SSL, void (*)(SSL*)> session_;
};

TEST_CASE("a server keeps nothing with which a client could resume its session") {
  const Contexts contexts;
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    RawClient client;
    SSL_set_max_proto_version(client.raw(), version);
    Tls server(*contexts.server, "");
    Buffer plain, down;
    for (int i = 0; i < 4; ++i) {
      const Buffer up = client.answer(std::exchange(down, {}));
      if (!up.empty()) REQUIRE(server.feed(up, plain, down));
    }
    REQUIRE(server.open());
    CHECK(SSL_SESSION_has_ticket(SSL_get_session(client.raw())) == 0);
    CHECK(SSL_SESSION_is_resumable(SSL_get_session(client.raw())) == 0);
    CHECK(SSL_CTX_sess_number(contexts.server->raw().get()) == 0);
  }
}

TEST_CASE("a peer is heard once it has sent anything; who finishes before the handshake is done says nothing") {
  const Contexts contexts;
  Tls server(*contexts.server, "");
  Buffer plain, down;
  CHECK_FALSE(server.heard());
  server.finish(down);
  CHECK(down.empty());
  CHECK(server.what() == nullptr);
  CHECK(server.feed({}, plain, down));
  CHECK_FALSE(server.heard());
  const Buffer first{22};
  CHECK(server.feed(first, plain, down));
  CHECK(server.heard());
}

TEST_CASE("changes of keys without end are refused") {
  const Contexts contexts;
  RawClient client;
  Tls server(*contexts.server, "");
  Buffer plain, down;
  for (int i = 0; i < 4 && !server.open(); ++i)
    REQUIRE(server.feed(client.answer(std::exchange(down, {})), plain, down));
  client.answer(std::exchange(down, {}));
  unsigned changes = 0;
  for (bool well = true; well && changes < 1'000; ++changes) {
    REQUIRE(SSL_key_update(client.raw(), SSL_KEY_UPDATE_REQUESTED) == 1);
    REQUIRE(SSL_do_handshake(client.raw()) == 1);
    well = server.feed(client.sent(), plain, down);
  }
  CHECK(changes == Tls::kMostLateMessages + 1);
  CHECK(std::string(server.what()) == "too many TLS handshake messages");
}

TEST_CASE("after a peer has ended TLS, it may read, and what it sends is refused") {
  const Contexts contexts;
  for (const bool client_ends : {true, false}) {
    CAPTURE(client_ends);
    Wire wire(*contexts.server, *contexts.trusting, "localhost");
    REQUIRE(wire.run());
    Tls &peer = client_ends ? wire.client : wire.server, &other = client_ends ? wire.server : wire.client;
    Buffer sent, plain, answer;
    peer.write(as_bytes("bye"), sent);
    peer.finish(sent);
    CHECK_FALSE(other.peer_has_finished());
    REQUIRE(other.feed(sent, plain, answer));
    CHECK(as_text(plain) == "bye");
    CHECK(other.peer_has_finished());
    REQUIRE(other.go_on(plain, answer));
    other.write(as_bytes("see you"), answer);
    plain.clear();
    REQUIRE(peer.feed(answer, plain, sent));
    CHECK(as_text(plain) == "see you");
    for (int i = 0; i < 3; ++i) CHECK_FALSE(other.feed(Buffer(1U << 20U), plain, answer));
    CHECK(std::string(other.what()) == "data after the end of TLS");
  }
}

TEST_CASE("what comes together with the end of TLS, but after it, is refused") {
  const Contexts contexts;
  Wire wire(*contexts.server, *contexts.trusting, "localhost");
  REQUIRE(wire.run());
  Buffer sent, plain, answer;
  wire.client.write(as_bytes("bye"), sent);
  wire.client.finish(sent);
  sent.push_back(0);
  CHECK_FALSE(wire.server.feed(sent, plain, answer));
  CHECK(as_text(plain) == "bye");
  CHECK(std::string(wire.server.what()) == "data after the end of TLS");
}

TEST_CASE("a greeting that never ends is refused before it takes much memory") {
  const Contexts contexts;
  Tls server(*contexts.server, "");
  const Buffer head{1, 1, 0, 0};  // a ClientHello of 64 KiB
  Buffer plain, down;
  std::size_t sent = 0;
  for (bool well = true; well && sent < 100'000;) {
    Buffer record{22, 3, 1, 0x10, 0};  // of 4 KiB
    append(record, sent == 0 ? head : Buffer(head.size()));
    record.resize(5 + 0x1000);
    well = server.feed(record, plain, down);
    sent += record.size();
  }
  CHECK(sent <= Tls::kLargestHandshake + 0x1005);
  CHECK(std::string(server.what()) == "oversize TLS handshake");
}

TEST_CASE("a server uses its key when its gate allows it, and asks until then") {
  struct Gate final : Tls::Gate {
    bool may_use_key() override { return ++asked, allows; }
    int asked = 0;
    bool allows = false;
  };
  const Contexts contexts;
  Gate gate;
  Tls client(*contexts.trusting, "localhost"), server(*contexts.server, "");
  server.set_gate(gate);
  Buffer hello, plain, down, up;
  client.start(hello);
  REQUIRE(server.feed(hello, plain, down));
  REQUIRE(server.go_on(plain, down));
  CHECK(gate.asked == 2);
  CHECK(down.empty());
  gate.allows = true;
  REQUIRE(server.go_on(plain, down));
  CHECK_FALSE(down.empty());
  REQUIRE(client.feed(std::exchange(down, {}), plain, up));
  REQUIRE(server.feed(up, plain, down));
  CHECK(server.open());
  CHECK(gate.asked == 3);
}

/// The names that clients of a server ask for.
struct Wanted {
  explicit Wanted(const TlsContext& server) {
    SSL_CTX_set_tlsext_servername_callback(server.raw().get(), &Wanted::asked);
    SSL_CTX_set_tlsext_servername_arg(server.raw().get(), this);
  }
  static int asked(SSL* session, int*, void* self) {
    const char* const name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    static_cast<Wanted*>(self)->names.emplace_back(name != nullptr ? name : "");
    return SSL_TLSEXT_ERR_OK;
  }
  std::vector<std::string> names;
};

TEST_CASE("a client tells the server which name it wants, but no IP address (RFC 6066, 3)") {
  const Contexts contexts;
  Wanted wanted(*contexts.server);
  for (const char* peer : {"localhost", "127.0.0.1", "::1", "game.example"})
    Wire(*contexts.server, *contexts.blind, peer).run();
  CHECK(wanted.names == std::vector<std::string>{"localhost", "", "", "game.example"});
}

TEST_CASE("both sides agree on HTTP/1.1, whatever else a client offers") {
  const Contexts contexts;
  const auto agreed = [&](const std::string& offer) {
    RawClient client;
    SSL_set_alpn_protos(client.raw(), reinterpret_cast<const unsigned char*>(offer.data()),
                        static_cast<unsigned>(offer.size()));
    Tls server(*contexts.server, "");
    Buffer plain, down;
    for (int i = 0; i < 4 && !server.open(); ++i)
      REQUIRE(server.feed(client.answer(std::exchange(down, {})), plain, down));
    client.answer(down);
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(client.raw(), &name, &size);
    return size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(name), size);
  };
  CHECK(agreed("\x02h2\x08http/1.1") == "http/1.1");
  CHECK(agreed("\x02h2").empty());  // it is served nevertheless
  std::string offered;
  SSL_CTX_set_alpn_select_cb(
      contexts.server->raw().get(),
      [](SSL*, const unsigned char**, unsigned char*, const unsigned char* offer, unsigned size, void* to) {
        static_cast<std::string*>(to)->assign(reinterpret_cast<const char*>(offer), size);
        return SSL_TLSEXT_ERR_NOACK;
      },
      &offered);
  Wire(*contexts.server, *contexts.blind, "localhost").run();
  CHECK(offered == "\x08http/1.1");
}

TEST_CASE("it is known when a server's certificate, or the authorities of a client, expire") {
  const std::int64_t now = std::time(nullptr);
  const Certificate certificate(-7200, 3600 + 7200);
  const auto is_then = [&](const TlsContext& context) {
    const auto end = context.expires();
    return end && *end >= now + 3600 && *end <= std::time(nullptr) + 3600;
  };
  CHECK(is_then(**TlsContext::server(certificate.file(), certificate.file())));
  CHECK(is_then(**TlsContext::client(certificate.file(), true)));
  CHECK_FALSE((*TlsContext::client(certificate.file(), false))->expires());  // which accepts any
  CHECK_FALSE((*TlsContext::client("", true))->expires());                   // the system's

  // A client trusts the authority that lasts longest; a server's chain ends with its first one.
  const Certificate shorter(-7200, 1800 + 7200);
  const std::string both = certificate.file() + ".both";
  std::ofstream(both) << std::ifstream(certificate.file()).rdbuf() << std::ifstream(shorter.file()).rdbuf();
  CHECK(is_then(**TlsContext::client(both, true)));
  const auto first = (*TlsContext::server(both, certificate.file()))->expires();
  REQUIRE(first);
  CHECK(*first < now + 3600);
  // Wherever in the chain that one is.
  std::ofstream(both) << std::ifstream(shorter.file()).rdbuf() << std::ifstream(certificate.file()).rdbuf();
  const auto own = (*TlsContext::server(both, shorter.file()))->expires();
  REQUIRE(own);
  CHECK(*own == *first);
  CHECK(is_then(**TlsContext::client(both, true)));
  std::filesystem::remove(both);
}

TEST_CASE("after a failure, nothing is written any more") {
  const Contexts contexts;
  Wire wire(*contexts.server, *contexts.trusting, "localhost");
  REQUIRE(wire.run());
  CHECK(wire.server.what() == nullptr);
  Buffer plain, answer;
  CHECK_FALSE(wire.server.feed(Buffer(100, 1), plain, answer));
  REQUIRE(wire.server.what() != nullptr);
  answer.clear();
  wire.server.write(as_bytes("more"), answer);
  wire.server.finish(answer);
  CHECK(answer.empty());
  CHECK(plain.empty());
}

TEST_CASE("missing or invalid files are errors that name them") {
  const Certificate certificate;
  const auto missing = TlsContext::server("/nowhere/cert.pem", certificate.file());
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().text.find("/nowhere/cert.pem") != std::string::npos);
  const Certificate other;
  CHECK_FALSE(TlsContext::server(certificate.file(), other.file()).ok());
  CHECK_FALSE(TlsContext::client("/nowhere/ca.pem", true).ok());
}

}  // namespace
}  // namespace entente::net::tls_test
