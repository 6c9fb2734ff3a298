// Operation of a running program: metrics for Prometheus, reload of the configuration, log files.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "proxy/program/serve/reload.h"
#include "tests/program/folder.h"
#include "tests/support/certificate.h"
#include "tests/support/connection.h"
#include "tests/support/listening.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"

namespace entente::operations_test {
namespace {

const std::string kEntente = testing::entente_binary();

/// A connection to a port of this machine.
class Caller {
 public:
  explicit Caller(std::uint16_t port)
      : fd_(testing::connect_to(*net::Address::parse("127.0.0.1", port), Process::kPatience)) {}
  void say(std::string_view text) const { ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL); }
  /// All that is received until the peer closes.
  std::string hear() const { return testing::read_all(fd_); }

 private:
  net::Fd fd_;
};

/// The port in the next line, "metrics http://127.0.0.1:PORT/metrics".
std::uint16_t metrics_port(Process& process) {
  const auto line = process.line();
  REQUIRE_MESSAGE(line, process.err());
  const auto found = testing::matched(*line, R"(metrics http://127\.0\.0\.1:(\d+)/metrics)");
  REQUIRE_MESSAGE(found, *line);
  return static_cast<std::uint16_t>(std::stoi((*found)[1]));
}

std::string get(std::uint16_t port, const std::string& path) {
  const Caller caller(port);
  caller.say("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  return caller.hear();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The metric names in the tables of proxy/manual/monitoring.md.
std::set<std::string> explained() {
  std::set<std::string> names;
  std::ifstream readme(testing::source_dir() + "/proxy/manual/monitoring.md");
  bool inside = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("| name, prefixed by `entente_`")) inside = true;
    if (line.empty()) inside = false;
    if (!inside) continue;
    const std::string first = line.substr(0, line.find('|', 1));
    for (const auto& name : testing::all_matches(first, "`([a-z_]+)`"))
      if (name[1] != "entente_") names.insert("entente_" + name[1]);
  }
  return names;
}

TEST_CASE("metrics have the format of Prometheus, and each is explained in proxy/manual/monitoring.md") {
  const Folder folder;
  Process proxy({kEntente, "proxy", "--listen", "panic://127.0.0.1:0", "--to", "panic://127.0.0.1:9?dialect=be-packed",
                 "--metrics", "127.0.0.1:0", "--record", folder.file("a.mcap")});
  const std::uint16_t listens = testing::listening_port(proxy, "panic be-packed");
  const std::uint16_t port = metrics_port(proxy);
  Caller(listens).hear();  // its server does not exist

  std::string page;
  const std::string ended = "reason=\"server cannot be reached\"} 1\n";
  for (int i = 0; i < 1'000 && page.find(ended) == std::string::npos; ++i) page = get(port, "/metrics");
  CHECK(page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  CHECK(page.find("entente_sessions_ended_total{route=\"panic be-packed 127.0.0.1:" + std::to_string(listens) + "\"," +
                  ended) != std::string::npos);
  CHECK(get(port, "/nothing").starts_with("HTTP/1.1 404 "));
  CHECK(page.find("\nentente_draining{route=\"panic be-packed 127.0.0.1:" + std::to_string(listens) + "\"} 0\n") !=
        std::string::npos);

  std::istringstream lines(page.substr(page.find("\r\n\r\n") + 4));
  const std::set<std::string> known = explained();
  constexpr const char* kSample = R"re(([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+)re";
  int samples = 0;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    if (line.starts_with("#")) continue;
    const auto sample = testing::matched(line, kSample);
    REQUIRE(sample);
    const std::string& name = (*sample)[1];
    const std::string histogram = testing::replaced(name, "_(bucket|sum|count)$", "");  // to which it belongs
    CHECK((known.contains(name) || known.contains(histogram) || name.starts_with("process_")));
    ++samples;
  }
  CHECK(samples > 50);
  proxy.signal(SIGTERM);
  CHECK(proxy.wait() == 0);
}

TEST_CASE("each metric that the dashboard and the alert rules use exists") {
  const Folder folder;
  const Certificate certificate;
  Process arena({kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json"});
  const std::string to =
      "native://127.0.0.1:" + std::to_string(testing::listening_port(arena, "native json")) + "?dialect=json";
  Process served(
      {kEntente, "run",
       folder.write("a.toml",
                    "public_host = \"192.0.2.1\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n"
                    "[[hook]]\nname = \"h\"\nurl = \"http://127.0.0.1:1/\"\nevents = [\"join\"]\n"
                    "[[list]]\nof = \"lobby\"\ntitle = \"x\"\nbzflag = \"http://127.0.0.1:1/\"\n"
                    "[[route]]\nlisten = \"native://127.0.0.1:0?dialect=json\"\nrecord = \"" +
                        folder.file("a.mcap") + "\"\nto = \"" + to +
                        "\"\n[[route]]\nlisten = \"panic://127.0.0.1:0\"\nto = \"" + to +
                        "\"\n[[arena]]\nname = \"lobby\"\nrules = [\"" +
                        folder.write("rule.lua", "function on_tick() end") +
                        "\"]\nlisten = [\"native://127.0.0.1:0?dialect=json\", "
                        "\"bzflag://127.0.0.1:0?dialect=2.4\", \"native+wss://127.0.0.1:0?dialect=json&cert=" +
                        certificate.file() + "&key=" + certificate.file() + "\"]\n")});
  const std::uint16_t relay = testing::listening_port(served, "native json");
  const std::uint16_t bridge = testing::listening_port(served, "panic be-packed");
  const std::uint16_t here = testing::listening_port(served, "native json");
  for (int i = 0; i < 2; ++i) REQUIRE(served.line());  // the arena's other listeners
  const std::uint16_t port = metrics_port(served);
  Caller(relay).say("nonsense\n");
  const std::string dialect[] = {"panic://127.0.0.1:" + std::to_string(bridge) + "?dialect=be-packed",
                                 "native://127.0.0.1:" + std::to_string(here) + "?dialect=json"};
  for (const std::string& url : dialect) CHECK(run_bot(url).code == 0);

  std::set<std::string> named;
  for (const char* file : {"/deploy/grafana.json", "/deploy/alerts.yml"})
    for (const auto& name :
         testing::all_matches(read_file(testing::source_dir() + file), "\\b(entente|process)_[a-z_]+"))
      named.insert(testing::replaced(name[0], "_bucket$", ""));
  CHECK(named.size() > 20);
  std::set<std::string> missing;
  for (int i = 0; i < 1'000 && (i == 0 || !missing.empty()); ++i) {
    const std::string page = get(port, "/metrics");
    missing.clear();
    for (const std::string& name : named)
      if (page.find("\n# TYPE " + name + " ") == std::string::npos) missing.insert(name);
  }
  for (const std::string& name : missing) CHECK_MESSAGE(false, name);
}

TEST_CASE("an invalid address for metrics is a usage error") {
  const Ended wrong =
      run({kEntente, "proxy", "--listen", "panic://127.0.0.1:0", "--to", "panic://127.0.0.1:9", "--metrics", "here"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("--metrics") != std::string::npos);
}

/// `entente run` with a configuration file that changes.
struct Operated {
  explicit Operated(const std::string& more = "")
      : file(folder.write("a.toml", text(more))), process({kEntente, "run", file}) {
    port = testing::listening_port(process, "bzflag 2.4");
  }
  std::string text(const std::string& more) const {
    return more + "\n[control]\nsocket = \"" + folder.file("c.sock") + "\"\n[[route]]\n" +
           "listen = \"bzflag://127.0.0.1:0?dialect=2.4\"\nto = \"bzflag://127.0.0.1:9?dialect=2.4\"\n";
  }
  void write(const std::string& more, const std::string& last = "") { folder.write("a.toml", text(more) + last); }
  Ended reload() const { return run({kEntente, "ctl", "--socket", folder.file("c.sock"), "reload"}); }

  Folder folder;
  std::string file;
  Process process;
  std::uint16_t port = 0;
};

TEST_CASE("SIGHUP reloads the configuration, and the new access list applies") {
  Operated it;
  it.write("[access]\ndeny = [\"127.0.0.0/8\"]");
  it.process.signal(SIGHUP);
  CHECK(it.process.err_has("reloaded the configuration"));
  const std::string refused("REFUSED:nobody may come from your address\0", 42);
  std::string told;
  for (int i = 0; i < 1'000 && told != refused; ++i) {
    const Caller after(it.port);
    after.say("BZFLAG\r\n\r\n");
    told = after.hear();
  }
  CHECK(told == refused);
  it.process.signal(SIGTERM);
  CHECK(it.process.wait() == 0);
}

TEST_CASE("after a reload, a route is identified by its listener, and has the access lists of the file") {
  Operated it;
  const std::string deny = "deny = [\"127.0.0.0/8\"]\n";
  const std::string other = "[[route]]\nlisten = \"panic://127.0.0.1:0\"\nto = \"panic://127.0.0.1:9\"\n";
  const auto told = [&] {
    REQUIRE(it.reload().code == 0);
    CHECK(run({kEntente, "ctl", "--socket", it.folder.file("c.sock"), "list"}).code == 0);  // the worker has reloaded
    const Caller caller(it.port);
    caller.say("BZFLAG\r\n\r\n");
    return caller.hear();
  };
  const std::string refused("REFUSED:nobody may come from your address\0", 42);
  CHECK(told() != refused);
  it.write("", deny);
  CHECK(told() == refused);
  it.write(other, deny);  // now the second route in the file
  CHECK(told() == refused);
  it.write(other);
  CHECK(told() != refused);
}

/// The command of a key of deploy/entente.service, with the test's files.
std::vector<std::string> unit_command(const std::string& key, const std::string& config, const std::string& control) {
  std::ifstream unit(testing::source_dir() + "/deploy/entente.service");
  std::vector<std::string> words;
  for (std::string line; std::getline(unit, line);) {
    if (!line.starts_with(key + "=")) continue;
    std::istringstream in(line.substr(key.size() + 1));
    for (std::string word; in >> word;) {
      if (word == "/usr/bin/entente") word = kEntente;
      if (word == "/etc/entente/config.toml") word = config;
      if (word == "%t/entente/control.sock") word = control;
      words.push_back(word);
    }
  }
  return words;
}

TEST_CASE("the service's reload waits for the result: with a wrong file, it fails and names the place") {
  const Folder folder;
  const std::string control = folder.file("c.sock");
  const auto write = [&](const std::string& more) {
    return folder.write("a.toml",
                        more + "\n[[route]]\nlisten = \"bzflag://127.0.0.1:0\"\nto = \"bzflag://127.0.0.1:9\"\n");
  };
  const std::string file = write("");
  Process service(unit_command("ExecStart", file, control));
  REQUIRE(service.line());
  const auto reload = [&] { return run(unit_command("ExecReload", file, control)); };
  write("[limits]\nsessions = \"many\"");
  const Ended wrong = reload();
  CHECK(wrong.code == 1);
  CHECK(wrong.err.find(file + ":2:12: limits.sessions: ") != std::string::npos);
  write("[limits]\nsessions = 8");
  CHECK(reload().code == 0);
  CHECK(service.err_has("reloaded the configuration"));
  service.signal(SIGTERM);
  CHECK(service.wait() == 0);
  CHECK(reload().code == 1);
}

TEST_CASE("after a SIGHUP during the start, the configuration is reloaded once it is served") {
  const Folder folder;
  const std::string text = "[[route]]\nlisten = \"bzflag://127.0.0.1:0\"\nto = \"bzflag://127.0.0.1:9\"\n";
  const std::string file = folder.file("a.toml"), later = folder.write("b.toml", text);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  Process process({kEntente, "run", file});
  net::Fd held;  // can be opened once the program reads its configuration; it blocks the program until closed
  const auto until = std::chrono::steady_clock::now() + Process::kPatience;
  while (!held && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    held = net::Fd(::open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  }
  REQUIRE(held);
  process.signal(SIGHUP);
  std::filesystem::rename(later, file);
  REQUIRE(::write(held.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  held.reset();
  CHECK(process.line());
  CHECK(process.err_has("reloaded the configuration"));
  process.signal(SIGTERM);
  CHECK(process.wait() == 0);
}

TEST_CASE("without a configuration file, SIGHUP stops the program cleanly, however often it is sent") {
  const Folder folder;
  Process proxy({kEntente, "proxy", "--listen", "panic://127.0.0.1:0", "--to", "panic://127.0.0.1:9", "--record",
                 folder.file("a.mcap")});
  REQUIRE(proxy.line());
  proxy.signal(SIGHUP);
  proxy.signal(SIGHUP);
  CHECK(proxy.wait() == 0);
  CHECK(proxy.out().starts_with("served panic "));
  CHECK(std::filesystem::exists(folder.file("a.mcap")));
}

TEST_CASE("a program that was started with SIGHUP ignored survives SIGHUP") {
  const Folder folder;
  Process proxy({"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\"", kEntente, "proxy", "--listen",
                 "panic://127.0.0.1:0", "--to", "panic://127.0.0.1:9", "--control", folder.file("c.sock")});
  REQUIRE(proxy.line());
  proxy.signal(SIGHUP);
  CHECK(run({kEntente, "ctl", "--socket", folder.file("c.sock"), "list"}).code == 0);
  proxy.signal(SIGTERM);
  CHECK(proxy.wait() == 0);
}

TEST_CASE("a reload of a wrong configuration changes nothing, and the error has the place") {
  Operated it;
  it.write("[limits]\nsessions = \"many\"");
  const Ended told = it.reload();
  CHECK(told.code == 1);
  CHECK(told.err == "entente: configuration not reloaded: " + it.file +
                        ":2:12: limits.sessions: expected an integer from 0 to 1000000 sessions, got 'many'\n");
  it.process.signal(SIGHUP);
  CHECK(it.process.err_has("configuration not reloaded: " + it.file + ":2:12: limits.sessions"));
  it.process.signal(SIGTERM);
  CHECK(it.process.wait() == 0);
}

TEST_CASE("a reload names the changes that need a restart") {
  Operated it;
  it.write("workers = 2\n[limits]\nsessions = 7");
  const Ended told = it.reload();
  CHECK(told.code == 0);
  CHECK(told.out ==
        "reloaded the configuration\nchanged: limits.sessions: 5000 -> 7\nneeds a restart: workers: 1 -> 2\n");
}

TEST_CASE("a reload opens a new log file if the old one was moved away") {
  const Folder folder;
  const std::string log = folder.file("entente.log"), moved = folder.file("entente.log.1");
  Operated it("[log]\nfile = \"" + log + "\"");
  REQUIRE(it.reload().code == 0);
  std::filesystem::rename(log, moved);
  REQUIRE(it.reload().code == 0);
  it.process.signal(SIGTERM);
  CHECK(it.process.wait() == 0);
  CHECK(read_file(moved).find("reloaded") != std::string::npos);
  CHECK(read_file(log).find("reloaded") != std::string::npos);
}

TEST_CASE("a reload that is refused opens a new log file, too, and the reason is in it") {
  const Folder folder;
  const std::string log = folder.file("entente.log"), moved = folder.file("entente.log.1");
  Operated it("[log]\nfile = \"" + log + "\"");
  std::filesystem::rename(log, moved);
  it.write("[limits]\nsessions = \"many\"");
  CHECK(it.reload().code == 1);
  it.process.signal(SIGTERM);
  CHECK(it.process.wait() == 0);
  CHECK(read_file(moved).find("not reloaded") == std::string::npos);
  CHECK(read_file(log).find("configuration not reloaded: " + it.file + ":2:12: limits.sessions") != std::string::npos);
}

TEST_CASE("a reload whose log file cannot be opened is refused, as a start is") {
  const Folder folder;
  std::filesystem::create_directory(folder.file("logs"));
  const std::string log = folder.file("logs/entente.log");
  Operated it("[log]\nfile = \"" + log + "\"");
  std::filesystem::rename(folder.file("logs"), folder.file("moved"));
  const Ended told = it.reload();
  CHECK(told.code == 1);
  CHECK(told.err.find("log.file: there is no folder '" + folder.file("logs") + "'") != std::string::npos);
}

TEST_CASE("a route and an arena go on after a reload if only keys differ that apply while they are served") {
  config::Route route;
  route.set_listen("bzflag://127.0.0.1:1");
  const auto goes_on = [&route](auto change) {
    config::Route fresh = route;
    change(fresh);
    return std::pair(goes_on_with(route, fresh), changed_keys(route, fresh));
  };
  using Keys = std::vector<std::string>;
  CHECK(goes_on([](config::Route&) {}) == std::pair(true, Keys{}));
  CHECK(goes_on([](config::Route& to) { to.add_allow("::1"), to.add_deny("::2"); }) ==
        std::pair(true, Keys{"allow", "deny"}));
  CHECK(goes_on([](config::Route& to) { to.mutable_limits()->set_sessions(3); }) == std::pair(true, Keys{"limits"}));
  CHECK(goes_on([](config::Route& to) { to.add_watch()->set_delay_s(3); }) == std::pair(true, Keys{}));
  CHECK_FALSE(goes_on([](config::Route& to) { to.set_listen("bzflag://127.0.0.1:2"); }).first);
  CHECK_FALSE(goes_on([](config::Route& to) { to.add_to("bzflag://127.0.0.1:3"); }).first);
  CHECK_FALSE(goes_on([](config::Route& to) { to.set_hold_s(3); }).first);
  CHECK_FALSE(goes_on([](config::Route& to) { to.set_name("ctf"); }).first);
  config::Arena arena, fresh;
  fresh.add_listen("native://127.0.0.1:1");
  fresh.add_watch()->set_delay_s(3);
  CHECK(goes_on_with(arena, fresh));
  fresh.set_seats(8);
  CHECK_FALSE(goes_on_with(arena, fresh));
}

TEST_CASE("all keys but routes, limits, access lists, log level and operator token need a restart") {
  config::Config running = default_config(), fresh = default_config();
  fresh.mutable_limits()->set_sessions(3);
  fresh.mutable_log()->set_level(config::Log::debug);
  fresh.mutable_access()->add_deny("10.0.0.0/8");
  fresh.mutable_operator_()->set_token_file("token");
  CHECK(takes_restart(running, fresh).empty());
  fresh.mutable_access()->set_ban_file("bans");
  fresh.add_route()->set_listen("panic://127.0.0.1:0");
  CHECK(takes_restart(running, fresh).size() == 1);
}

TEST_CASE("most keys of a fleet's arena, and of a route into it, need a restart") {
  config::Config running = default_config();
  config::Arena& field = *running.add_arena();
  field.set_name("field");
  field.set_fleet(true);
  field.set_seats(64);
  config::Route& route = *running.add_route();
  route.set_listen("bzflag://127.0.0.1:5154");
  route.add_to("fleet:field");
  config::Config fresh = running;
  fresh.mutable_arena(0)->add_listen("panic://127.0.0.1:5155");
  fresh.mutable_arena(0)->add_watch()->add_listen("native://127.0.0.1:5156");
  CHECK(takes_restart(running, fresh).empty());
  fresh.mutable_arena(0)->set_seats(32);
  fresh.mutable_route(0)->set_to(0, "fleet:hill");
  CHECK(takes_restart(running, fresh) ==
        std::vector<std::string>{"arena 'field': seats: 64 -> 32",
                                 R"(route 'bzflag://127.0.0.1:5154': to[0]: "fleet:field" -> "fleet:hill")"});
  for (const auto& change : {+[](config::Config& to) { to.mutable_arena(0)->set_fleet(false); },
                             +[](config::Config& to) { to.clear_arena(); }}) {
    config::Config without = running;
    change(without);
    CHECK(takes_restart(running, without) ==
          std::vector<std::string>{"arena 'field': this node may own it until then"});
  }
  for (config::Config* one : {&running, &fresh}) one->mutable_arena(0)->set_fleet(false);
  CHECK(takes_restart(running, fresh).size() == 1);
}

}  // namespace
}  // namespace entente::operations_test
