// Documents and large messages for slow readers: they are kept once, however many wait for them, with and without TLS.
// The end of TLS, and what counts besides messages.
#include "proxy/net/web/web_link.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/net/socket.h"
#include "tests/support/certificate.h"
#include "tests/support/connection.h"

namespace entente::net::web_link_test {
namespace {

/// A pair of connected sockets that do not block.
std::pair<Fd, Fd> connection() {
  auto listening = listen(*Address::parse("127.0.0.1:0"), false);
  Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  constexpr int kLittle = 4096;
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVBUF, &kLittle, sizeof kLittle);
  REQUIRE(::connect(client.get(), listening->address.raw(), listening->address.size()) == 0);
  Fd server(::accept4(listening->tcp.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  return {std::move(client), std::move(server)};
}

/// Serves one connection. Its client reads only when the test says so.
struct Reader final : WebUser {
  Reader(Loop& loop, const TlsContext* tls, const TlsContext* client_tls,
         std::function<void(WebLink&, const HttpHead&)> on)
      : link(loop, WebSocket::Role::kServer, 1024, *this), answer(std::move(on)) {
    auto [client, server] = connection();
    socket = std::move(client);
    if (client_tls != nullptr) session.emplace(*client_tls, "localhost");
    REQUIRE(link.adopt(std::move(server), tls, *Address::parse("127.0.0.1:1")));
    link.set_reading(true);
    if (!session) return;
    Buffer hello;
    session->start(hello);
    send(hello);
  }
  void asked(WebLink& its, const HttpHead& request) override { answer(its, request); }
  void received(WebLink&, Opcode, Bytes payload) override {
    log += 'm';
    messages += std::string(as_text(payload)) + ' ';
    on_message();
  }
  void go_on(WebLink&) override { on_go_on(); }
  void received_overhead(WebLink&, std::size_t bytes) override { overhead += bytes; }
  void close_frame(WebLink&, const CloseFrame&) override {}
  void protocol_error(WebLink&, const Fault& what, const std::string&) override {
    log += 'f';
    fault = what.what;
  }
  void wrote(WebLink&) override { ++writes; }
  void ended(WebLink&) override { log += 'e'; }
  void broken(WebLink&, int) override {}

  void send(Bytes bytes) const {
    REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  void say(std::string_view text) {
    if (!session) return send(as_bytes(text));
    Buffer wire;
    session->write(as_bytes(text), wire);
    send(wire);
  }
  void read() {
    std::uint8_t room[16 * 1024];
    const ssize_t size = ::recv(socket.get(), room, sizeof room, MSG_DONTWAIT);
    if (size <= 0) return void(over = size == 0);
    const Bytes bytes(room, static_cast<std::size_t>(size));
    Buffer answer_to_it;
    session ? void(session->feed(bytes, heard, answer_to_it)) : append(heard, bytes);
    if (!answer_to_it.empty()) send(answer_to_it);
  }

  WebLink link;
  std::function<void(WebLink&, const HttpHead&)> answer;
  Fd socket;
  std::optional<Tls> session;
  Buffer heard;
  std::string fault, messages;
  std::function<void()> on_message = [] {}, on_go_on = [] {};
  bool over = false;
  std::string log;  // m: message, e: end, f: protocol error; of some tests, a: asked
  std::size_t overhead = 0;
  int writes = 0;
};

/// Waits until TLS is set up. Without TLS, it returns at once.
void shake_hands(Loop& loop, Reader& reader) {
  while (reader.session && !reader.session->open()) {
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    reader.read();
  }
}

/// Runs the loop until this is true. False: it is not, after a long time.
bool becomes(Loop& loop, const std::function<bool()>& it) {
  for (const Millis until = steady_now() + 20'000; !it() && steady_now() < until;) uv_run(loop.raw(), UV_RUN_NOWAIT);
  return it();
}

constexpr std::string_view kUpgrade =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

constexpr std::size_t kReaders = 20, kSize = 3U << 20U;

/// Many readers of the same bytes; returns what each of them gets after the head of the answer.
void check_shared(bool tls, const std::function<void(WebLink&, const HttpHead&)>& answer, const std::string& ask,
                  const std::shared_ptr<const std::string>& text) {
  Certificate certificate;
  const auto ours = *TlsContext::server(certificate.file(), certificate.file());
  const auto theirs = *TlsContext::client(certificate.file(), true);
  Loop loop;
  std::vector<std::unique_ptr<Reader>> readers;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < kReaders; ++i)
    readers.push_back(std::make_unique<Reader>(loop, tls ? ours.get() : nullptr, tls ? theirs.get() : nullptr,
                                               [&](WebLink& link, const HttpHead& request) {
                                                 ++asked;
                                                 answer(link, request);
                                               }));
  for (bool said = false; asked < kReaders;) {
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    bool shaken = true;
    for (auto& one : readers) {
      if (tls && !one->session->open()) one->read();
      shaken = shaken && (!tls || one->session->open());
    }
    if (!shaken || std::exchange(said, true)) continue;
    for (auto& one : readers) one->say(ask);
  }
  for (int i = 0; i < 10; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  std::size_t weight = 0;
  for (const auto& one : readers) {
    CHECK(one->link.waiting() > kSize / 4);
    weight += one->link.weight();
  }
  CHECK(weight < kReaders * 300 * 1024);  // not kReaders * kSize
  CHECK(text.use_count() > static_cast<long>(kReaders));
  for (auto& one : readers) {
    while (one->heard.size() < kSize || !as_text(one->heard).ends_with(*text)) {
      REQUIRE_FALSE(one->over);
      one->read();
      uv_run(loop.raw(), UV_RUN_NOWAIT);
    }
    CHECK(one->link.waiting() == 0);
    one->link.hang_up();
  }
  CHECK(text.use_count() < 4);
  readers.clear();
  loop.run();
}

std::shared_ptr<const std::string> large_text() {
  std::string text(kSize, '.');
  for (std::size_t i = 0; i < text.size(); i += 97) text[i] = static_cast<char>('a' + i % 26);
  return std::make_shared<const std::string>(std::move(text));
}

TEST_CASE("requests that come together are all answered, in order") {
  Loop loop;
  std::string paths;
  Reader reader(loop, nullptr, nullptr, [&](WebLink& link, const HttpHead& request) {
    paths += request.target + ' ';
    link.serve(HttpReply{200, {}, std::make_shared<const std::string>(request.target)}, /*keep=*/true);
  });
  reader.say("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 20; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(paths == "/1 /2 /3 ");
  reader.read();
  CHECK(as_text(reader.heard).ends_with("/3"));
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("a link that takes over a connection is asked what the first one was asked, and answers") {
  Loop loop;
  std::optional<std::pair<Fd, HeardRequest>> passed;
  Reader reader(loop, nullptr, nullptr, [&](WebLink& link, const HttpHead& request) {
    if (!passed) return void(passed = link.release());
    link.serve(HttpReply{200, {}, std::make_shared<const std::string>("it is " + request.target)}, /*keep=*/true);
  });
  reader.say("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int i = 0; i < 20 && !passed; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  REQUIRE(passed);
  WebLink next(loop, WebSocket::Role::kServer, 1024, reader);
  REQUIRE(next.adopt(std::move(passed->first), std::move(passed->second), *Address::parse("127.0.0.1:1")));
  next.set_reading(true);
  for (int i = 0; i < 20; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
  reader.read();
  CHECK(as_text(reader.heard).ends_with("it is /1"));
  next.hang_up();
  loop.run();
}

TEST_CASE("a link that takes over a connection, and is shut down or declines before it is read, is not asked") {
  for (const bool declines : {false, true}) {
    CAPTURE(declines);
    Loop loop;
    std::optional<std::pair<Fd, HeardRequest>> passed;
    int asked = 0;
    Reader reader(loop, nullptr, nullptr, [&](WebLink& link, const HttpHead&) {
      if (++asked == 1) passed = link.release();
    });
    reader.say("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n");
    for (int i = 0; i < 20 && !passed; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
    REQUIRE(passed);
    WebLink next(loop, WebSocket::Role::kServer, 1024, reader);
    REQUIRE(next.adopt(std::move(passed->first), std::move(passed->second), *Address::parse("127.0.0.1:1")));
    declines ? next.decline(503, "full") : next.shut_down();
    next.set_reading(true);
    for (int i = 0; i < 20; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
    CHECK(asked == 1);
    reader.read();
    CHECK(as_text(reader.heard).starts_with(declines ? "HTTP/1.1 503" : ""));
    next.hang_up();
    loop.run();
  }
}

TEST_CASE("a document that many read slowly is kept once") {
  const auto text = large_text();
  const auto answer = [&](WebLink& link, const HttpHead&) {
    link.serve(HttpReply{200, {{"Content-Type", "text/plain"}}, text}, /*keep=*/true);
  };
  for (const bool tls : {false, true}) {
    CAPTURE(tls);
    check_shared(tls, answer, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", text);
  }
}

TEST_CASE("a large message that many read slowly is kept once") {
  const auto text = large_text();
  const auto answer = [&](WebLink& link, const HttpHead& request) {
    link.answer(request, nullptr);
    link.send_shared(Opcode::kBinary, {as_bytes(*text), text});
    link.flush();
  };
  for (const bool tls : {false, true}) {
    CAPTURE(tls);
    check_shared(tls, answer,
                 "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                 text);
  }
}

TEST_CASE("who reads the last document slowly gets all of it, and then the end") {
  const auto text = large_text();
  const Certificate certificate;
  const auto ours = *TlsContext::server(certificate.file(), certificate.file());
  const auto theirs = *TlsContext::client(certificate.file(), true);
  for (const bool tls : {false, true}) {
    CAPTURE(tls);
    Loop loop;
    Reader reader(loop, tls ? ours.get() : nullptr, tls ? theirs.get() : nullptr, [&](WebLink& link, const HttpHead&) {
      link.serve(HttpReply{200, {}, text}, /*keep=*/false);
    });
    const Millis until = steady_now() + 30'000;
    bool said = false;
    while (!reader.over && steady_now() < until) {
      if (!said && (!tls || reader.session->open())) {
        reader.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        said = true;
      }
      uv_run(loop.raw(), UV_RUN_NOWAIT);
      reader.read();
    }
    CHECK(reader.over);
    CHECK(as_text(reader.heard).ends_with(*text));
    CHECK(reader.writes > 0);
    if (tls) CHECK(reader.session->peer_has_finished());
    reader.link.hang_up();
    loop.run();
  }
}

TEST_CASE("a client that is declined is told why, with and without TLS") {
  const Certificate certificate;
  const auto ours = *TlsContext::server(certificate.file(), certificate.file());
  const auto theirs = *TlsContext::client(certificate.file(), true);
  for (const bool tls : {false, true}) {
    CAPTURE(tls);
    Loop loop;
    Reader reader(loop, tls ? ours.get() : nullptr, tls ? theirs.get() : nullptr,
                  [](WebLink& link, const HttpHead&) { link.decline(503, "it is full"); });
    shake_hands(loop, reader);
    reader.say(kUpgrade);
    for (const Millis until = steady_now() + 30'000; !reader.over && steady_now() < until;) {
      uv_run(loop.raw(), UV_RUN_NOWAIT);
      reader.read();
    }
    CHECK(as_text(reader.heard).starts_with("HTTP/1.1 503 "));
    CHECK(as_text(reader.heard).find("it is full") != std::string_view::npos);
    reader.link.hang_up();
    loop.run();
  }
}

TEST_CASE("a link that is reset keeps nothing that waits, and its client gets an error instead of the end") {
  const Certificate certificate;
  const auto ours = *TlsContext::server(certificate.file(), certificate.file());
  const auto theirs = *TlsContext::client(certificate.file(), true);
  const auto text = large_text();
  Loop loop;
  Reader reader(loop, ours.get(), theirs.get(), [&](WebLink& link, const HttpHead&) {
    link.serve(HttpReply{200, {}, text}, /*keep=*/true);
  });
  shake_hands(loop, reader);
  reader.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (reader.link.waiting() < kSize / 4) uv_run(loop.raw(), UV_RUN_NOWAIT);
  reader.link.reset();
  CHECK_FALSE(reader.link.is_open());
  CHECK(reader.link.waiting() == 0);
  CHECK(text.use_count() == 1);
  int error = 0;
  testing::read_all(reader.socket, &error);
  CHECK(error == ECONNRESET);
  loop.run();
}

TEST_CASE(
    "messages arrive whole, whether they are copied or shared, with and without TLS; after the end, none is sent") {
  struct Ear final : WebSocket::User {
    void message(Opcode, Bytes payload) override { messages.emplace_back(payload.begin(), payload.end()); }
    void close_frame(const CloseFrame&) override {}
    std::vector<Buffer> messages;
  };
  const Certificate certificate;
  const auto ours = *TlsContext::server(certificate.file(), certificate.file());
  const auto theirs = *TlsContext::client(certificate.file(), true);
  constexpr std::size_t kWorth = WaitingBytes::kWorthSharing;
  for (const bool tls : {false, true}) {
    CAPTURE(tls);
    Loop loop;
    std::vector<Buffer> expected;
    Reader reader(
        loop, tls ? ours.get() : nullptr, tls ? theirs.get() : nullptr, [&](WebLink& link, const HttpHead& request) {
          link.answer(request, nullptr);
          for (const std::size_t size : {std::size_t{1}, kWorth - 1, kWorth, kWorth + 1, std::size_t{300'000}})
            for (const bool is_kept : {true, false}) {
              const auto fill = static_cast<std::uint8_t>(expected.size());
              const auto bytes = std::make_shared<const Buffer>(size, fill);  // soon gone if nobody keeps it
              link.send_shared(Opcode::kBinary, {*bytes, is_kept ? bytes : nullptr});
              expected.push_back(*bytes);
            }
          link.flush();
        });
    shake_hands(loop, reader);
    reader.say(kUpgrade);
    Ear ear;
    WebSocket client(WebSocket::Role::kClient, 1U << 20U, ear);
    std::size_t taken = 0;
    CHECK(becomes(loop, [&] {
      reader.read();
      const std::size_t head = as_text(reader.heard).find("\r\n\r\n");
      if (taken == 0 && head != std::string_view::npos) taken = head + 4;
      if (taken == 0) return false;
      CHECK_FALSE(client.feed(Bytes(reader.heard).subspan(std::exchange(taken, reader.heard.size()))));
      return ear.messages.size() >= expected.size();
    }));
    CHECK((ear.messages == expected));
    reader.link.shut_down();
    const std::size_t waits = reader.link.waiting();
    const auto text = large_text();
    reader.link.send_shared(Opcode::kBinary, {as_bytes(*text), text});
    CHECK(reader.link.waiting() == waits);
    reader.link.hang_up();
    loop.run();
  }
}

TEST_CASE("a request with too many headers is answered so") {
  Loop loop;
  Reader reader(loop, nullptr, nullptr, [](WebLink&, const HttpHead&) {});
  std::string request = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= HttpReader::kMostHeaders; ++i) request += "X: y\r\n";
  reader.say(request + "\r\n");
  CHECK(becomes(loop, [&] { return reader.read(), !reader.heard.empty(); }));
  CHECK(as_text(reader.heard).starts_with("HTTP/1.1 431 "));
  CHECK(reader.fault == "too many headers");
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("a client whose TLS fails while bytes wait for it gets the end") {
  const Certificate certificate;
  const auto ours = *TlsContext::server(certificate.file(), certificate.file());
  const auto theirs = *TlsContext::client(certificate.file(), true);
  const auto text = large_text();
  Loop loop;
  Reader reader(loop, ours.get(), theirs.get(), [&](WebLink& link, const HttpHead& request) {
    link.answer(request, nullptr);
    link.send_shared(Opcode::kBinary, {as_bytes(*text), text});
    link.flush();
  });
  shake_hands(loop, reader);
  reader.say(kUpgrade);
  while (reader.link.waiting() < kSize / 4) uv_run(loop.raw(), UV_RUN_NOWAIT);
  reader.send(Buffer(100, 1));
  while (reader.fault.empty()) uv_run(loop.raw(), UV_RUN_NOWAIT);
  CHECK(reader.fault == "TLS failed");
  reader.link.shut_down();
  for (const Millis until = steady_now() + 30'000; !reader.over && steady_now() < until;) {
    uv_run(loop.raw(), UV_RUN_NOWAIT);
    reader.read();
  }
  CHECK(reader.over);
  CHECK(reader.link.waiting() == 0);
  reader.link.hang_up();
  loop.run();
}

/// The frames of a client with these messages.
std::string frames(std::initializer_list<std::string_view> texts) {
  struct Nobody final : WebSocket::User {
    void message(Opcode, Bytes) override {}
    void close_frame(const CloseFrame&) override {}
  } nobody;
  WebSocket client(WebSocket::Role::kClient, 1024, nobody);
  Buffer out;
  for (const std::string_view text : texts) client.write(Opcode::kText, as_bytes(text), out);
  return std::string(as_text(out));
}

void turns(Loop& loop) {
  for (int i = 0; i < 20; ++i) uv_run(loop.raw(), UV_RUN_NOWAIT);
}

TEST_CASE("messages that came together wait while the link is not read") {
  Loop loop;
  Reader reader(loop, nullptr, nullptr, [](WebLink& link, const HttpHead& request) { link.answer(request, nullptr); });
  reader.say(kUpgrade);
  REQUIRE(becomes(loop, [&] { return reader.link.upgraded(); }));
  reader.on_message = [&] { reader.link.set_reading(false); };
  reader.say(frames({"1", "2", "3"}));
  for (const char* told : {"1 ", "1 2 ", "1 2 3 "}) {
    CHECK(becomes(loop, [&] { return reader.messages.size() >= std::string_view(told).size(); }));
    turns(loop);
    CHECK(reader.messages == told);
    reader.link.set_reading(true);
  }
  turns(loop);
  CHECK(reader.messages == "1 2 3 ");
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("messages that came with the request are told after the answer, in order, and before later ones") {
  Loop loop;
  Reader reader(loop, nullptr, nullptr, [](WebLink& link, const HttpHead& request) { link.answer(request, nullptr); });
  reader.say(std::string(kUpgrade) + frames({"1", "2"}));
  REQUIRE(becomes(loop, [&] { return reader.link.upgraded(); }));
  CHECK(reader.messages.empty());
  reader.link.hear_early();
  reader.say(frames({"3"}));
  CHECK(becomes(loop, [&] { return reader.messages == "1 2 3 "; }));
  reader.link.hear_early();  // there are no more
  CHECK(reader.messages == "1 2 3 ");
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("messages that come between the request and its answer are told after the answer, in order") {
  Loop loop;
  bool asked = false;
  Reader reader(loop, nullptr, nullptr, [&](WebLink&, const HttpHead&) { asked = true; });
  reader.say(std::string(kUpgrade) + frames({"1"}));
  REQUIRE(becomes(loop, [&] { return asked; }));
  const std::string two = frames({"2"});
  for (const std::string& part : {two.substr(0, 3), two.substr(3), frames({"3"})}) {
    reader.say(part);
    turns(loop);
  }
  CHECK(reader.messages.empty());
  reader.link.answer(reader.link.request(), nullptr);
  CHECK(reader.messages.empty());
  reader.link.hear_early();
  CHECK(becomes(loop, [&] { return reader.messages == "1 2 3 "; }));
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("a user that asks to be called again hears no further message before it is done with this one") {
  for (const bool at_once : {false, true}) {
    CAPTURE(at_once);  // whether the next messages were read with the first one
    Loop loop;
    Reader reader(loop, nullptr, nullptr,
                  [](WebLink& link, const HttpHead& request) { link.answer(request, nullptr); });
    reader.say(kUpgrade);
    REQUIRE(becomes(loop, [&] { return reader.link.upgraded(); }));
    int left = 2;
    std::string order;
    reader.on_message = [&] {
      order += 'm';
      if (left == 2) reader.link.call_again();
    };
    reader.on_go_on = [&] {
      order += left > 1 ? 'a' : 'b';
      if (--left > 0) reader.link.call_again();
    };
    reader.say(at_once ? frames({"1", "2"}) : frames({"1"}));
    if (!at_once) reader.say(frames({"2"}));
    CHECK(becomes(loop, [&] { return reader.messages == "1 2 "; }));
    CHECK(order == "mabm");
    turns(loop);
    CHECK(order == "mabm");
    reader.link.hang_up();
    loop.run();
  }
}

TEST_CASE("a user that is called again and stops reading hears no further message before it reads again") {
  Loop loop;
  Reader reader(loop, nullptr, nullptr, [](WebLink& link, const HttpHead& request) { link.answer(request, nullptr); });
  reader.say(kUpgrade);
  REQUIRE(becomes(loop, [&] { return reader.link.upgraded(); }));
  bool called = false;
  reader.on_message = [&] {
    if (!called) reader.link.call_again();
  };
  reader.on_go_on = [&] {
    called = true;
    reader.link.set_reading(false);
  };
  reader.say(frames({"1", "2", "3"}));
  CHECK(becomes(loop, [&] { return called; }));
  turns(loop);
  CHECK(reader.messages == "1 ");
  reader.link.set_reading(true);
  CHECK(becomes(loop, [&] { return reader.messages == "1 2 3 "; }));
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("a user that is called again and hangs up hears nothing more") {
  Loop loop;
  Reader reader(loop, nullptr, nullptr, [](WebLink& link, const HttpHead& request) { link.answer(request, nullptr); });
  reader.say(kUpgrade);
  REQUIRE(becomes(loop, [&] { return reader.link.upgraded(); }));
  reader.on_message = [&] { reader.link.call_again(); };
  reader.on_go_on = [&] { reader.link.hang_up(); };
  reader.say(frames({"1", "2"}));
  CHECK(becomes(loop, [&] { return !reader.link.is_open(); }));
  turns(loop);
  CHECK(reader.messages == "1 ");
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("a link knows whether its client has sent a part of a request, also of the next one") {
  Loop loop;
  Reader reader(loop, nullptr, nullptr, [](WebLink& link, const HttpHead&) {
    link.serve(HttpReply{200, {}, std::make_shared<const std::string>("it")}, /*keep=*/true);
  });
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(reader.link.has_part_of_request());
    reader.say("GET / HT");
    CHECK(becomes(loop, [&] { return reader.link.has_part_of_request(); }));
    reader.say("TP/1.1\r\nHost: a\r\n\r\n");
    CHECK(becomes(loop, [&] { return !reader.link.has_part_of_request(); }));
  }
  reader.link.hang_up();
  loop.run();
}

TEST_CASE("a client that speaks no HTTP, or sends too large a head, gets an answer that says so, and the end") {
  for (const bool large : {false, true}) {
    CAPTURE(large);
    Loop loop;
    Reader reader(loop, nullptr, nullptr, [](WebLink&, const HttpHead&) { FAIL("there is no request"); });
    reader.say(large ? "GET / HTTP/1.1\r\nA: " + std::string(20'000, 'a') : std::string("BZFLAG\r\n\r\n"));
    CHECK(becomes(loop, [&] { return !reader.fault.empty(); }));
    CHECK(reader.fault == (large ? "head too large" : "not HTTP/1.1"));
    reader.link.shut_down();
    CHECK(becomes(loop, [&] { return reader.read(), reader.over; }));
    CHECK(as_text(reader.heard).starts_with(large ? "HTTP/1.1 431 " : "HTTP/1.1 400 "));
    CHECK(as_text(reader.heard).ends_with(reader.fault));
    reader.link.hang_up();
    loop.run();
  }
}

/// Sends without waiting until the link is closed. Returns how many bytes the kernel took; at most about `most`.
std::size_t send_on(Loop& loop, const Reader& client, std::size_t most) {
  const std::string more(16 * 1024, '\0');
  std::size_t sent = 0;
  while (client.link.is_open() && sent < most) {
    const ssize_t size = ::send(client.socket.get(), more.data(), more.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size > 0) sent += static_cast<std::size_t>(size);
    uv_run(loop.raw(), UV_RUN_NOWAIT);
  }
  return sent;
}

/// A link that accepts a WebSocket, and a client with a handshake of TLS.
struct Speaker {
  Speaker()
      : reader(loop, ours.get(), theirs.get(), [](WebLink& link, const HttpHead& request) {
          link.answer(request, nullptr);
          link.flush();
          link.hear_early();
        }) {
    while (!reader.session->open()) {
      turn();
      reader.read();
    }
  }
  ~Speaker() {
    reader.link.hang_up();
    loop.run();
  }
  void turn() { uv_run(loop.raw(), UV_RUN_NOWAIT); }
  void turn(std::string_view log) {
    const Millis until = steady_now() + 30'000;
    while (reader.log != log && steady_now() < until) turn();
    for (int i = 0; i < 3; ++i) turn();
    CHECK(reader.log == log);
  }

  Certificate certificate;
  std::shared_ptr<const TlsContext> ours = *TlsContext::server(certificate.file(), certificate.file());
  std::shared_ptr<const TlsContext> theirs = *TlsContext::client(certificate.file(), true);
  Loop loop;
  Reader reader;
};

TEST_CASE(
    "a peer that ends TLS has ended after all that it said, though its connection is open; what it sends is refused") {
  Speaker speaker;
  Reader& reader = speaker.reader;
  reader.on_message = [&] { reader.link.set_reading(false); };
  Buffer said, wire;
  append(said, as_bytes(kUpgrade));
  for (int i = 0; i < 3; ++i) append(said, Buffer{0x82, 0x81, 0, 0, 0, 0, 7});
  reader.session->write(said, wire);
  reader.session->finish(wire);
  reader.send(wire);
  for (const char* log : {"m", "mm", "mmm"}) {
    speaker.turn(log);
    reader.link.set_reading(true);
  }
  speaker.turn("mmme");
  CHECK(reader.link.is_open());
  constexpr std::size_t kMuch = 64U << 20U;  // more than sockets hold
  CHECK(send_on(speaker.loop, reader, kMuch) < kMuch);
  CHECK(reader.log == "mmmef");
}

TEST_CASE("the end of TLS that comes with a request is told once the link is read again, after the answer") {
  Speaker speaker;
  Reader& reader = speaker.reader;
  reader.answer = [&](WebLink& link, const HttpHead&) {
    reader.log += 'a';
    link.set_reading(false);
  };
  Buffer wire;
  reader.session->write(as_bytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), wire);
  reader.session->finish(wire);
  reader.send(wire);
  for (int i = 0; i < 3; ++i) speaker.turn("a");
  reader.link.serve(HttpReply{200, {}, std::make_shared<const std::string>("here")}, /*keep=*/true);
  speaker.turn("a");
  reader.link.set_reading(true);
  speaker.turn("ae");
}

TEST_CASE("the end of TLS and then the end of the stream are one end") {
  Speaker speaker;
  Buffer wire;
  speaker.reader.session->finish(wire);
  speaker.reader.send(wire);
  ::shutdown(speaker.reader.socket.get(), SHUT_WR);
  speaker.turn("e");
}

TEST_CASE("heads of frames and what TLS adds are told") {
  constexpr std::size_t kMessages = 300, kFragments = 20, kRecords = 10;
  Speaker speaker;
  Reader& reader = speaker.reader;
  reader.say(kUpgrade);
  Buffer message{0x02, 0x80, 0, 0, 0, 0};  // an empty fragment, then one byte in each
  for (std::size_t i = 1; i < kFragments; ++i)
    append(message, Buffer{static_cast<std::uint8_t>(i + 1 == kFragments ? 0x80 : 0), 0x81, 0, 0, 0, 0, 7});
  std::size_t sent = 0;
  for (std::size_t i = 0; i < kMessages; ++i) {
    Buffer wire;
    const std::size_t part = message.size() / kRecords;
    for (std::size_t at = 0; at < message.size(); at += part)
      reader.session->write(Bytes(message).subspan(at, std::min(part, message.size() - at)), wire);
    reader.send(wire);
    sent += wire.size();
    speaker.turn();
  }
  speaker.turn(std::string(kMessages, 'm'));
  const std::size_t all = sent - kMessages * (kFragments - 1);
  CHECK(reader.overhead + 2 * WebLink::kOverheadLump > all);
  CHECK(reader.overhead <= all + 1'000);  // and the records of the handshake and of the request
}

TEST_CASE("a client that is declined and sends on is closed") {
  Loop loop;
  Reader client(loop, nullptr, nullptr, [](WebLink& link, const HttpHead&) { link.decline(404, "not here"); });
  client.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  constexpr std::size_t kMuch = 64U << 20U;  // more than sockets hold
  const std::size_t sent = send_on(loop, client, kMuch);
  CHECK(sent > WebLink::kMostAfterEnd);
  CHECK(sent < kMuch);
}

}  // namespace
}  // namespace entente::net::web_link_test
