// Clients of a relay of BZFlag that only ask who plays: a server that sleeps is not started for them.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "adapters/bzflag/bzflag.h"
#include "adapters/bzflag/wire/dialect.h"
#include "tests/relay/late_server.h"
#include "tests/relay/upstream/launched.h"

namespace entente::testing::asker_test {
namespace {

using relay::Reason, relay::Upstream;

const std::string kHeader = "BZFLAG\r\n\r\n";
const std::string kAskGame("\0\0qg", 4), kAskPlayers("\0\0qp", 4);
const std::string kFlags("\0\2nfab", 6);  // what a player's client sends first

std::size_t dialect_of(std::string_view name) { return *wire::find_dialect(bzflag::game(), name); }

std::string greeting_with(std::size_t dialect, char player) {
  return std::string(bzflag::kDialects[dialect].version) + player;
}

struct Sleeping : Launched {
  explicit Sleeping(std::size_t its_dialect, Millis stop_after_ms = 0, const Limits& limits = no_limits(),
                    bool names_dialect = true, Millis check_ms = 20,
                    const std::function<void(relay::RouteOptions&)>& more = {})
      : Launched(stop_after_ms, {}, {}, {}, bzflag::game(), its_dialect, limits, names_dialect, check_ms, more),
        dialect(its_dialect) {}
  void is_down() {
    CHECK(eventually([&] { return server().servers(0)[0].state == Upstream::State::kDown; }));
  }
  Stream client() const {
    Stream made = Stream::to(address);
    if (bzflag::game().client_greeting_size(dialect) != 0) made.send(kHeader);
    return made;
  }
  std::string greeting(char player) const { return greeting_with(dialect, player); }
  std::size_t dialect;
};

std::string read_frame(const Stream& from) {
  const Buffer head = from.read(4);
  if (head.size() < 4) return std::string(as_text(head));
  return std::string(as_text(head)) + from.read_text(static_cast<std::size_t>(head[0] << 8U | head[1]));
}

bool is(const std::string& frame, std::string_view code) { return frame.size() >= 4 && frame.substr(2, 2) == code; }

/// What a client hears that asks for the game and the players: nobody plays.
void ask(const Stream& client, std::size_t dialect) {
  client.send(kAskGame);
  const std::string game = read_frame(client);
  CHECK(is(game, "qg"));
  const std::size_t teams = dialect == dialect_of("2.4") ? 12 : 10;  // rogue, red, green, blue, purple
  CHECK(game.substr(teams, 10) == std::string(10, '\0'));
  client.send(kAskPlayers);
  const std::string players = read_frame(client);
  CHECK(players == std::string("\0\4qp\0\5\0\0", 8));
  CHECK(is(read_frame(client), "tu"));
}

/// A server that leaves the relay's checks unanswered.
struct Server : LateServer {
  using LateServer::LateServer;

  /// Accepts connections until a player's comes, which sends this first. The checks stay open: they take seconds.
  Stream accept_player(const Sleeping& running, const std::string& first, char number = 0) {
    const bool speaks_first = bzflag::game().client_greeting_size(running.dialect) == 0;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience);
    while (std::chrono::steady_clock::now() < until) {
      if (is_wanted(5)) {
        others_.push_back(accept());
        if (speaks_first) others_.back().send(running.greeting(number));
      }
      const auto speaks = std::ranges::find_if(others_, [](const Stream& one) { return one.readable(0); });
      if (speaks == others_.end()) continue;
      Stream link = std::move(*speaks);
      others_.erase(speaks);
      if (link.read_text(first.size()) != first) continue;
      if (!speaks_first) link.send(running.greeting(number));
      return link;
    }
    FAIL("no player comes");
    return {};
  }

 private:
  std::vector<Stream> others_;
};

TEST_CASE("who asks through a relay whose server sleeps is answered, and does not start it") {
  for (const char* name : {"2.4", "2.0", "1.10"}) {
    CAPTURE(name);
    Sleeping running(dialect_of(name));
    if (name != std::string("2.0")) running.is_down();  // or it is found to be down when the client comes
    std::vector<Stream> clients;
    for (char number = 0; number < 3; ++number) {
      clients.push_back(running.client());
      CHECK(clients.back().read_text(9) == running.greeting(number));
    }
    for (int i = 0; i < 2; ++i) ask(clients[0], running.dialect);
    CHECK(running.server().servers(0)[0].sessions == 0);
    clients.clear();
    CHECK(running.empty());
    CHECK(running.server().waiting(0) == 0);
    CHECK(running.server().servers(0)[0].opened == 0);
    CHECK(running.written().empty());
  }
}

TEST_CASE("a player who asked first starts the server, which gets what it sent since, and its greeting comes once") {
  for (const char* name : {"2.4", "2.0"}) {
    CAPTURE(name);
    Sleeping running(dialect_of(name));
    running.is_down();
    const Stream client = running.client();
    CHECK(client.read_text(9) == running.greeting(0));
    ask(client, running.dialect);
    CHECK(running.written().empty());
    client.send(kFlags);
    CHECK(running.wrote("s"));
    Server up(running.at);
    const std::string header = running.dialect == dialect_of("2.4") ? kHeader : "";
    const Stream server = up.accept_player(running, header + kFlags);
    server.send(kAskGame);  // any frame
    CHECK(client.read_text(4) == kAskGame);
    CHECK(running.server().servers(0)[0].opened == 1);
  }
}

TEST_CASE("a server whose dialect is not named is started for a player, but not for who only asks") {
  Sleeping running(dialect_of("2.4"), 0, no_limits(), false);
  {
    const Stream asker = running.client();
    CHECK(asker.read_text(9) == running.greeting(0));
    ask(asker, running.dialect);
  }
  CHECK(running.empty());
  CHECK(running.written().empty());
  const Stream client = running.client();
  CHECK(client.read_text(9) == running.greeting(0));
  client.send(kFlags);
  CHECK(running.wrote("s"));
  Server up(running.at);
  up.accept().send(running.greeting(0));  // a check, which detects the dialect
  const Stream server = up.accept_player(running, kHeader + kFlags);
  server.send(kAskGame);
  CHECK(client.read_text(4) == kAskGame);
}

TEST_CASE("players who wait for a server that sleeps connect in the order of the numbers that they were promised") {
  Sleeping running(dialect_of("2.4"));
  running.is_down();
  std::vector<Stream> clients, served;
  for (char number = 0; number < 3; ++number) {
    clients.push_back(running.client());
    CHECK(clients.back().read_text(9) == running.greeting(number));
  }
  for (std::size_t i = 3; i-- > 0;) clients[i].send(kFlags);
  CHECK(eventually([&] { return running.server().waiting(0) == 3; }));
  Server up(running.at);
  for (char number = 0; number < 3; ++number) {
    served.push_back(up.accept_player(running, kHeader + kFlags, number));
    served.back().send(kAskGame);
    CHECK(clients[static_cast<std::size_t>(number)].read_text(4) == kAskGame);
  }
}

TEST_CASE("a player who was promised a number that somebody gave back connects before those with higher numbers") {
  for (const Millis check_ms : {20U, 0U}) {  // 0: nothing but a player finds that the server is up
    CAPTURE(check_ms);
    Sleeping running(dialect_of("2.4"), 0, no_limits(), true, check_ms);
    if (check_ms != 0) running.is_down();
    std::optional<Stream> gone(running.client());
    CHECK(gone->read_text(9) == running.greeting(0));
    const Stream second = running.client();
    CHECK(second.read_text(9) == running.greeting(1));
    gone.reset();
    CHECK(eventually([&] { return running.totals().current_sessions() == 1; }));
    const Stream first = running.client();  // later than the second
    CHECK(first.read_text(9) == running.greeting(0));
    for (const Stream* client : {&second, &first}) client->send(kFlags);
    CHECK(eventually([&] { return running.server().waiting(0) == 2; }));
    Server up(running.at);
    std::vector<Stream> served;
    char number = 0;
    for (const Stream* client : {&first, &second}) {
      served.push_back(up.accept_player(running, kHeader + kFlags, number++));
      served.back().send(kAskGame);
      CHECK(client->read_text(4) == kAskGame);
    }
  }
}

TEST_CASE("a player who was promised another number than its server gives it is told to connect again") {
  Sleeping running(dialect_of("2.4"));
  running.is_down();
  const Stream first = running.client(), client = running.client();
  CHECK(first.read_text(9) == running.greeting(0));
  CHECK(client.read_text(9) == running.greeting(1));
  client.send(kFlags);
  CHECK(running.wrote("s"));
  Server up(running.at);
  const Stream server = up.accept_player(running, kHeader + kFlags);
  const std::string last(as_text(client.read_all()));
  CHECK(is(last, "rj"));
  CHECK_MESSAGE(last.find("the server has just started; connect again") != std::string::npos, last);
  CHECK(running.ended(Reason::kServerDeclined));
}

TEST_CASE("who is greeted for a server that sleeps and says nothing is told so in time") {
  Limits limits = no_limits();
  limits.greet_ms = 100;
  Sleeping running(dialect_of("2.4"), 0, limits);
  running.is_down();
  const Stream client = running.client();
  CHECK(client.read_text(9) == running.greeting(0));
  CHECK(is(std::string(as_text(client.read_all())), "rj"));
  CHECK(running.ended(Reason::kGreetTimeout));
  CHECK(running.written().empty());
}

TEST_CASE("who only asks does not keep a server from being stopped") {
  Sleeping running(dialect_of("2.4"), 1);
  Server up(running.at);
  up.accept().send(running.greeting(0));  // a check
  CHECK(running.wrote("e"));
  const Stream client = running.client();
  const Stream server = up.accept_player(running, kHeader);
  CHECK(client.read_text(9) == running.greeting(0));
  client.send(kAskGame);
  CHECK(server.read_text(4) == kAskGame);
  CHECK(running.server().servers(0)[0].sessions == 1);
  CHECK(running.written() == "e");  // it was empty all the time
  client.send(kFlags);
  CHECK(server.read_text(kFlags.size()) == kFlags);
  CHECK(eventually([&] { return running.server().servers(0)[0].opened == 1; }));
}

TEST_CASE("a load balancer's health check that joins starts a server that sleeps only if a player from there may") {
  const auto from_proxy = [](relay::RouteOptions& options) {
    options.proxies.networks = {*net::Network::parse("127.0.0.1")};
  };
  const auto check = [](const Sleeping& running) {
    Stream made = Stream::to(running.address);
    made.send("PROXY UNKNOWN\r\n" + kHeader);
    CHECK(made.read_text(9) == running.greeting(0));
    ask(made, running.dialect);
    return made;
  };
  const std::size_t dialect = dialect_of("2.4");
  relay::Bans bans;
  Sleeping barred(dialect, 0, no_limits(), true, 20, [&](relay::RouteOptions& options) {
    from_proxy(options);
    options.bans = &bans;
  });
  barred.is_down();
  const Stream banned = check(barred);
  relay::Ban ban;
  ban.who = *net::Network::parse("127.0.0.1");
  (void)bans.add(ban);
  banned.send(kFlags);
  (void)banned.read_all();  // it is told that it is banned
  CHECK(eventually([&] { return barred.server().totals(0).by(Reason::kBanned) == 1; }));
  CHECK(barred.server().waiting(0) == 0);
  CHECK(barred.written().empty());

  Sleeping open(dialect, 0, no_limits(), true, 20, from_proxy);
  open.is_down();
  const Stream player = check(open);
  CHECK(open.sessions().empty());
  player.send(kFlags);
  CHECK(open.wrote("s"));
  Server up(open.at);
  const Stream server = up.accept_player(open, kHeader + kFlags);
  server.send(kAskGame);  // any frame
  CHECK(player.read_text(4) == kAskGame);
  CHECK(open.sessions().size() == 1);
  CHECK(open.server().totals(0).begun == 1);
}

TEST_CASE("an HTTP request through a relay whose server sleeps is refused at once, and does not start it") {
  Sleeping running(dialect_of("2.4"));
  running.is_down();
  const Stream client = Stream::to(running.address);
  client.send("GET / HTTP/1.0\r\n\r\n");
  CHECK(as_text(client.read_all()).starts_with("HTTP/1.1 50"));
  CHECK(running.ended(Reason::kServerUnreachable));
  CHECK(running.server().waiting(0) == 0);
  CHECK(running.written().empty());
}

TEST_CASE("an HTTP request that a server answers does not keep it from being stopped, and is no player there") {
  Sleeping running(dialect_of("2.4"), 1);
  Server up(running.at);
  up.accept().send(running.greeting(0));  // a check
  CHECK(running.wrote("e"));
  const std::string request = "GET /world HTTP/1.1\r\n\r\n";
  const Stream client = Stream::to(running.address);
  client.send(request);
  const Stream server = up.accept_player(running, request);
  CHECK(client.read_text(9) == running.greeting(0));  // any answer
  CHECK(running.server().servers(0)[0].sessions == 1);
  CHECK(running.server().servers(0)[0].opened == 0);
  const Stream next = Stream::to(running.address);
  next.send(request);
  (void)up.accept_player(running, request);
  CHECK(running.written() == "e");  // it was empty all the time
}

TEST_CASE("who asks through a relay whose server sleeps, and reads none of the answers, is disconnected") {
  Limits limits = no_limits();
  limits.low_water = 4U << 10U;
  limits.high_water = 16U << 10U;
  limits.stall_ms = limits.greet_ms = limits.idle_ms = 3'600'000;
  Sleeping running(dialect_of("2.4"), 0, limits);
  running.is_down();
  const Stream client = Stream::to(running.address, nullptr, 4'096);
  client.send(kHeader);
  CHECK(client.read_text(9) == running.greeting(0));
  std::string many;
  for (int i = 0; i < 1'000; ++i) many += kAskPlayers;
  CHECK(eventually([&] {
    (void)client.try_send(as_bytes(many));
    return running.totals().by(Reason::kClientStalled) == 1;
  }));
}

}  // namespace
}  // namespace entente::testing::asker_test
