// Blocking WebSocket peers, which send and read whole messages. They use our own framing, which
// tests/net/websocket_test.cc compares with RFC 6455.
#pragma once

#include <deque>

#include "adapters/ogar/ogar.h"
#include "proxy/net/web/http.h"
#include "proxy/net/web/websocket.h"
#include "proxy/net/web/websocket_handshake.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/running.h"
#include "tests/support/hex.h"

namespace entente::testing {

/// One end of a WebSocket. The test makes the handshake.
class WebPeer : private net::WebSocket::User {
 public:
  WebPeer(net::WebSocket::Role role, Stream stream) : stream_(std::move(stream)), socket_(role, 1 << 20, *this) {}
  WebPeer(WebPeer&&) = delete;

  /// Reads a head. The bytes after it are kept for next().
  net::HttpHead read_head(net::HttpReader::Of of) {
    net::HttpReader reader(of);
    while (!reader.complete()) {
      const Buffer some = stream_.read_some();
      REQUIRE_FALSE(some.empty());
      const auto taken = reader.feed(some);
      REQUIRE(taken.ok());
      early_.assign(some.begin() + static_cast<std::ptrdiff_t>(*taken), some.end());
    }
    return reader.head();
  }
  void send_raw(Bytes bytes) const { stream_.send(bytes); }
  void send_raw(std::string_view text) const { stream_.send(text); }

  void send(net::Opcode opcode, Bytes payload) {
    Buffer wire;
    socket_.write(opcode, payload, wire);
    stream_.send(wire);
  }
  void send(std::string_view hex) { send(net::Opcode::kBinary, from_hex(hex)); }
  void send(const net::CloseFrame& close_frame) {
    Buffer wire;
    socket_.write(close_frame, wire);
    stream_.send(wire);
  }

  /// What the peer sends next: "b:0102", "t:…", "ping:…", "pong:…", "close:1000 reason", or "end".
  std::string next() {
    if (!early_.empty()) CHECK_FALSE(socket_.feed(std::exchange(early_, {})));
    while (said_.empty()) {
      const Buffer some = stream_.read_some();
      if (some.empty()) return "end";
      const auto wrong = socket_.feed(some);
      if (wrong) return wrong->what;
    }
    std::string first = said_.front();
    said_.pop_front();
    return first;
  }
  /// The same, without messages: a game's last words come before the close frame.
  std::string next_but_messages() {
    std::string what = next();
    while (what.starts_with("b:") || what.starts_with("t:")) what = next();
    return what;
  }
  /// More of what follows a head that is not an upgrade; empty: the stream has ended.
  std::string rest() {
    const Buffer some = early_.empty() ? stream_.read_some() : std::exchange(early_, {});
    return std::string(as_text(some));
  }
  const Stream& stream() const { return stream_; }
  Stream& stream() { return stream_; }

 private:
  void message(net::Opcode opcode, Bytes payload) override {
    const char* const names[] = {"", "t", "b", "", "", "", "", "", "", "ping", "pong"};
    said_.push_back(std::string(names[static_cast<std::size_t>(opcode)]) + ":" + to_hex(payload));
  }
  void close_frame(const net::CloseFrame& close_frame) override {
    said_.push_back("close:" + std::to_string(close_frame.code) + " " + close_frame.reason);
  }

  Stream stream_;
  net::WebSocket socket_;
  Buffer early_;
  std::deque<std::string> said_;
};

class WebClient : public WebPeer {
 public:
  explicit WebClient(const net::Address& to, const std::string& target = "/", std::vector<net::HttpHeader> headers = {},
                     int receive_buffer = 0)
      : WebPeer(net::WebSocket::Role::kClient, Stream::to(to, nullptr, receive_buffer)), key_(net::make_upgrade_key()) {
    Buffer request;
    net::write_upgrade_request({"relay.example", target, key_, std::move(headers)}, request);
    send_raw(request);
  }
  /// Reads the answer's head, and checks that it accepts the upgrade.
  net::HttpHead upgrade() {
    net::HttpHead head = answer();
    CHECK(net::objection_to_upgrade(head, key_) == nullptr);
    return head;
  }
  net::HttpHead answer() { return read_head(net::HttpReader::Of::kResponse); }

 private:
  std::string key_;
};

class WebServer : public WebPeer {
 public:
  /// Accepts a connection and reads its request.
  explicit WebServer(const FakeServer& fake) : WebPeer(net::WebSocket::Role::kServer, fake.accept()) {
    request = read_head(net::HttpReader::Of::kRequest);
  }
  void upgrade(const std::string* subprotocol = nullptr) {
    Buffer answer;
    net::write_upgrade_answer(request, subprotocol, answer);
    send_raw(answer);
  }
  net::HttpHead request;
};

/// A client and a server that have made the handshake through the relay.
struct WebPair {
  WebPair(const Running& running, const FakeServer& fake) : client(running.address), server(fake) {
    server.upgrade();
    client.upgrade();
  }
  WebClient client;
  WebServer server;
};

/// Relays of Ogar on one listener, distinguished by path. The test must run `server`.
struct PathRoutes {
  /// Returns the route's number.
  std::size_t add(const char* path, const FakeServer& to) {
    options.web.path = path;
    options.servers[0].port = to.port();
    const auto added = server.add(options);
    REQUIRE(added.ok());
    options.listen = added->address;  // the next routes use the same port
    return added->route;
  }

  Heard heard;
  relay::ProxyServer server{2, heard};
  relay::RouteOptions options = [] {
    relay::RouteOptions made;
    made.game = &ogar::game();
    made.listen = loopback();
    made.servers[0].host = "127.0.0.1";
    made.limits = no_limits();
    return made;
  }();
};

/// A loop that the test runs, with WebSocket peers.
struct WebTurning : Turning {
  using Turning::Turning;
  /// What this peer is sent next.
  std::string next(WebPeer& peer) {
    until([&] { return peer.stream().readable(0); });
    return peer.next();
  }
  /// Whether something has come to this peer.
  bool has_more(const WebPeer& peer) {
    settle();
    return peer.stream().readable(0);
  }
};

}  // namespace entente::testing
