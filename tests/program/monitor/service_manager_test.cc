// The program under a service manager, played by the tests: the states that it receives, the sockets that it passes.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "adapters/panic/panic.h"
#include "proxy/base/text.h"
#include "proxy/net/fd.h"
#include "proxy/net/socket.h"
#include "proxy/program/monitor/notifier.h"
#include "proxy/program/take_over/older_sockets.h"
#include "proxy/relay/proxy_server.h"
#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/relay/peers.h"
#include "tests/support/connection.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::service_manager_test {
namespace {

const std::string kEntente = testing::entente_binary();

/// The socket at which a service manager receives states.
class Manager {
 public:
  Manager() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path().copy(at.sun_path, sizeof at.sun_path - 1);
    REQUIRE(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  }
  std::string path() const { return folder_.file("notify"); }

  /// The next state that it receives, or "" if there is none in time.
  std::string next(std::chrono::milliseconds within = Process::kPatience) const {
    const timeval most{within.count() / 1'000, within.count() % 1'000 * 1'000};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    std::array<std::uint8_t, 4096> room;
    const ssize_t size = testing::receive(fd_.get(), room);
    return std::string(as_text(Bytes(room).first(static_cast<std::size_t>(std::max<ssize_t>(0, size)))));
  }
  /// The next state that has `part`.
  std::string next_with(const std::string& part) const {
    std::string state = next();
    while (!state.empty() && state.find(part) == std::string::npos) state = next();
    return state;
  }

 private:
  Folder folder_;
  net::Fd fd_;
};

/// `entente run` of one route, as a service.
struct Managed {
  explicit Managed(const std::vector<std::string>& variables = {}) {
    std::vector<std::string> argv = {"/usr/bin/env", "NOTIFY_SOCKET=" + manager.path()};
    argv.insert(argv.end(), variables.begin(), variables.end());
    argv.insert(argv.end(), {kEntente, "run", write("")});
    process.emplace(argv);
  }
  std::string write(const std::string& more) const {
    return folder.write("a.toml", more +
                                      "[[route]]\nlisten = \"bzflag://127.0.0.1:0?dialect=2.4\"\n"
                                      "to = \"bzflag://127.0.0.1:9?dialect=2.4\"\n");
  }

  Folder folder;
  Manager manager;
  std::optional<Process> process;
};

TEST_CASE("a long error in the status line is cut between characters") {
  Managed it;
  REQUIRE(it.process->line());
  std::string umlauts;
  for (int i = 0; i < 110; ++i) umlauts += "\xc3\xa4";
  for (const std::string begins : {"", "x"}) {
    it.write("[log]\nfile = \"" + it.folder.file(begins + umlauts) + "/" + umlauts + "/log\"\n");
    it.process->signal(SIGHUP);
    const std::string status = it.manager.next_with("/" + begins + "\xc3\xa4");
    CHECK(is_text(status));
    CHECK(status.size() > 300);
  }
}

TEST_CASE("the service manager is notified when the program is ready, reloads and stops") {
  Managed it;
  CHECK(it.manager.next() == "READY=1\nSTATUS=serving 1 route, 0 players");
  CHECK(it.process->line()->starts_with("listening bzflag 2.4 127.0.0.1:"));
  it.process->signal(SIGHUP);
  const std::string reloading = it.manager.next();
  CHECK(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="));
  CHECK(it.manager.next() == "READY=1");
  CHECK(it.process->err_has("reloaded the configuration"));
  it.write("[limits]\nsessions = \"many\"\n");
  it.process->signal(SIGHUP);
  CHECK(it.manager.next().starts_with("RELOADING=1\n"));
  CHECK(it.manager.next() == "READY=1");
  CHECK(it.manager.next_with("STATUS=").starts_with(
      "STATUS=serving 1 route, 0 players; the last reload failed: " + it.folder.file("a.toml") + ":"));
  it.process->signal(SIGTERM);
  CHECK(it.manager.next_with("STOPPING=1") == "STOPPING=1\nSTATUS=stopping");
  CHECK(it.process->wait() == 0);
}

TEST_CASE("the status line counts players, not spectators on watched servers, nor their audiences") {
  const Folder folder;
  const Manager manager;
  Process process({"/usr/bin/env", "NOTIFY_SOCKET=" + manager.path(), kEntente, "run", folder.write("a.toml", R"(
[[route]]
listen = "native://127.0.0.1:0?dialect=protobuf"
to = "native://127.0.0.1:9?dialect=protobuf"
watch = [{ listen = "native://127.0.0.1:0?dialect=protobuf" }]
[[arena]]
name = "pit"
listen = ["native://127.0.0.1:0?dialect=json"]
watch = [{ listen = "native://127.0.0.1:0?dialect=json", delay_s = 0 }]
)")});
  CHECK(manager.next() == "READY=1\nSTATUS=serving 1 route, 1 arena, 0 players");
  std::vector<int> ports;
  while (ports.size() < 2) {
    const auto line = process.line();
    REQUIRE(line);
    const auto at = line->find("native json 127.0.0.1:");
    if (at != std::string::npos) ports.push_back(std::stoi(line->substr(line->find(':', at) + 1)));
  }
  const auto enter = [](int port) {
    std::unique_ptr<NativeClient> client;
    // Viewers are let in once there is something to see.
    REQUIRE(eventually([&] {
      client = std::make_unique<NativeClient>(port);
      client->says("{\"enter\":{\"name\":\"anna\"}}\n");
      const auto told = client->hears([](const words::Fact& fact) { return fact.has_ready() || fact.has_refused(); });
      return told && told->has_ready();
    }));
    return client;
  };
  const auto viewer = enter(ports[1]);
  auto player = enter(ports[0]);
  CHECK(manager.next_with(", 1 player") != "");
  player.reset();
  CHECK(manager.next_with(", 0 players") != "");
}

TEST_CASE("only a service manager with a watchdog receives keep-alives") {
  const Managed watched({"WATCHDOG_USEC=200000"});
  CHECK(watched.manager.next().starts_with("READY=1\n"));
  for (int i = 0; i < 3; ++i) CHECK(watched.manager.next().starts_with("WATCHDOG=1\n"));
  const Managed other({"WATCHDOG_USEC=200000", "WATCHDOG_PID=1"});  // meant for another process
  CHECK(other.manager.next().starts_with("READY=1\n"));
  CHECK(other.manager.next(std::chrono::milliseconds(1'000)) == "");
}

TEST_CASE("keep-alives come well before the service manager stops waiting for them") {
  using std::chrono::milliseconds, std::chrono::steady_clock;
  const Managed watched({"WATCHDOG_USEC=1000000"});
  CHECK(watched.manager.next_with("WATCHDOG=1") != "");
  bool in_time = false;
  for (int i = 0; i < 20 && !in_time; ++i) {  // on a busy machine, some may be late
    const auto since = steady_clock::now();
    REQUIRE(watched.manager.next_with("WATCHDOG=1") != "");
    in_time = steady_clock::now() - since < milliseconds(750);
  }
  CHECK(in_time);
}

/// Blocks each worker that reports an event, until let_go().
class Holding final : public relay::Events {
 public:
  void opened(const std::string&, const relay::LinkInfo&, std::uint64_t) override { hold(); }
  void closed(const std::string&, const relay::LinkInfo&, const relay::SessionOutcome&, std::uint64_t) override {
    hold();
  }
  void refused(const std::string&, const relay::LinkInfo&, relay::Reason, const Fault&, std::uint64_t,
               std::uint64_t) override {
    hold();
  }
  void words_dropped(const std::string&, const relay::LinkInfo&, std::string_view, std::uint64_t) override { hold(); }
  void warned(std::string_view, const relay::About&, std::uint64_t) override { hold(); }

  std::future<void> holds() { return holds_.get_future(); }
  void let_go() { free_.set_value(); }

 private:
  void hold() {
    if (!held_.exchange(true)) holds_.set_value();
    freed_.wait();
  }
  std::atomic<bool> held_{false};
  std::promise<void> holds_, free_;
  const std::shared_future<void> freed_ = free_.get_future().share();
};

/// Environment variables of this process, set while the object lives.
class Variables {
 public:
  explicit Variables(std::vector<std::pair<const char*, std::string>> all) : all_(std::move(all)) {
    for (const auto& [name, value] : all_) ::setenv(name, value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : all_) ::unsetenv(name);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  const std::vector<std::pair<const char*, std::string>> all_;
};

TEST_CASE("a worker that is stuck stops the keep-alives, though the other workers run") {
  const Manager manager;
  const Variables variables({{"NOTIFY_SOCKET", manager.path()}, {"WATCHDOG_USEC", "100000"}});
  Holding events;
  auto held = events.holds();
  relay::ProxyServer server(2, events);
  relay::RouteOptions route;
  route.game = &panic::game();
  route.listen = *net::Address::parse("127.0.0.1", 0);
  route.servers[0].host = "127.0.0.1";
  route.servers[0].port = 9;
  route.servers[0].dialect = 0;
  const auto listening = server.add(route);
  REQUIRE(listening);
  {
    const Notifier notifier(server, [] { return std::string("fine"); });
    CHECK(manager.next() == "READY=1\nSTATUS=fine");
    std::thread serving([&] { server.run(); });
    for (int i = 0; i < 2; ++i) CHECK(manager.next().starts_with("WATCHDOG=1\n"));
    auto client = net::stream_towards(listening->address);  // its server does not exist, which is an event
    (void)::connect(client->tcp.get(), listening->address.raw(), listening->address.size());
    REQUIRE(held.wait_for(Process::kPatience) == std::future_status::ready);
    while (!manager.next(std::chrono::milliseconds(1)).empty()) {
    }
    (void)manager.next(std::chrono::milliseconds(200));  // one may have been sent already
    CHECK(manager.next(std::chrono::milliseconds(600)) == "");
    events.let_go();
    client->tcp.reset();  // otherwise stop() waits for the client
    CHECK(manager.next().starts_with("WATCHDOG=1\n"));
    server.stop();
    serving.join();
  }
}

// -- Passed sockets ---------------------------------------------------------------------------------------------------

/// Descriptors for a child. They are numbered from 100 on, so that the shell can move them to 3, 4, …
class Passed {
 public:
  void add(const net::Fd& fd, const std::string& name) {
    fds_.emplace_back(::fcntl(fd.get(), F_DUPFD, 100));
    names_ += (names_.empty() ? "" : ":") + name;
  }
  /// The command that starts `argv` with them, as systemd does.
  std::vector<std::string> command(const std::vector<std::string>& argv) const {
    std::string script;
    for (std::size_t i = 0; i < fds_.size(); ++i)
      script += "exec " + std::to_string(3 + i) + "<&" + std::to_string(fds_[i].get()) + "; ";
    for (const net::Fd& fd : fds_) script += "exec " + std::to_string(fd.get()) + "<&-; ";
    script +=
        "LISTEN_PID=$$ LISTEN_FDS=" + std::to_string(fds_.size()) + " LISTEN_FDNAMES=" + names_ + " exec \"$0\" \"$@\"";
    std::vector<std::string> words = {"/bin/bash", "-c", script};
    words.insert(words.end(), argv.begin(), argv.end());
    return words;
  }

 private:
  std::vector<net::Fd> fds_;
  std::string names_;
};

net::Fd local_socket(const std::string& path) {
  net::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof at.sun_path - 1);
  REQUIRE(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  REQUIRE(::listen(fd.get(), 16) == 0);
  return fd;
}

std::string line_after(const std::string& text, const std::string& start) {
  const auto at = text.find(start);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST_CASE("listeners use the passed sockets of their address, and unused sockets are logged") {
  const Folder folder;
  const auto any = *net::Address::parse("127.0.0.1", 0);
  const auto both = net::listen(any, true);
  const auto metrics = net::listen(any, false), stray = net::listen(any, false);
  const auto udp = net::listen_datagrams(any), relayed = net::listen_datagrams(any);
  REQUIRE((both && metrics && stray && udp && relayed));
  const std::string control = folder.file("c.sock");
  const net::Fd local = local_socket(control);
  Passed passed;
  passed.add(both->tcp, "bzflag");
  passed.add(both->udp, "bzflag");
  passed.add(udp->udp, "aos");
  passed.add(relayed->udp, "aos-relay");
  passed.add(metrics->tcp, "metrics");
  passed.add(stray->tcp, "stray");
  passed.add(local, "control");
  // The test holds all these ports, so a listener that does not use its passed socket cannot listen.
  const std::string config = folder.write(
      "a.toml", "[control]\nsocket = \"" + control + "\"\n[metrics]\nlisten = \"" + metrics->address.text() +
                    "\"\n[[arena]]\nlisten = [\"bzflag://" + both->address.text() + "?dialect=2.4\", \"aos://" +
                    udp->address.text() + "?dialect=0.75\"]\n[[route]]\nlisten = \"aos://" + relayed->address.text() +
                    "?dialect=0.75&mode=datagrams\"\nto = \"aos://127.0.0.1:9?dialect=0.75\"\n");
  Process process(passed.command({kEntente, "run", config}));
  std::vector<std::string> lines;
  for (int i = 0; i < 4; ++i) lines.push_back(process.line().value_or(""));
  REQUIRE_MESSAGE(!lines.back().empty(), process.err());
  CHECK(process.err_has("a socket that no listener uses: TCP " + stray->address.text() + " (stray)"));
  CHECK(line_after(process.err().substr(process.err().rfind("no listener uses")), "no listener uses") ==
        "no listener uses: TCP " + stray->address.text() + " (stray)");  // no other socket
  std::vector<int> runs;
  for (const std::string& url :
       {"bzflag://" + both->address.text() + "?dialect=2.4", "aos://" + udp->address.text() + "?dialect=0.75"}) {
    CAPTURE(url);
    const BotEnded bot = run_bot(url);
    runs.push_back(bot.runs);
    CHECK_MESSAGE(bot.code == 0, bot.err);
    CHECK(bot.out.starts_with("bots 1 of 1 were let in, 0 refused or kicked"));
  }
  const Ended stats = run({kEntente, "ctl", "--socket", control, "stats"});
  CHECK(stats.code == 0);
  CHECK(stats.out.find("served bzflag 2.4 " + both->address.text() + " sessions=" + std::to_string(runs[0])) !=
        std::string::npos);
  process.signal(SIGTERM);
  CHECK(process.wait() == 0);
  CHECK(std::filesystem::exists(control));  // the service manager's socket is not removed
}

TEST_CASE("beside a passed control socket there may be room for no other; the next processes know the old one anyway") {
  const Asked it;
  const std::string control = it.folder.file("c.sock"), stopped = it.folder.file("stopped");
  const testing::FakeServer server;
  const std::string config = it.folder.write(
      "a.toml", "[control]\nsocket = \"" + control + "\"\n[[route]]\nlisten = \"bzflag://" +
                    testing::free_for_both().text() + "?dialect=2.4\"\nto = \"bzflag://" + server.address().text() +
                    "?dialect=2.4\"\nhold_s = 60\ncheck_s = 1\nstop_after_s = 1\nstop = \"echo >>" + stopped + "\"\n");
  Passed passed;
  passed.add(local_socket(control), "control");
  Process old(passed.command({kEntente, "run", config}));
  const auto line = old.line();
  REQUIRE_MESSAGE(line, old.err());
  std::filesystem::create_directory(older_socket(control, old.pid()));  // so it can make no socket
  std::vector<testing::Stream> all;                                     // checks, and the player's
  const auto accept = [&] {
    all.push_back(server.accept());
    all.back().send("BZFS0221\x07");
  };
  auto client =
      std::make_unique<testing::Stream>(testing::Stream::to(*net::Address::parse(line->substr(line->rfind(' ') + 1))));
  client->send("BZFLAG\r\n\r\n");
  accept();
  REQUIRE(it.answers("list", client->here().text()));
  const auto upgrade = [&] {
    const Ended upgraded = it.ctl({"upgrade"});
    REQUIRE_MESSAGE(upgraded.code == 0, upgraded.err);
    return std::stoi(upgraded.out.substr(std::string("process ").size()));
  };
  const int second = upgrade();
  CHECK(old.err_has("after the take-over, `entente ctl` does not reach the players of this process: "));
  const auto stops = [&] {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(stopped, none);
    return none ? 0 : bytes;
  };
  const auto before = stops();  // on a slow machine, the player came late
  const int third = upgrade();
  CHECK(entente::eventually([&] { return !std::filesystem::exists(older_socket(control, second)); }));  // it has ended
  for (int checks = 0; checks < 6; ++checks) accept();
  CHECK(stops() == before);
  client.reset();
  CHECK(entente::eventually([&] { return stops() > before; }));
  CHECK(::kill(third, SIGTERM) == 0);
  CHECK(old.wait() == 0);
}

TEST_CASE("a passed control socket that others may use is refused") {
  const Folder folder;
  const std::string control = folder.file("c.sock");
  const net::Fd local = local_socket(control);
  std::filesystem::permissions(control, std::filesystem::perms{0620});
  Passed passed;
  passed.add(local, "control");
  const std::string config =
      folder.write("a.toml", "[control]\nsocket = \"" + control +
                                 "\"\n[[route]]\nlisten = \"panic://127.0.0.1:0\"\nto = \"panic://127.0.0.1:9\"\n");
  const Ended ended = run(passed.command({kEntente, "run", config}));
  CHECK(ended.code != 0);
  CHECK(
      ended.err.find("'" + control + "', which systemd passed, can be used by others; give its unit SocketMode=0600") !=
      std::string::npos);
}

TEST_CASE("a passed socket that does not fit is not used, and the log names its fault; one of both families fits") {
  const Folder folder;
  net::Fd two(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto at = *net::Address::parse("[::]", 0);
  if (!two || ::bind(two.get(), at.raw(), at.size()) != 0) return;  // no IPv6 here
  REQUIRE(::listen(two.get(), 16) == 0);
  const auto connecting = net::stream_towards(*net::Address::parse("127.0.0.1", 9));
  Passed passed;
  passed.add(two, "two");
  passed.add(connecting->tcp, "deaf");
  const std::string both = net::local_address(two.get()).text();
  Process process(passed.command(
      {kEntente, "proxy", "--listen", "panic://" + both, "--to", "panic://127.0.0.1:9?dialect=be-packed"}));
  CHECK(process.line() == "listening panic be-packed " + both);
  CHECK(process.err_has(" (deaf), which does not listen"));
  process.signal(SIGTERM);
  CHECK(process.wait() == 0);
  CHECK(process.err().find("(two)") == std::string::npos);
}

}  // namespace
}  // namespace entente::service_manager_test
