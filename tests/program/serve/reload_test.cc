// Routes and arenas of a configuration that changes while it is served.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>

#include "tests/program/asked.h"
#include "tests/program/native_client.h"
#include "tests/relay/late_server.h"
#include "tests/support/connection.h"
#include "tests/support/listening.h"

namespace entente::reload_test {
namespace {

using testing::FakeServer, testing::Stream;

const std::string kEntente = testing::entente_binary();

/// `entente run` with a configuration file that changes.
struct Reloaded : Asked {
  /// `keys`: the keys above all tables.
  explicit Reloaded(const std::string& rest, std::string keys = "") : top(std::move(keys)) {
    write(rest);
    process = std::make_unique<Process>(std::vector<std::string>{kEntente, "run", folder.file("a.toml")});
    const auto line = process->line();
    REQUIRE_MESSAGE(line, process->err());
    first = line->substr(line->rfind(':') + 1);
  }
  void write(const std::string& rest) {
    folder.write("a.toml", top + "[control]\nsocket = \"" + folder.file("c.sock") + "\"\n[recording]\ndirectory = \"" +
                               folder.file("") + "\"\n" + rest);
  }
  Ended reload(const std::string& rest) {
    write(rest);
    return ctl({"reload"});
  }
  static std::string route(const FakeServer& to, const std::string& more = "", int port = 0) {
    return "[[route]]\nlisten = \"panic://127.0.0.1:" + std::to_string(port) + "?dialect=be-packed\"\nto = \"panic://" +
           to.address().text() + "?dialect=be-packed\"\n" + more;
  }
  static std::string arena(const std::string& name, const std::string& more = "") {
    return "[[arena]]\nname = \"" + name + "\"\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\n" + more;
  }
  std::unique_ptr<Process> bot(const std::string& port, const std::string& name) const {
    return std::make_unique<Process>(std::vector<std::string>{
        kEntente, "bot", "native://127.0.0.1:" + port + "?dialect=json", "--name", name, "--behaviour", "idle"});
  }

  const std::string top;
  std::unique_ptr<Process> process;
  std::string first;  // the port of the first listener
};

/// The server of a bridge.
struct Yard {
  Yard() {
    const auto line = process->line();
    REQUIRE_MESSAGE(line, process->err());
    port = line->substr(line->rfind(':') + 1);
  }
  std::string route(const std::string& more) const {
    return "[[route]]\nlisten = \"native://127.0.0.1:0?dialect=json\"\nto = \"native://127.0.0.1:" + port +
           "?dialect=protobuf\"\n" + more;
  }
  const Folder folder;
  const std::unique_ptr<Process> process = std::make_unique<Process>(std::vector<std::string>{
      kEntente, "run",
      folder.write("yard.toml", "[[arena]]\nname = \"yard\"\nlisten = [\"native://127.0.0.1:0?dialect=protobuf\"]\n")});
  std::string port;
};

/// The port at the end of this line of the answer.
std::string port_of(const std::string& told, const std::string& line) {
  const auto at = told.find(line);
  REQUIRE_MESSAGE(at != std::string::npos, told);
  const std::string rest = told.substr(at, told.find('\n', at) - at);
  return rest.substr(rest.rfind(':') + 1);
}

net::Address local(const std::string& port) {
  return *net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port)));
}

/// A client of Panic that is connected to its server through the relay, which passes the bytes of this game unchanged.
struct Met {
  Met(const net::Address& listener, const FakeServer& fake) : client(Stream::to(listener)), server(fake.accept()) {
    check();
  }
  void check() const {
    server.send(kState);
    CHECK(client.read(10) == Buffer(kState.begin(), kState.end()));
  }
  static constexpr std::array<std::uint8_t, 10> kState{1, 1, 1, 0, 1, 1, 0, 0, 0, 1};
  Stream client, server;
};

bool refuses(const std::string& port) {
  const net::Address at = local(port);
  const net::Fd fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(fd.get(), at.raw(), at.size()) != 0;
}

TEST_CASE("a reload adds, changes and removes routes, and their sessions go on") {
  const FakeServer one, two;
  Reloaded it(Reloaded::route(one));
  const Met before(local(it.first), one);

  const std::string changed = Reloaded::route(two, "announce = true\n");
  const Ended told = it.reload(changed + Reloaded::route(one, "", testing::free_for_both().port()));
  REQUIRE_MESSAGE(told.code == 0, told.err);
  CHECK(told.out.find("changed: panic be-packed 127.0.0.1:" + it.first + "; 1 session goes on\n") != std::string::npos);
  const std::string second = port_of(told.out, "added: panic be-packed ");
  const Met after(local(it.first), two), other(local(second), one);
  before.check();
  CHECK(it.ctl({"say", "hello"}).out.find("told 0 of 3 players") != std::string::npos);
  const std::string stats = it.ctl({"stats"}).out;
  CHECK(stats.find("served panic be-packed 127.0.0.1:" + it.first + " sessions=2 ") != std::string::npos);

  const Ended gone = it.reload(changed);
  CHECK(gone.out.find("removed: panic be-packed 127.0.0.1:" + second + "; 1 session goes on\n") != std::string::npos);
  CHECK(refuses(second));
  const std::string route = "panic be-packed 127.0.0.1:" + second + "\t";
  CHECK(it.ctl({"routes"}).out.find("\n" + route + "panic\t-\tyes\t1\t") != std::string::npos);
  CHECK(it.ctl({"servers"}).out.find("\n" + route + one.address().text() + "\tup, draining\t") != std::string::npos);
  other.check();
  before.check();
  after.check();
  CHECK(it.reload(changed).out == "reloaded the configuration\n");
  REQUIRE(it.ctl({"drain", "--for", "10m"}).code == 0);
  const std::string undrained = it.ctl({"undrain"}).out;
  CHECK_MESSAGE(
      undrained.find("panic be-packed 127.0.0.1:" + it.first + " takes newcomers again\n") != std::string::npos,
      undrained);
  CHECK_MESSAGE(undrained.find(second + ", which a reload has removed: 1 session goes on\n") != std::string::npos,
                undrained);
  const std::string drained = it.ctl({"drain", "--for", "1s"}).out;
  CHECK(drained.find("draining panic be-packed 127.0.0.1:" + it.first + ": 2 sessions go on for 1s\n") !=
        std::string::npos);
  CHECK(drained.find(second + ": 1 session goes on for 1s\n") != std::string::npos);
  for (const Met* met : {&before, &after, &other}) CHECK(met->client.read_all().size() < 64);
  it.process->signal(SIGTERM);
  CHECK(it.process->wait() == 0);
}

TEST_CASE("drain_s ends the sessions of a route that is removed, not those of one that is changed") {
  const FakeServer one;
  const int port = testing::free_for_both().port();
  Reloaded it(Reloaded::route(one) + Reloaded::route(one, "", port), "drain_s = 1\n");
  const Met changed(local(it.first), one), removed(local(std::to_string(port)), one);
  const Ended told = it.reload(Reloaded::route(one, "announce = true\n"));
  REQUIRE_MESSAGE(told.code == 0, told.err);
  CHECK(told.out.find("changed: panic be-packed 127.0.0.1:" + it.first + "; 1 session goes on\n") != std::string::npos);
  CHECK(told.out.find("removed: panic be-packed 127.0.0.1:" + std::to_string(port) +
                      "; 1 session goes on for at most 1 s\n") != std::string::npos);
  CHECK(removed.client.read_all().size() < 64);
  changed.check();
}

TEST_CASE("drain_s does not end the sessions of a route that a reload adds back in time") {
  const FakeServer one;
  const int port = testing::free_for_both().port();
  const std::string both = Reloaded::route(one) + Reloaded::route(one, "", port);
  Reloaded it(both, "drain_s = 2\n");
  const Met back(local(std::to_string(port)), one), witness(local(it.first), one);
  REQUIRE(it.reload(Reloaded::route(one)).code == 0);
  REQUIRE(it.reload(both).code == 0);
  CHECK(it.process->err_has("panic be-packed 127.0.0.1:" + std::to_string(port) + " is back; 1 session goes on"));
  // A route that is removed later ends its session later. When that has ended, the time of the first route is over.
  REQUIRE(it.reload(Reloaded::route(one, "", port)).code == 0);
  CHECK(witness.client.read_all().size() < 64);
  back.check();
}

TEST_CASE("drain_s does not end sessions from before a change of their route, either, if it is back in time") {
  const FakeServer one;
  const int port = testing::free_for_both().port();
  const std::string first = Reloaded::route(one), changed = first + Reloaded::route(one, "announce = true\n", port);
  Reloaded it(first + Reloaded::route(one, "", port), "drain_s = 2\n");
  const Met before(local(std::to_string(port)), one), witness(local(it.first), one);
  REQUIRE(it.reload(changed).code == 0);
  const Met after(local(std::to_string(port)), one);
  REQUIRE(it.reload(first).code == 0);
  REQUIRE(it.reload(changed).code == 0);
  CHECK(it.process->err_has("panic be-packed 127.0.0.1:" + std::to_string(port) + " is back; 2 sessions go on"));
  // A route that is removed later ends its session later. When that has ended, the time of the others is over.
  REQUIRE(it.reload(Reloaded::route(one, "announce = true\n", port)).code == 0);
  CHECK(witness.client.read_all().size() < 64);
  before.check();
  after.check();
}

TEST_CASE("listeners that share a port by path have names, counters and times to drain of their own") {
  Process arena({kEntente, "arena", "--listen", "native+ws://127.0.0.1:0?dialect=json"});
  const std::string to = std::to_string(testing::listening_port(arena, "native+ws json"));
  const std::string port = std::to_string(testing::free_for_both().port()), name = "native+ws json 127.0.0.1:" + port;
  const auto route = [&](const std::string& path) {
    return "[[route]]\nlisten = \"native+ws://127.0.0.1:" + port + path +
           "?dialect=json\"\nto = \"native+ws://127.0.0.1:" + to + "?dialect=json\"\n";
  };
  Reloaded it(route("/a") + route("/b"), "drain_s = 3\n");
  Process bot(
      {kEntente, "bot", "native+ws://127.0.0.1:" + port + "/b?dialect=json", "--name", "anna", "--behaviour", "idle"});
  CHECK(it.answers("stats", "served " + name + "/b sessions=1 "));
  CHECK(it.answers("stats", "served " + name + "/a sessions=0 "));
  const Ended gone = it.reload(route("/a"));
  CHECK_MESSAGE(gone.out.find("removed: " + name + "/b; 1 session goes on for at most 3 s\n") != std::string::npos,
                gone.out);
  const Ended added = it.reload(route("/a") + route("/c"));
  CHECK_MESSAGE(added.out.find("added: " + name + "/c\n") != std::string::npos, added.out);
  CHECK(it.answers("stats", "served " + name + "/c sessions=0 "));
  CHECK(bot.wait() >= 0);  // the listener with another path does not keep its session
}

TEST_CASE("players of a route that is removed after a drain has ended are not told to connect elsewhere") {
  const FakeServer one;
  const std::string route = Reloaded::route(one);
  Reloaded it(route + Reloaded::arena("pit"), "drain_s = 1\n");
  const auto line = it.process->line();
  REQUIRE(line);
  NativeClient anna(std::stoi(line->substr(line->rfind(':') + 1)));
  anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
  REQUIRE(anna.hears([](const words::Fact& fact) { return fact.has_ready(); }));
  REQUIRE(it.ctl({"drain", "pit", "--for", "1h", "--refer", "native,pit,192.0.2.7:4000"}).code == 0);
  REQUIRE(it.ctl({"undrain", "pit"}).code == 0);
  REQUIRE(it.reload(route).code == 0);
  const auto kicked = anna.hears([](const words::Fact& fact) { return fact.has_kicked(); });
  REQUIRE(kicked);
  CHECK(kicked->kicked().text() == "the server is going down");
}

/// The number of sessions of the line of `servers` that begins like this.
std::string sessions_of(const std::string& servers, const std::string& route, const std::string& server,
                        const std::string& state) {
  const std::string begin = "\n" + route + "\t" + server + "\t" + state + "\t";
  const auto at = servers.find(begin);
  if (at == std::string::npos) return servers;
  const auto sessions = servers.find('\t', at + begin.size()) + 1;  // after the seconds
  return servers.substr(sessions, servers.find('\t', sessions) - sessions);
}

TEST_CASE("players of a route that was removed and added again count as its players") {
  const FakeServer one, two;
  const int port = testing::free_for_both().port();
  const std::string rest = Reloaded::route(two), both = rest + Reloaded::route(one, "", port);
  const std::string route = "panic be-packed 127.0.0.1:" + std::to_string(port), server = one.address().text();
  Reloaded it(both);
  const Met back(local(std::to_string(port)), one);
  REQUIRE(it.reload(rest).code == 0);
  REQUIRE(it.reload(both).code == 0);
  CHECK(sessions_of(it.answer("servers"), route, server, "up") == "1");
  CHECK(it.ctl({"drain", server}).out == "draining server " + server + ": 1 session goes on\n");
  REQUIRE(it.ctl({"undrain", server}).code == 0);

  // Its sessions on a server that the route has no more.
  const Ended changed = it.reload(rest + Reloaded::route(two, "", port));
  CHECK_MESSAGE(changed.out.find("changed: " + route + "; 1 session goes on\n") != std::string::npos, changed.out);
  CHECK(sessions_of(it.answer("servers"), route, server, "up, draining") == "1");
  const Ended gone = it.reload(rest);
  CHECK_MESSAGE(gone.out.find("removed: " + route + "; 1 session goes on\n") != std::string::npos, gone.out);
  back.check();
}

TEST_CASE("a route that a reload adds to a process without routes can be recorded") {
  const FakeServer one;
  const Asked it;
  const std::string rest = "[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n[recording]\ndirectory = \"" +
                           it.folder.file("") + "\"\n[fleet]\nnats = [\"nats://127.0.0.1:9\"]\nnode = \"a\"\n";
  const Process process({kEntente, "run", it.folder.write("a.toml", rest)});
  REQUIRE(it.answers("help", "\nnode\t"));
  it.folder.write("a.toml", rest + Reloaded::route(one));
  REQUIRE(it.ctl({"reload"}).code == 0);
  CHECK(has(it.answer("recordings"), "\tpanic be-packed 127.0.0.1:"));
}

TEST_CASE("what the recordings of a route have counted stays in its counts when a reload changes it") {
  const FakeServer one;
  const std::string port = std::to_string(testing::free_for_both().port());
  const auto route = [&](const std::string& file) {
    return Reloaded::route(one, "record = \"" + file + "\"\n", std::stoi(port));
  };
  const std::string rest = Reloaded::arena("pit");
  Reloaded it(rest + route("a.mcap"));
  {
    const Met met(local(port), one);
    REQUIRE(it.answers("stats", " recorded=1 unrecorded=0"));
  }
  REQUIRE(it.reload(rest + route("b.mcap")).code == 0);
  CHECK(has(it.answer("stats"), "served panic be-packed 127.0.0.1:" + port + " sessions=1 "));
  CHECK(has(it.answer("stats"), " recorded=1 unrecorded=0"));
  const Met met(local(port), one);
  CHECK(it.answers("stats", " recorded=2 unrecorded=0"));
  REQUIRE(it.reload(rest).code == 0);
  CHECK(has(it.answer("stats"), " recorded=2 unrecorded=0"));  // its last session goes on
}

TEST_CASE("a reload reads maps again, also those of a route that goes on as it is") {
  const Folder maps;
  const Yard yard;
  const std::string rest =
      "[metrics]\nlisten = \"127.0.0.1:0\"\n[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed&maps=" +
      maps.path().string() + "\"\nto = \"native://127.0.0.1:" + yard.port + "?dialect=protobuf\"\n";
  Reloaded it(rest);
  const auto line = it.process->line();
  REQUIRE(line.has_value());
  const net::Address metrics = local(line->substr(line->rfind(':') + 1));
  maps.write("other.map", "no map at all");
  REQUIRE(it.reload(rest).code == 0);
  CHECK_FALSE(Stream::to(local(it.first)).read(1).empty());
  CHECK(testing::eventually([&] {
    return has(testing::asked(metrics, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
               "reason=\"the folder of maps, or a file in it, cannot be read, or there are too many\"} 1\n");
  }));
}

TEST_CASE("an arena that has ended is no longer in the statistics") {
  const FakeServer one;
  const std::string route = Reloaded::route(one);
  Reloaded it(route + Reloaded::arena("pit", "bots = 2\n"));
  REQUIRE(it.answers("stats", "played bot players=2 present=2 "));
  REQUIRE(it.reload(route + Reloaded::arena("pit", "bots = 3\n")).code == 0);
  CHECK(testing::eventually([&] {
    const std::string stats = it.answer("stats");
    return has(stats, "played bot players=3 present=3 ") && !has(stats, "players=2 ");
  }));
  REQUIRE(it.reload(route).code == 0);
  CHECK(testing::eventually([&] { return !has(it.answer("stats"), "played "); }));
}

TEST_CASE("a configuration from a pipe is served; it cannot be reloaded, and nobody waits for the pipe") {
  const FakeServer one;
  const Asked it;
  const std::string pipe = it.folder.file("a.toml");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  auto written = std::async(std::launch::async, [&] {
    std::ofstream(pipe) << "[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n[log]\nfile = \"" +
                               it.folder.file("log") + "\"\n" + Reloaded::route(one);
  });
  Process process({kEntente, "run", pipe});
  written.get();
  const auto line = process.line();
  REQUIRE_MESSAGE(line, process.err());
  const Met met(local(line->substr(line->rfind(':') + 1)), one);
  std::filesystem::rename(it.folder.file("log"), it.folder.file("log.1"));
  process.signal(SIGHUP);
  CHECK(eventually([&] {
    std::ifstream log(it.folder.file("log"));  // a new one
    return has(std::string(std::istreambuf_iterator<char>(log), {}),
               "configuration not reloaded: '" + pipe + "' is not a file, and can be read only once");
  }));
  const Ended told = it.ctl({"reload"});
  CHECK(told.code == 1);
  CHECK_MESSAGE(has(told.err, "'" + pipe + "' is not a file"), told.err);
  CHECK(has(it.answer("list"), met.client.here().text()));
  process.signal(SIGTERM);
  CHECK(process.wait() == 0);
}

TEST_CASE("a reload reports the number of errors, and the limits and access lists that it has changed") {
  const FakeServer one;
  Reloaded it(Reloaded::route(one));
  const Ended wrong = it.reload(Reloaded::route(one, "policy = 1\nhold_s = \"x\"\nannounce = 2\n"));
  CHECK(wrong.code == 1);
  CHECK(wrong.err.ends_with(" (and 2 more errors; the log has all)\n"));
  const Ended told = it.reload("[limits]\nsessions = 7\n[access]\ndeny = [\"192.0.2.7\"]\n" + Reloaded::route(one));
  CHECK(told.out ==
        "reloaded the configuration\nchanged: limits.sessions: 5000 -> 7\nadded: access.deny[0]: \"192.0.2.7\"\n");
  CHECK(it.process->err_has("info  changed: limits.sessions: 5000 -> 7"));
  CHECK(it.reload(Reloaded::route(one)).out.find("changed: limits.sessions: 7 -> 5000\n") != std::string::npos);
}

TEST_CASE("a reload changes the limits of one route, and the operator's texts") {
  const FakeServer server(true);
  Reloaded it(Reloaded::route(server, "name = \"ctf\"\n"));
  const net::Address at = *net::Address::parse("127.0.0.1:" + it.first.substr(0, it.first.find(' ')));
  const Stream first = Stream::to(at);
  CHECK(it.answers("list", "\t127.0.0.1:"));
  const Ended told = it.reload("[texts]\ndraining = \"later\"\n" +
                               Reloaded::route(server, "name = \"ctf\"\n[route.limits]\nsessions = 1\n"));
  CHECK(told.code == 0);
  CHECK_MESSAGE(has(told.out, "changed: limits of ctf\n"), told.out);
  CHECK_MESSAGE(has(told.out, "texts.draining"), told.out);
  CHECK_FALSE(has(told.out, "needs a restart"));
  const Stream second = Stream::to(at);
  CHECK(it.process->err_has("too many sessions (route ctf)"));
  CHECK(it.answers("routes", "\nctf\t"));
  const Ended narrowed = it.reload(Reloaded::route(server, "name = \"ctf\"\nallow = [\"192.0.2.1\"]\n"));
  CHECK_MESSAGE(has(narrowed.out, "changed: limits of ctf\nchanged: allow of ctf\n"), narrowed.out);
  const Stream third = Stream::to(at);
  CHECK(it.process->err_has("address not allowed (route ctf)"));
  CHECK(it.answers("list", "\t127.0.0.1:"));
}

TEST_CASE("a higher limit of sessions needs a restart for an ENet listener that was opened with a lower one") {
  const FakeServer server;
  const std::string rest = Reloaded::route(server);
  Reloaded it(rest);
  const auto told = [&](const std::string& sessions, const std::string& mode = "", const std::string& before = "") {
    const std::string dialect = "?dialect=0.75";
    const Ended reloaded = it.reload(before + rest + "[[route]]\nname = \"mine\"\nlisten = \"aos://127.0.0.1:0" +
                                     dialect + mode + "\"\nto = \"aos://127.0.0.1:9" + dialect + "\"\n" +
                                     (sessions.empty() ? "" : "[route.limits]\nsessions = " + sessions + "\n"));
    CHECK_MESSAGE(reloaded.code == 0, reloaded.err);
    const auto at = reloaded.out.find("needs a restart");
    return at == std::string::npos ? "" : reloaded.out.substr(at);
  };
  const auto restart = [](const std::string& change) {
    return "needs a restart: limits.sessions: " + change + " (for the ENet listener mine)\n";
  };
  CHECK(told("10") == "");
  CHECK(told("100") == restart("10 -> 100"));
  CHECK(told("0") == restart("10 -> 0"));
  CHECK(told("9") == "");
  CHECK(told("") == restart("10 -> 5000"));
  CHECK(it.reload(rest).code == 0);
  CHECK(told("100") == "");  // it was opened anew
  CHECK(told("100") == "");
  CHECK(it.reload(rest).code == 0);
  CHECK(told("") == "");
  CHECK(told("", "", "[limits]\nsessions = 6000\n") == restart("5000 -> 6000"));
  CHECK(it.reload(rest).code == 0);
  CHECK(told("10", "&mode=datagrams") == "");
  CHECK(told("100", "&mode=datagrams") == "");
}

TEST_CASE("a new listener on all addresses conflicts with an old one on the same port, which the error names") {
  const FakeServer one;
  const std::string port = std::to_string(testing::free_for_both().port());
  const std::string before = Reloaded::route(one, "", std::stoi(port));
  Reloaded it(before);
  std::string everywhere = before;
  everywhere.replace(everywhere.find("127.0.0.1"), 9, "0.0.0.0");
  const Ended told = it.reload(everywhere);
  CHECK(told.code == 1);
  CHECK(told.err.find("panic be-packed 127.0.0.1:" + port + " still listens there; restart, or, ") !=
        std::string::npos);
  const Met met(local(port), one);
}

TEST_CASE("[::] beside IPv4 on the same port: a reload keeps what can go on, and says what needs a restart") {
  const FakeServer one;
  const int port = testing::free_for_both().port();
  const std::string rest = Reloaded::route(one), four = Reloaded::route(one, "", port);
  std::string six = four;
  six.replace(six.find("127.0.0.1"), 9, "[::]");
  const std::string everywhere = "panic be-packed [::]:" + std::to_string(port);
  const std::string restart = "needs a restart: " + everywhere + ": it takes no IPv4 until then\n";
  {
    Reloaded it(rest + four + six);
    const Met met(*net::Address::parse("::1", static_cast<std::uint16_t>(port)), one);
    const Ended alone = it.reload(rest + six);
    CHECK_MESSAGE(has(alone.out, restart), alone.out);
    CHECK(refuses(std::to_string(port)));
    // A listener that has closed, and still has a session, opens again beside IPv4.
    CHECK(it.reload(rest + four).code == 0);
    const Ended both = it.reload(rest + four + six);
    CHECK_MESSAGE(both.code == 0, both.err);
    CHECK_FALSE(has(both.out, "needs a restart"));
    met.check();
  }
  Reloaded it(rest + six);
  for (const std::string& fresh : {rest + six + four, rest + four}) {
    const Ended refused = it.reload(fresh);
    CHECK_MESSAGE(has(refused.err, everywhere + " still listens there; restart, or, "), refused.err);
  }
  CHECK(it.reload(rest).code == 0);
  CHECK(it.reload(rest + four).code == 0);
  const Ended refused = it.reload(rest + six);
  CHECK_MESSAGE(has(refused.err, std::to_string(port) + " still listens there; restart, or, "), refused.err);
}

TEST_CASE("a reload that fails in part changes nothing and leaves nothing behind") {
  const FakeServer one, two;
  const FakeServer taken;
  Reloaded it(Reloaded::route(one));
  const Ended told = it.reload(Reloaded::route(two) + Reloaded::arena("pit", "record = \"pit.mcap\"\n") +
                               Reloaded::route(one, "record = \"new.mcap\"\n", taken.port()));
  CHECK(told.code == 1);
  CHECK(told.err.find("configuration not reloaded: ") != std::string::npos);
  CHECK(told.err.find(taken.address().text()) != std::string::npos);
  const Met met(local(it.first), one);
  CHECK(it.ctl({"servers"}).out.find(two.address().text()) == std::string::npos);
  CHECK(testing::eventually([&] {
    const std::filesystem::directory_iterator files(it.folder.file(""));
    return std::none_of(begin(files), end(files),
                        [](const auto& file) { return file.path().string().find(".mcap") != std::string::npos; });
  }));
}

TEST_CASE("reloads leave no threads behind, whether they are applied or refused") {
  const FakeServer one;
  const int port = testing::free_for_both().port();
  const std::string kept = Reloaded::route(one, "", port);
  Reloaded it(kept + Reloaded::arena("pit", "seats = 8\n"));
  const Met met(local(it.first), one);
  const auto threads = [&] {
    const std::filesystem::directory_iterator all("/proc/" + std::to_string(it.process->pid()) + "/task");
    return std::distance(begin(all), end(all));
  };
  const auto reload = [&](const std::string& rest) {
    it.write(rest);
    return it.answer("reload");
  };
  const auto before = threads();
  for (int i = 0; i < 10; ++i) {
    const std::string seats = i % 2 == 0 ? "seats = 9\n" : "seats = 8\n";
    CHECK(entente::has(reload(kept + Reloaded::arena("pit", seats)), "changed: arena 'pit'\n"));
  }
  CHECK(testing::eventually([&] { return threads() == before; }));
  const std::string clash = "[[route]]\nlisten = \"bzflag://127.0.0.1:" + std::to_string(port) +
                            "?dialect=2.4\"\nto = \"bzflag://127.0.0.1:9?dialect=2.4\"\n";
  const FakeServer taken;
  for (int i = 0; i < 10; ++i) {
    const std::string pit = Reloaded::arena("pit", "seats = 9\nrecord = \"pit.mcap\"\n");
    CHECK(entente::has(reload(Reloaded::route(one) + pit + clash), "still listens there"));
    CHECK(entente::has(reload(kept + pit + Reloaded::route(one, "", taken.port())), taken.address().text()));
  }
  CHECK(testing::eventually([&] { return threads() == before; }));
  met.check();
}

TEST_CASE("a reload adds, changes and removes an arena; it ends after its last player with complete recordings") {
  const FakeServer one;
  const std::string route = Reloaded::route(one), pit = Reloaded::arena("pit", "record = \"pit.mcap\"\n");
  Reloaded it(route);
  const Ended came = it.reload(route + pit);
  REQUIRE_MESSAGE(came.code == 0, came.err);
  CHECK(came.out.find("added: arena 'pit'\n") != std::string::npos);
  const std::string port = port_of(came.out, "added: native json ");
  auto anna = it.bot(port, "anna");
  REQUIRE(it.has("anna"));

  const Ended changed = it.reload(route + Reloaded::arena("pit", "record = \"pit.mcap\"\nseats = 8\n"));
  REQUIRE_MESSAGE(changed.code == 0, changed.err);
  CHECK(changed.out.find("changed: arena 'pit'\n") != std::string::npos);
  CHECK(changed.out.find("changed: native json 127.0.0.1:" + port + "; 1 session goes on\n") != std::string::npos);
  const auto berta = it.bot(port, "berta");
  REQUIRE(it.has("berta"));
  CHECK(it.has("anna"));
  anna->signal(SIGTERM);
  CHECK(anna->wait() == 0);
  CHECK(it.process->err_has("that began before a reload has ended"));
  CHECK(testing::eventually([&] { return std::filesystem::exists(it.folder.file("pit.mcap")); }));
  CHECK(it.has("berta"));

  const Ended gone = it.reload(route);
  CHECK(gone.out.find("removed: arena 'pit'\n") != std::string::npos);
  CHECK(it.has("berta"));
  const std::string recorded = it.answer("recordings");
  CHECK_MESSAGE(recorded.find("\tnative json 127.0.0.1:" + port + "\ton, draining\t") != std::string::npos, recorded);
  CHECK(it.ctl({"record", "start"}).code == 0);  // only what takes newcomers
  CHECK(it.ctl({"record", "stop"}).code == 0);
  CHECK(it.answer("recordings").find("\ton") == std::string::npos);
  CHECK(it.answer("recordings").find("\toff, draining\t") != std::string::npos);
  CHECK(refuses(port));
}

TEST_CASE(
    "a listener that a reload adds to a drained arena is drained, too, and any that is added while all routes are") {
  const FakeServer one;
  const auto pit = [](const std::string& listeners) {
    return "[[arena]]\nname = \"pit\"\nlisten = [" + listeners + "]\n";
  };
  const std::string json = "\"native://127.0.0.1:0?dialect=json\"",
                    binary = "\"native://127.0.0.1:0?dialect=protobuf\"",
                    bzflag = "\"bzflag://127.0.0.1:0?dialect=2.4\"";
  const std::string yard = Reloaded::arena("yard"), route = Reloaded::route(one);
  Reloaded it(pit(json) + yard);
  CHECK(it.ctl({"drain", "pit"}).code == 0);
  CHECK(it.reload(pit(json + ", " + binary) + yard + route).code == 0);
  CHECK(it.process->err_has("is added, and drained as the others are"));
  const std::string pit_only = it.ctl({"undrain"}).out;
  CHECK_MESSAGE(std::count(pit_only.begin(), pit_only.end(), '\n') == 2, pit_only);  // the listeners of "pit"
  CHECK(has(pit_only, "native json "));
  CHECK(has(pit_only, "native protobuf "));

  CHECK(it.ctl({"drain"}).code == 0);
  const std::string all = pit(json + ", " + binary + ", " + bzflag) + yard + route;
  CHECK(it.reload(all + Reloaded::arena("den")).code == 0);
  const std::string everything = it.ctl({"undrain"}).out;
  CHECK_MESSAGE(std::count(everything.begin(), everything.end(), '\n') == 6, everything);

  CHECK(it.ctl({"drain"}).code == 0);
  CHECK(it.ctl({"undrain", "yard"}).code == 0);  // not all are drained any more
  const std::string more = Reloaded::route(one, "name = \"more\"\n", testing::free_for_both().port());
  CHECK(it.reload(all + Reloaded::arena("den") + more).code == 0);
  CHECK(has(it.ctl({"undrain", "more"}).out, "was not draining"));
}

TEST_CASE("players of a route whose server is down play in an arena, also when a reload has changed the arena") {
  const std::string down = testing::free_for_both().text();
  const std::string route = "[[route]]\nlisten = \"native://127.0.0.1:0?dialect=json\"\nto = \"native://" + down +
                            "?dialect=protobuf\"\nhold_s = 60\nwhile_down = \"arena pit\"\n";
  Reloaded it(route + Reloaded::arena("pit"));
  const auto anna = it.bot(it.first, "anna");
  const auto is_in_pit = [&] { return it.answer("list").find("\tanna\tpit\n") != std::string::npos; };
  REQUIRE(testing::eventually(is_in_pit));
  CHECK(it.process->err_has("no server is up; plays in the arena 'pit' meanwhile"));

  const Ended unknown = it.reload(route);
  CHECK(unknown.code == 1);
  CHECK(unknown.err.find("route[0].while_down: there is no arena 'pit'") != std::string::npos);
  const Ended changed = it.reload(route + Reloaded::arena("pit", "seats = 8\n"));
  REQUIRE_MESSAGE(changed.code == 0, changed.err);
  CHECK(testing::eventually(is_in_pit));

  const Ended without = it.reload("[[route]]\nlisten = \"native://127.0.0.1:0?dialect=json\"\nto = \"native://" + down +
                                  "?dialect=protobuf\"\nhold_s = 60\n");
  REQUIRE_MESSAGE(without.code == 0, without.err);
  CHECK(it.has("anna"));  // connected, but in no arena
}

TEST_CASE("players of a route that a reload has changed or removed find the arena that is there when the server dies") {
  const Yard yard;
  Reloaded it(yard.route("hold_s = 60\nwhile_down = \"arena pit\"\n") + Reloaded::arena("pit"));
  const auto anna = it.bot(it.first, "anna");
  REQUIRE(it.has("anna"));
  const Ended changed =
      it.reload(yard.route("hold_s = 61\nwhile_down = \"arena pit\"\n") + Reloaded::arena("pit", "seats = 8\n"));
  REQUIRE_MESSAGE(changed.code == 0, changed.err);
  CHECK(changed.out.find("changed: native json 127.0.0.1:" + it.first + "; 1 session goes on\n") != std::string::npos);

  yard.process->signal(SIGKILL);
  const auto is_in_pit = [&] { return it.answer("list").find("\tanna\tpit\n") != std::string::npos; };
  REQUIRE(testing::eventually(is_in_pit));
  REQUIRE(it.reload(Reloaded::arena("pit", "seats = 9\n")).code == 0);
  REQUIRE(it.process->err_has("the player cannot stay in the arena 'pit'"));
  CHECK(testing::eventually(is_in_pit));
}

TEST_CASE("rules that a reload has read again apply in all open rooms, also in those from before an earlier change") {
  const Yard yard;
  const auto with = [&](const std::string& route, const std::string& arena) {
    return yard.route(route + "rules = [\"v.lua\"]\n") + Reloaded::arena("pit", arena + "rules = [\"v.lua\"]\n");
  };
  Reloaded it(yard.route("") + Reloaded::arena("pit"));
  const std::string bridge = it.first, pit = port_of(it.process->line().value_or(""), "listening native json ");
  it.folder.write("v.lua", "function on_join(player) state.who = player.name log('v1 with ' .. player.name) end");
  REQUIRE(it.reload(with("name = \"first\"\n", "")).code == 0);
  const auto anna = it.bot(pit, "anna"), berta = it.bot(bridge, "berta");
  CHECK(it.process->err_has("of arena 'pit': v1 with anna"));
  CHECK(it.process->err_has("of route first: v1 with berta"));
  REQUIRE(it.reload(with("name = \"second\"\nhold_s = 60\n", "seats = 8\n")).code == 0);
  const auto clara = it.bot(pit, "clara");
  CHECK(it.process->err_has("of arena 'pit': v1 with clara"));

  it.folder.write("v.lua",
                  "function on_tick() if not state.told then state.told = true log('v2 with ' .. state.who) end end");
  const Ended changed = it.reload(with("name = \"second\"\nhold_s = 60\n", "seats = 8\n"));
  CHECK(changed.out.find("changed: the files of rules of route second\n") != std::string::npos);
  CHECK(changed.out.find("changed: the files of rules of arena 'pit'\n") != std::string::npos);
  CHECK(it.process->err_has("of arena 'pit': v2 with anna"));
  CHECK(it.process->err_has("of arena 'pit': v2 with clara"));
  CHECK(it.process->err_has("of route second: v2 with berta"));
}

}  // namespace
}  // namespace entente::reload_test
