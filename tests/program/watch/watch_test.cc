// Viewers of an arena: no viewer sees anything before the delay, with any game, by HTTP, after a reload, a seek or a
// reconnect; and only casters receive team chat.
#include <doctest/doctest.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "tests/program/asked.h"
#include "tests/program/native_client.h"
#include "tests/relay/peers.h"
#include "tests/support/repeated.h"

namespace entente::watch_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

const std::string kEntente = testing::entente_binary();

std::string port_text(int port) { return std::to_string(port); }

net::Address local(int port) { return *net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(port)); }

/// The whole HTTP response.
std::string get(int port, const std::string& path) {
  const testing::Stream http = testing::Stream::to(local(port));
  http.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  const Buffer all = http.read_all();
  return std::string(as_text(all));
}

/// `entente run` with an arena that can be watched.
struct Watched : Asked {
  explicit Watched(int delay_s) {
    for (int& port : ports) port = testing::free_for_both().port();
    write(delay_s);
    process = std::make_unique<Process>(std::vector<std::string>{kEntente, "run", folder.file("a.toml")});
    REQUIRE_MESSAGE(process->line(), process->err());
  }
  void write(int delay_s, const std::string& rules = "") const {
    const auto url = [](const char* game, int port, const char* dialect) {
      return std::string("\"") + game + "://127.0.0.1:" + port_text(port) + "?dialect=" + dialect + "\"";
    };
    folder.write("a.toml", "[control]\nsocket = \"" + folder.file("c.sock") + "\"\n[[arena]]\nname = \"a\"\n" +
                               "mode = \"teams\"\n" + rules + "listen = [" + url("native", ports[0], "json") +
                               "]\nwatch = [\n  { listen = " + url("native", ports[1], "json") +
                               ", delay_s = 0, see = \"teams\" },\n  { listen = [" + url("native", ports[2], "json") +
                               ", " + url("native+ws", ports[3], "json") + ", " + url("bzflag", ports[4], "2.4") +
                               "], delay_s = " + std::to_string(delay_s) + " },\n]\n");
  }
  Ended reload(int delay_s, const std::string& rules = "") const {
    write(delay_s, rules);
    return ctl({"reload"});
  }
  std::string get(const std::string& path) const { return watch_test::get(ports[3], path); }
  int ports[5];  // players; casters; the public: native, WebSocket, BZFlag
  std::unique_ptr<Process> process;
};

bool says(const words::Fact& fact, const std::string& text) {
  return fact.has_said() && fact.said().text().find(text) != std::string::npos;
}

/// Tries to enter until the client is let in.
std::unique_ptr<NativeClient> enter(int port, const std::string& name, const std::string& more = "") {
  const auto until = Clock::now() + Process::kPatience;
  while (Clock::now() < until) {
    auto client = std::make_unique<NativeClient>(port);
    client->says("{\"enter\":{\"name\":\"" + name + "\"" + more + "}}\n");
    const auto told = client->hears(
        [](const words::Fact& fact) { return fact.has_ready() || fact.has_refused() || fact.has_kicked(); });
    if (told && told->has_ready()) return client;
  }
  FAIL("the viewer is not let in");
  return nullptr;
}

/// Checks that a viewer receives the text, and not before the delay.
void check_late(NativeClient& viewer, const std::string& text, Clock::time_point said, std::chrono::seconds delay) {
  const auto heard = viewer.hears([&](const words::Fact& fact) {
    CHECK_FALSE(says(fact, "hush"));
    return says(fact, text);
  });
  CHECK_MESSAGE(heard, text);
  CHECK(Clock::now() - said >= delay);
}

/// The number in `"fragment":7`.
std::uint64_t fragment_of(const std::string& response) {
  const auto at = response.find("\"fragment\":");
  REQUIRE_MESSAGE(at != std::string::npos, response);
  return std::stoull(response.substr(at + 11));
}

/// Reads fragments from `number` on until one has this text. Returns the number of that fragment.
std::uint64_t find_fragment(const Watched& it, std::uint64_t number, const std::string& text) {
  const auto until = Clock::now() + Process::kPatience;
  while (Clock::now() < until) {
    const std::string response = it.get("/live/" + std::to_string(number));
    CHECK(response.find("hush") == std::string::npos);
    if (response.starts_with("HTTP/1.1 404 ")) {
      CHECK(response.find("Retry-After: ") != std::string::npos);
      std::this_thread::sleep_for(20ms);  // polls until the fragment is over
      continue;
    }
    REQUIRE(response.starts_with("HTTP/1.1 200 "));
    CHECK(response.find("immutable") != std::string::npos);
    if (response.find(text) != std::string::npos) return number;
    ++number;
  }
  FAIL("no fragment has the text");
  return 0;
}

TEST_CASE("no viewer sees an arena early, across games, HTTP, reloads, seeks and reconnects") {
  constexpr auto kDelay = 1s, kLonger = 2s;
  const Watched it(kDelay.count());
  const auto player = enter(it.ports[0], "anna", ",\"team\":\"RED\"");
  const auto caster = enter(it.ports[1], "caster");
  auto viewer = enter(it.ports[2], "viewer");
  // A viewer through BZFlag: a native client behind a bridge.
  Process bridge({kEntente, "proxy", "--listen", "native://127.0.0.1:0?dialect=json", "--to",
                  "bzflag://127.0.0.1:" + port_text(it.ports[4]) + "?dialect=2.4"});
  const auto line = bridge.line();
  REQUIRE(line);
  const auto by_bzflag = enter(std::stoi(line->substr(line->rfind(':') + 1)), "bz", ",\"role\":\"WATCH\"");

  // Live viewers, with the first delay.
  std::string start = it.get("/live");
  const auto until = Clock::now() + Process::kPatience;
  for (; start.starts_with("HTTP/1.1 503 ") && Clock::now() < until; start = it.get("/live")) {
    CHECK(start.find("Retry-After: ") != std::string::npos);
    std::this_thread::sleep_for(20ms);  // polls until the first fragment is over
  }
  REQUIRE(start.starts_with("HTTP/1.1 200 "));
  CHECK(start.find("max-age=1\r\n") != std::string::npos);
  CHECK(start.find("\"delay_us\":1000000") != std::string::npos);
  CHECK(it.get("/live/99999999999").starts_with("HTTP/1.1 404 "));
  CHECK(it.get("/live/1").starts_with("HTTP/1.1 404 "));
  auto said = Clock::now();
  player->says("{\"say\":{\"text\":\"hush\",\"scope\":\"MY_TEAM\"}}\n{\"say\":{\"text\":\"first mark\"}}\n");
  CHECK(caster->hears([](const words::Fact& fact) { return says(fact, "[red] hush"); }));
  CHECK(caster->hears([](const words::Fact& fact) { return says(fact, "first mark"); }));
  check_late(*viewer, "first mark", said, kDelay);
  check_late(*by_bzflag, "first mark", said, kDelay);
  const std::uint64_t first = find_fragment(it, fragment_of(start), "first mark");
  CHECK(Clock::now() - said >= kDelay);
  const std::string response = it.get("/live/" + std::to_string(first));
  CHECK(it.get("/live/" + std::to_string(first) + "/start").starts_with("HTTP/1.1 200 "));

  // A seek beyond the end, and a new viewer.
  said = Clock::now();
  player->says("{\"say\":{\"text\":\"second mark\"}}\n");
  viewer->says("{\"say\":{\"text\":\"/seek 99:00\"}}\n{\"say\":{\"text\":\"/speed 16\"}}\n");
  auto other = enter(it.ports[2], "other");
  check_late(*viewer, "second mark", said, kDelay);
  check_late(*other, "second mark", said, kDelay);
  // A seek back repeats the message.
  said = Clock::now();
  other->says("{\"say\":{\"text\":\"/seek -2\"}}\n");
  CHECK(other->hears([](const words::Fact& fact) { return says(fact, "second mark"); }));

  // A reload with a longer delay.
  said = Clock::now();
  player->says("{\"say\":{\"text\":\"third mark\"}}\n");
  CHECK(caster->hears([](const words::Fact& fact) { return says(fact, "third mark"); }));
  const Ended told = it.reload(kLonger.count());
  REQUIRE_MESSAGE(told.code == 0, told.err);
  CHECK(told.out.find("; its viewers must join again\n") != std::string::npos);
  if (viewer->hears([](const words::Fact& fact) { return says(fact, "third mark"); }))
    CHECK(Clock::now() - said >= kDelay);  // possible if the reload was slow
  viewer = enter(it.ports[2], "viewer");
  check_late(*viewer, "third mark", said, kLonger);
  CHECK(Clock::now() - said < kLonger + 5s);
  find_fragment(it, first, "third mark");
  CHECK(Clock::now() - said >= kLonger);
  CHECK(it.get("/live/" + std::to_string(first)) == response);

  // The arena restarts, and the broadcast goes on.
  REQUIRE(it.reload(kLonger.count(), "side = 300\n").code == 0);
  const auto late = enter(it.ports[0], "bob");
  said = Clock::now();
  late->says("{\"say\":{\"text\":\"fourth mark\"}}\n");
  player->says("{\"say\":{\"text\":\"hush\"}}\n");  // in the arena that is closing
  check_late(*viewer, "fourth mark", said, kLonger);
  CHECK(find_fragment(it, first, "fourth mark") > first);
  it.process->signal(SIGTERM);
  CHECK_MESSAGE(it.process->wait() == 0, it.process->err());
}

TEST_CASE("a relay is watched through a spectator on its server, which reconnects when it is kicked") {
  int ports[3];  // the server, which is an arena; the relay; its viewers
  for (int& port : ports) port = testing::free_for_both().port();
  const auto url = [&](int port) { return "\"native://127.0.0.1:" + port_text(port) + "?dialect=json\""; };
  const Asked server, it;
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:" + port_text(ports[0]) + "?dialect=json",
                 "--control", server.folder.file("c.sock")});
  REQUIRE_MESSAGE(arena.line(), arena.err());
  const auto write = [&](const std::string& watch) {
    it.folder.write("a.toml", "[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n[[route]]\nlisten = " +
                                  url(ports[1]) + "\nto = " + url(ports[0]) + "\n" + watch);
  };
  write("watch = [{ listen = " + url(ports[2]) + ", delay_s = 1 }]\n");
  Process process({kEntente, "run", it.folder.file("a.toml")});
  REQUIRE_MESSAGE(process.line(), process.err());
  REQUIRE(server.has("broadcast"));
  const auto player = enter(ports[1], "anna");
  auto viewer = enter(ports[2], "viewer");
  auto said = Clock::now();
  player->says("{\"say\":{\"text\":\"first mark\"}}\n");
  check_late(*viewer, "first mark", said, 1s);
  // The spectator is kicked and reconnects, perhaps before the list is read. Viewers stay.
  const std::string kicked = server.link_of("broadcast");
  REQUIRE(server.ctl({"kick", "broadcast"}).code == 0);
  REQUIRE(testing::eventually([&] {
    const std::string link = server.link_of("broadcast");
    return !link.empty() && link != kicked;
  }));
  {
    // The spectator is listed before it receives chat, so repeat the message.
    const testing::Repeated mark([&] { player->says("{\"say\":{\"text\":\"second mark\"}}\n"); });
    CHECK(viewer->hears([](const words::Fact& fact) { return says(fact, "second mark"); }));
  }
  // A reload that keeps its servers keeps the spectator.
  const std::string stays = server.link_of("broadcast");
  write("hold_s = 7\nwatch = [{ listen = " + url(ports[2]) + ", delay_s = 1 }]\n");
  REQUIRE(it.ctl({"reload"}).code == 0);
  said = Clock::now();
  {
    // The arena may still refuse chat, because the second mark came too often.
    const testing::Repeated mark([&] { player->says("{\"say\":{\"text\":\"third mark\"}}\n"); });
    check_late(*viewer, "third mark", said, 1s);
  }
  CHECK(server.link_of("broadcast") == stays);
  // Without `watch`, the spectator leaves.
  write("");
  REQUIRE(it.ctl({"reload"}).code == 0);
  CHECK(testing::eventually([&] { return server.link_of("broadcast").empty(); }));
  CHECK_FALSE(viewer->hears([](const words::Fact&) { return false; }));
  process.signal(SIGTERM);
  CHECK(process.wait() == 0);
}

TEST_CASE(
    "after an upgrade, the old process's spectator leaves, its viewers are told, and it ends with its last player") {
  const int server_port = testing::free_for_both().port(), port = testing::free_for_both().port(),
            viewers = testing::free_for_both().port();
  const auto url = [&](int at) { return "\"native://127.0.0.1:" + port_text(at) + "?dialect=json\""; };
  const Asked server, it;
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:" + port_text(server_port) + "?dialect=json",
                 "--control", server.folder.file("c.sock")});
  REQUIRE_MESSAGE(arena.line(), arena.err());
  it.folder.write("a.toml", "[control]\nsocket = \"" + it.folder.file("c.sock") +
                                "\"\n[[route]]\nlisten = " + url(port) + "\nto = " + url(server_port) +
                                "\nwatch = [{ listen = " + url(viewers) + ", delay_s = 1 }]\n");
  Process old({kEntente, "run", it.folder.file("a.toml")});
  REQUIRE_MESSAGE(old.line(), old.err());
  REQUIRE(server.has("broadcast"));
  auto player = enter(port, "anna");
  const auto viewer = enter(viewers, "vera");
  Process young({kEntente, "run", it.folder.file("a.toml"), "--take-over", it.folder.file("c.sock")});
  REQUIRE_MESSAGE(young.line(), young.err());
  CHECK(viewer->hears([](const words::Fact& fact) {
    return fact.has_kicked() && fact.kicked().text() == "the broadcast has changed; join again";
  }));
  player.reset();
  CHECK(old.wait() == 0);
  const std::string list = server.ctl({"list"}).out;
  const auto first = list.find("broadcast");
  CHECK(first != std::string::npos);
  CHECK(list.find("broadcast", first + 1) == std::string::npos);
}

/// Reads the newest fragments over one connection, on a thread of its own, until the program closes the connection.
class KeptCache {
 public:
  explicit KeptCache(int port)
      : http_(testing::Stream::to(local(port))), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested() && read_newest()) std::this_thread::sleep_for(50ms);
          over_ = true;
        }) {}
  bool has_fragments() const { return fragments_ != 0; }
  bool over() const { return over_; }
  /// The bodies by the numbers of the fragments. Reads no more.
  const std::map<std::uint64_t, std::string>& bodies() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    return bodies_;
  }
  /// The head of the last response. REQUIRES: bodies() was called.
  const std::string& last_head() const { return head_; }

 private:
  /// False: the connection is closed.
  bool read_newest() {
    auto body = get("/live");
    if (!body || !head_.starts_with("HTTP/1.1 200 ")) return body.has_value();
    const std::uint64_t number = fragment_of(*body);
    body = get("/live/" + std::to_string(number));
    if (!body || !head_.starts_with("HTTP/1.1 200 ")) return body.has_value();
    CHECK(bodies_.try_emplace(number, *body).first->second == *body);
    fragments_ = bodies_.size();
    return true;
  }
  static constexpr int kMillis = static_cast<int>(std::chrono::milliseconds(Process::kPatience).count());
  /// The body of the next response, whose head is in head_.
  std::optional<std::string> get(const std::string& path) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    if (http_.try_send(as_bytes(request)) != request.size()) return std::nullopt;
    std::string head, body;
    for (std::size_t size = 0, end = std::string::npos; end == std::string::npos || body.size() < end + size;) {
      if (!http_.readable(kMillis)) return std::nullopt;
      const Buffer some = http_.read_some();
      if (some.empty()) return std::nullopt;
      body += as_text(some);
      if (end != std::string::npos || (end = body.find("\r\n\r\n")) == std::string::npos) continue;
      head = body.substr(0, end += 4);
      const std::string_view length = std::string_view(head).substr(head.find("Content-Length: ") + 16);
      std::from_chars(length.data(), length.data() + length.size(), size);
    }
    head_ = head;
    return body.substr(head.size());
  }

  const testing::Stream http_;
  std::string head_;
  std::map<std::uint64_t, std::string> bodies_;
  std::atomic<std::size_t> fragments_{0};
  std::atomic<bool> over_{false};
  std::jthread thread_;
};

TEST_CASE("two processes never give out different fragments with one number, also after an upgrade") {
  const auto port = [] { return testing::free_for_both().port(); };
  const int server_port = port(), route = port(), arena = port(), route_http = port(), arena_http = port();
  const auto url = [](int at, const std::string& scheme = "native") {
    return "\"" + scheme + "://127.0.0.1:" + port_text(at) + "?dialect=json\"";
  };
  const auto watch = [&](int at) { return "watch = [{ listen = " + url(at, "native+ws") + ", delay_s = 0 }]\n"; };
  const Asked server, it;
  Process servers({kEntente, "arena", "--listen", "native://127.0.0.1:" + port_text(server_port) + "?dialect=json",
                   "--control", server.folder.file("c.sock")});
  REQUIRE_MESSAGE(servers.line(), servers.err());
  it.folder.write("a.toml", "[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n[[route]]\nlisten = " +
                                url(route) + "\nto = " + url(server_port) + "\n" + watch(route_http) +
                                "[[arena]]\nname = \"a\"\nlisten = [" + url(arena) + "]\n" + watch(arena_http));
  Process old({kEntente, "run", it.folder.file("a.toml")});
  REQUIRE_MESSAGE(old.line(), old.err());
  REQUIRE(server.has("broadcast"));
  auto anna = enter(route, "anna"), bob = enter(arena, "bob");
  std::optional<testing::Repeated> marks([&, mark = 0]() mutable {
    const std::string said = "{\"say\":{\"text\":\"mark " + std::to_string(++mark) + "\"}}\n";
    anna->says(said);
    bob->says(said);
  });
  KeptCache of_route(route_http), of_arena(arena_http);
  REQUIRE(eventually([&] { return of_route.has_fragments() && of_arena.has_fragments(); }));

  Process young({kEntente, "run", it.folder.file("a.toml"), "--take-over", it.folder.file("c.sock")});
  REQUIRE_MESSAGE(young.line(), young.err());
  for (KeptCache* const cache : {&of_route, &of_arena}) {
    const int http = cache == &of_route ? route_http : arena_http;
    CAPTURE(http);
    std::string live;
    CHECK(eventually([&] { return (live = get(http, "/live")).starts_with("HTTP/1.1 200 "); }));
    CHECK(eventually([&] { return cache->over(); }));
    CHECK(fragment_of(live) > cache->bodies().rbegin()->first);
    const std::string& last = cache->last_head();
    CHECK(last.find("Connection: close\r\n") != std::string::npos);
    // On a busy machine, the connection may have reached the age at which it ends in any case.
    if (!last.starts_with("HTTP/1.1 200 ")) {
      CHECK(last.starts_with("HTTP/1.1 503 "));
      CHECK(last.find("Retry-After: 1\r\n") != std::string::npos);
    }
    for (const auto& [number, body] : cache->bodies()) {
      const std::string now = get(http, "/live/" + std::to_string(number));
      if (now.starts_with("HTTP/1.1 200 ")) CHECK(now.ends_with("\r\n\r\n" + body));
    }
  }
  marks.reset();
  anna.reset();
  bob.reset();
  CHECK(old.wait() == 0);
}

}  // namespace
}  // namespace entente::watch_test
