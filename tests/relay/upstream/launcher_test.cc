// A server that is started when a player comes, and stopped when nobody is left.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "proxy/relay/probes/launcher.h"
#include "tests/relay/bridging.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/late_server.h"
#include "tests/relay/route/one_route.h"
#include "tests/relay/upstream/launched.h"
#include "tests/support/no_files_left.h"

namespace entente::testing::launcher_test {
namespace {

Stream join(const net::Address& at) {
  Stream client = Stream::to(at);
  client.send(kHello);
  return client;
}

/// Accepts connections until a player's comes; the others are checks.
Stream accept_player(const LateServer& at) {
  for (;;) {
    Stream link = at.accept();
    link.send("toy\x08");
    if (as_text(link.read(4)) == kHello) return link;
  }
}

TEST_CASE("launch: the server is started once, when a player comes, and stopped once nobody is left") {
  Launched running(100);
  CHECK(eventually([&] { return running.server().servers(0)[0].state == relay::Upstream::State::kDown; }));
  CHECK(running.written().empty());  // nobody has come
  std::vector<Stream> clients;
  clients.push_back(join(running.address));
  clients.push_back(join(running.address));
  CHECK(running.wrote("s"));
  CHECK(running.heard.line("a player waits, and no server is up: running \"printf s"));
  CHECK(running.heard.line("\" ended with code 0"));
  const LateServer up(running.at);
  std::vector<Stream> served;
  for (int i = 0; i < 2; ++i) served.push_back(accept_player(up));
  clients.clear();
  served.clear();
  CHECK(running.empty());
  CHECK(running.wrote("se"));
  {
    const Stream other = join(running.address);
    const Stream again = accept_player(up);                   // the command did not stop it
    for (int i = 0; i < 3; ++i) up.accept().send("toy\x08");  // checks, while there is a player
    CHECK(running.written() == "se");
  }
  CHECK(running.wrote("see"));
}

Limits no_greet_time() {
  Limits limits = no_limits();
  limits.greet_ms = 0;
  return limits;
}

/// Starts and stops the server of a route with these options.
struct LaunchedBy : Launched {
  explicit LaunchedBy(const std::function<void(relay::RouteOptions&)>& more)
      : Launched(100, {}, {}, {}, toy::game(), 0, no_greet_time(), true, 20, more) {}

  std::uint32_t sessions() const { return server().servers(0)[0].sessions; }
  /// Meanwhile, the server could be stopped.
  void check_often(const LateServer& up) const {
    for (int i = 0; i < 8; ++i) up.accept().send("toy\x08");
  }
};

TEST_CASE("launch: in a bridge, a client that has not shown that it wants to play does not keep the server") {
  LaunchedBy running([](relay::RouteOptions& options) { options.bridge = toy_bridge(toy::game(), toy::stream()); });
  std::optional<Stream> asks = Stream::to(running.address);
  CHECK(eventually([&] { return running.totals().begun == 1; }));
  std::optional<Stream> client = join(running.address);
  CHECK(running.wrote("s"));
  const LateServer up(running.at);
  std::optional<Stream> served = accept_player(up);
  CHECK(running.sessions() == 2);
  running.check_often(up);
  CHECK(running.written() == "s");
  client.reset(), served.reset();
  CHECK(running.wrote("se"));
  CHECK(running.sessions() == 1);
  asks->send(kHello);
  served = accept_player(up);
  running.check_often(up);
  CHECK(running.written() == "se");
  asks.reset(), served.reset();
  CHECK(running.wrote("see"));
}

TEST_CASE("launch: a load balancer's health check does not keep the server, unless it goes on to play") {
  LaunchedBy running(
      [](relay::RouteOptions& options) { options.proxies.networks = {*net::Network::parse("127.0.0.1")}; });
  std::optional<Stream> client = Stream::to(running.address);
  client->send("PROXY TCP4 127.0.0.9 127.0.0.1 1000 2000\r\n" + std::string(kHello));
  CHECK(running.wrote("s"));
  const LateServer up(running.at);
  std::optional<Stream> served = accept_player(up);
  std::optional<Stream> check = Stream::to(running.address);
  check->send("PROXY UNKNOWN\r\n" + std::string(kHello));
  std::optional<Stream> checked = accept_player(up);
  CHECK(running.sessions() == 2);
  client.reset(), served.reset();
  CHECK(running.wrote("se"));
  CHECK(running.sessions() == 1);
  CHECK(check->read_text(4) == "toy\x08");
  check->send(frame("plays"));
  CHECK(checked->read(7) == frame("plays"));
  running.check_often(up);
  CHECK(running.written() == "se");
  check.reset(), checked.reset();
  CHECK(running.wrote("see"));
}

TEST_CASE("launch: a load balancer's health check does not start a server that sleeps, and does not wait for it") {
  for (const bool bridged : {false, true}) {
    CAPTURE(bridged);
    LaunchedBy running([bridged](relay::RouteOptions& options) {
      options.proxies.networks = {*net::Network::parse("127.0.0.1")};
      if (bridged) options.bridge = toy_bridge(toy::game(), toy::stream());
    });
    CHECK(eventually([&] { return running.server().servers(0)[0].state == relay::Upstream::State::kDown; }));
    {
      const Stream check = Stream::to(running.address);
      check.send("PROXY UNKNOWN\r\n" + std::string(kHello));
      (void)check.read_all();  // it is told that no server is there
    }
    CHECK(running.server().waiting(0) == 0);
    CHECK(running.written().empty());
    const Stream client = Stream::to(running.address);
    client.send("PROXY TCP4 127.0.0.9 127.0.0.1 1000 2000\r\n" + std::string(kHello));
    CHECK(running.wrote("s"));
  }
}

TEST_CASE("launch: a server is not stopped while another process may have players on it") {
  std::atomic<int> asked{0};
  std::atomic<bool> may{false};
  Launched running(1, {}, {}, [&] { return ++asked, may.load(); });
  std::optional<Stream> client = join(running.address);
  CHECK(running.wrote("s"));
  const LateServer up(running.at);
  std::optional<Stream> served = accept_player(up);
  CHECK(asked == 0);  // there is a player
  client.reset(), served.reset();
  CHECK(running.empty());
  CHECK(eventually([&] { return asked > 2; }));
  CHECK(running.written() == "s");
  may = true;
  CHECK(running.wrote("se"));
}

TEST_CASE("launch: a server is not stopped while a session of the replaced route is on it") {
  Launched running(1);
  const LateServer up(running.at);
  std::optional<Stream> client = join(running.address);
  std::optional<Stream> served = accept_player(up);
  const auto changed = running.server().change({.added = {{running.options, 0}}});
  REQUIRE(changed.ok());
  for (int i = 0; i < 3; ++i) up.accept().send("toy\x08");  // checks by the new route
  CHECK(running.server().servers(changed->front().route)[0].sessions == 1);
  CHECK(running.written().find('e') == std::string::npos);
  client.reset(), served.reset();
  CHECK(eventually([&] { return running.written().ends_with('e'); }));
}

TEST_CASE("launch: a command that fails is logged, and is not run again at once") {
  Launched running(0, "exit 3");
  const Stream client = join(running.address);
  CHECK(running.heard.line("\"exit 3\" ended with code 3"));
  CHECK(running.server().waiting(0) == 1);
  const LateServer up(running.at);  // started by other means
  accept_player(up);
  CHECK(running.heard.told("running \"exit 3\"") == 1);
}

TEST_CASE("launch: a command that keeps running is not run twice, and the program's end does not wait for it") {
  Launched running(0, "exec sleep 5");
  const Stream client = join(running.address), other = join(running.address);
  CHECK(running.heard.line("running \"exec sleep 5\""));
  CHECK(running.heard.told("running \"exec sleep 5") == 1);
  running.stop();
}

TEST_CASE("launch: a server is stopped when nobody has played for the whole time, counted from the last player") {
  constexpr Millis kStopAfter = 100;
  Turning turning;
  relay::RouteOptions options = options_of(toy::game());
  options.upstream.launch.stop = "true";
  options.upstream.launch.stop_after_ms = kStopAfter;
  OneRoute route(turning.loop, options, {loopback()});
  route.server().succeeded(1);
  relay::Launcher launcher(*route.here);
  const auto stops = [&route] { return route.heard.told("nobody plays: running \"true\""); };
  launcher.tick(1'000);  // nobody plays
  {
    const relay::Upstreams::SessionCount player(route.server());
    launcher.tick(1'050);
  }
  const Millis left = 1'000 + kStopAfter;
  launcher.tick(left);
  launcher.tick(left + kStopAfter - 1);
  CHECK(stops() == 0);
  launcher.tick(left + kStopAfter);
  CHECK(stops() == 1);
  turning.until([&] { return route.heard.told("\"true\" ended with code 0") == 1; });
  launcher.tick(left + 2 * kStopAfter);  // it was stopped already
  CHECK(stops() == 1);
}

/// Commands that run until the test ends them.
class Slowly {
 public:
  ~Slowly() { std::filesystem::remove_all(folder_); }
  /// Appends the letter to the file of the same name, waits for end(), and exits with this code.
  std::string command(const std::string& letter, int code = 0) const {
    return "printf " + letter + " >> " + path(letter) + "; while [ -d " + folder_.string() + " ] && [ ! -e " +
           path("end") + " ]; do sleep 0.02; done; exit " + std::to_string(code);
  }
  void end() const { std::ofstream(path("end")) << "now"; }
  std::string written(const std::string& letter) const {
    std::ifstream in(path(letter));
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool wrote(const std::string& letters) const {
    return eventually([&] { return written(letters.substr(0, 1)) == letters; });
  }

 private:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_ = [] {
    auto made = std::filesystem::temp_directory_path() / ("entente-slowly-" + std::to_string(::getpid()));
    std::filesystem::create_directory(made);
    return made;
  }();
};

/// Replaces the only route by one that differs in `hold_s`, and returns the number of the new route.
std::size_t reload(Launched& running) {
  running.options.upstream.hold_ms += 1'000;
  const auto changed = running.server().change({.added = {{running.options, 0}}});
  REQUIRE(changed.ok());
  return changed->front().route;
}

TEST_CASE("launch: after a reload, a start command that still runs is not run again, nor soon after it has failed") {
  const Slowly slowly;
  Launched running(0, slowly.command("s", 3));
  std::optional<Stream> first = join(running.address);
  CHECK(slowly.wrote("s"));
  const std::size_t fresh = reload(running);
  const Stream second = join(running.address);
  CHECK(eventually([&] { return running.server().waiting(fresh) == 1; }));
  CHECK_FALSE(second.readable(300));
  CHECK(slowly.written("s") == "s");
  SUBCASE("while a player of the replaced route waits") {}
  SUBCASE("once the replaced route is over") {
    first.reset();
    CHECK(eventually([&] { return running.server().is_over(0); }));
    CHECK_FALSE(second.readable(300));
  }
  slowly.end();
  const auto ended = std::chrono::steady_clock::now();
  CHECK(running.heard.line("\" ended with code 3"));
  CHECK(slowly.wrote("ss"));
  CHECK(std::chrono::steady_clock::now() - ended > std::chrono::milliseconds(4'500));
}

TEST_CASE("launch: after a reload, a start command waits until a stop command that still runs has ended") {
  const Slowly slowly;
  Launched running(1, slowly.command("s"), slowly.command("e"));
  {
    const LateServer up(running.at);
    up.accept().send("toy\x08");  // to a check
    CHECK(slowly.wrote("e"));
  }
  const std::size_t fresh = reload(running);
  const Stream client = join(running.address);
  CHECK(eventually([&] { return running.server().waiting(fresh) == 1; }));
  CHECK_FALSE(client.readable(300));
  CHECK(slowly.written("s").empty());
  slowly.end();
  CHECK(slowly.wrote("s"));
}

TEST_CASE("launch: after a reload, another start command runs at once") {
  const Slowly slowly;
  Launched running(0, slowly.command("s"));
  const Stream first = join(running.address);
  CHECK(slowly.wrote("s"));
  running.options.upstream.launch.start = slowly.command("t");
  reload(running);
  const Stream second = join(running.address);
  CHECK(slowly.wrote("t"));
  slowly.end();
}

TEST_CASE("launch: two routes to one server do not run its start command at the same time") {
  const Slowly slowly;
  Launched running(0, slowly.command("s"));
  const auto added = running.server().add(running.options);
  REQUIRE(added.ok());
  const Stream first = join(running.address), second = join(added->address);
  CHECK(slowly.wrote("s"));
  CHECK(eventually([&] { return running.server().waiting(0) + running.server().waiting(added->route) == 2; }));
  CHECK_FALSE(second.readable(300));
  CHECK(slowly.written("s") == "s");
  slowly.end();
}

/// A launcher of a route to a server that is down. The test says when time passes.
struct Launching : Turning {
  explicit Launching(const relay::LaunchRules& rules) : route(loop, with(rules), {loopback()}), launcher(*route.here) {
    route.server().set_has_checks();
    goes_down();
  }
  static relay::RouteOptions with(const relay::LaunchRules& rules) {
    relay::RouteOptions options = options_of(toy::game());
    options.upstream.hold_ms = 60'000;
    options.upstream.launch = rules;
    return options;
  }
  void goes_down() { (void)route.server().failed(loop.now(), "gone"); }
  /// At this time, a player waits for the server.
  void wait_at(Millis at) {
    launcher.player_waits(at);
    launcher.tick(at);
  }
  std::uint64_t starts() { return route.heard.told("a player waits, and no server is up: running"); }
  std::uint64_t stops() { return route.heard.told("nobody plays: running"); }
  /// Until so many commands have ended.
  void end(std::uint64_t times) {
    until([&] { return route.heard.told("\" ended ") == times; });
  }
  const relay::CommandRuns& runs() const { return route.route.upstreams.starts(); }

  OneRoute route;
  relay::Launcher launcher;
};

TEST_CASE(
    "launch: the start command runs for a player who waited within a second, or in the queue, and for nobody else") {
  Launching it({.start = "true", .stop = ""});
  const Millis now = it.loop.now();
  it.launcher.tick(now);
  CHECK(it.starts() == 0);
  it.launcher.player_waits(now);
  it.launcher.tick(now + 1'000);  // it has left since
  CHECK(it.starts() == 0);
  it.launcher.player_waits(now);
  it.launcher.tick(now + 999);
  CHECK(it.starts() == 1);
  it.end(1);
  Launching other({.start = "true", .stop = ""});
  const auto ticket = other.route.route.upstreams.wait(1, now);
  other.launcher.tick(now);
  CHECK(other.starts() == 1);
  other.end(1);
}

TEST_CASE("launch: a start command that went well is not run again for 30 seconds, one that failed not for five") {
  for (const bool well : {true, false}) {
    CAPTURE(well);
    Launching it({.start = well ? "true" : "exit 3", .stop = ""});
    it.wait_at(it.loop.now());
    CHECK(it.starts() == 1);
    CHECK(it.runs().runs.load());
    it.wait_at(it.loop.now());
    it.end(1);
    CHECK_FALSE(it.runs().runs.load());
    const Millis ended = it.runs().ended_at, again = it.runs().again_at;
    CHECK(again - ended == (well ? 30'000 : 5'000));
    it.wait_at(again - 1);
    CHECK(it.starts() == 1);
    CHECK_FALSE(it.runs().runs.load());
    it.wait_at(again);
    CHECK(it.starts() == 2);
    it.end(2);
  }
}

TEST_CASE("launch: if a server has been up since its start command ended, the next player starts it at once") {
  Launching it({.start = "true", .stop = ""});
  it.wait_at(it.loop.now());
  it.end(1);
  const Millis ended = it.runs().ended_at;
  it.wait_at(ended + 1);
  CHECK(it.starts() == 1);
  (void)it.route.server().succeeded(ended + 2);
  it.wait_at(ended + 2);  // a server is up
  CHECK(it.starts() == 1);
  it.goes_down();
  it.wait_at(ended + 3);
  CHECK(it.starts() == 2);
  it.end(2);
}

TEST_CASE("launch: no server is started while one is up, while all are drained, or once the route is retired") {
  Launching it({.start = "true", .stop = ""});
  const Millis now = it.loop.now();
  (void)it.route.server().succeeded(now);
  it.wait_at(now);
  it.goes_down();
  it.route.server().drain(true);
  it.wait_at(now);
  it.route.server().drain(false);
  it.launcher.retire();
  it.wait_at(now);
  CHECK(it.starts() == 0);
  CHECK_FALSE(it.runs().runs.load());
}

TEST_CASE("launch: a server that may not be stopped yet is kept for the whole time again") {
  constexpr Millis kStopAfter = 100;
  int asked = 0;
  bool may = false;
  Launching it({.start = "", .stop = "true", .stop_after_ms = kStopAfter, .may_stop = [&] { return ++asked, may; }});
  const Millis now = it.loop.now();
  it.launcher.tick(now);
  it.launcher.tick(now + kStopAfter);  // no server is up
  CHECK(asked == 0);
  (void)it.route.server().succeeded(now);
  it.launcher.tick(now);
  it.launcher.tick(now + kStopAfter - 1);
  CHECK(asked == 0);
  it.launcher.tick(now + kStopAfter);
  CHECK(asked == 1);
  may = true;
  it.launcher.tick(now + 2 * kStopAfter - 1);
  CHECK(asked == 1);
  CHECK(it.stops() == 0);
  it.launcher.tick(now + 2 * kStopAfter);
  CHECK(asked == 2);
  CHECK(it.stops() == 1);
  it.end(1);
  it.launcher.tick(now + 9 * kStopAfter);
  CHECK(it.stops() == 1);
  CHECK(asked == 2);
}

TEST_CASE("launch: a player who waits, but has no session yet, keeps the server from being stopped") {
  Launching it({.start = "", .stop = "true", .stop_after_ms = 100});
  const Millis now = it.loop.now();
  (void)it.route.server().succeeded(now);
  it.launcher.tick(now);
  it.launcher.player_waits(now);
  it.launcher.tick(now + 500);
  it.launcher.tick(now + 1'000);
  it.launcher.tick(now + 1'099);
  CHECK(it.stops() == 0);
  it.launcher.tick(now + 1'100);
  CHECK(it.stops() == 1);
  it.end(1);
}

TEST_CASE("launch: a command that cannot be run is logged, and is not tried again for five seconds") {
  Launching it({.start = "true", .stop = ""});
  const Millis now = it.loop.now();
  {
    const NoFilesLeft limit;
    it.wait_at(now);
  }
  CHECK(it.starts() == 0);
  CHECK(it.route.heard.told("\"true\" cannot be run: ") == 1);
  CHECK_FALSE(it.runs().runs.load());
  it.wait_at(now + 4'999);
  CHECK(it.starts() == 0);
  it.wait_at(now + 5'000);
  CHECK(it.starts() == 1);
  it.end(1);
}

}  // namespace
}  // namespace entente::testing::launcher_test
