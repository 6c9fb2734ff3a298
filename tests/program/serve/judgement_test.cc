// One judgement: `check`, `run`, a reload and an upgrade refuse the same configurations, with the same words.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/program/asked.h"
#include "tests/relay/late_server.h"

namespace entente::judgement_test {
namespace {

using testing::FakeServer, testing::Stream;

const std::string kEntente = testing::entente_binary();

/// What may be wrong with a file.
struct Wrong {
  std::string lines;          // the end of the file
  std::string line;           // where the error is: the number of the line, counted from the first of `lines`
  std::string error;          // how it begins, from the column on
  bool only_opening = false;  // it is seen only when everything is opened, and `check` opens nothing
  bool warning = false;       // `check` only warns: the program that runs the file may be another
};

/// The program with these arguments, without the right to ports below 1024.
std::vector<std::string> without_rights(std::vector<std::string> argv) {
  argv.insert(argv.begin(), kEntente);
  if (::geteuid() == 0) argv.insert(argv.begin(), {"/usr/bin/setpriv", "--bounding-set=-net_bind_service"});
  return argv;
}

/// The highest port that needs a right; 0: none does.
int privileged_port() {
  int first = 1024;
  std::ifstream("/proc/sys/net/ipv4/ip_unprivileged_port_start") >> first;
  return std::max(first - 1, 0);
}

/// A relay that runs, with a player.
struct Judged : Asked {
  Judged() {
    write("");
    process = std::make_unique<Process>(without_rights({"run", folder.file("a.toml")}));
    const auto first = process->line();
    REQUIRE_MESSAGE(first, process->err());
    const auto at =
        net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(first->substr(first->rfind(':') + 1))));
    client = std::make_unique<Stream>(Stream::to(*at));
    far = std::make_unique<Stream>(server.accept());
    check();
  }
  void write(const std::string& lines) {
    const std::string top = "[control]\nsocket = \"" + folder.file("c.sock") + "\"\n[recording]\ndirectory = \"" +
                            folder.file("") +
                            "\"\n[[route]]\nlisten = \"panic://127.0.0.1:0?dialect=be-packed\"\nto = \"panic://" +
                            server.address().text() + "?dialect=be-packed\"\n";
    folder.write("a.toml", top + lines);
  }
  /// The player plays on.
  void check() const {
    constexpr std::array<std::uint8_t, 10> kState{1, 1, 1, 0, 1, 1, 0, 0, 0, 1};
    far->send(kState);
    CHECK(client->read(10) == Buffer(kState.begin(), kState.end()));
  }

  const FakeServer server;
  std::unique_ptr<Process> process;
  std::unique_ptr<Stream> client, far;
};

TEST_CASE("check, run, reload and upgrade refuse the same files with the same words, and what runs goes on") {
  Judged it;
  const FakeServer taken;
  const std::string none = it.folder.file("none/a"), there = it.folder.write("there.mcap", "no recording"),
                    bans = it.folder.write("bans", "garbage\n"), pipe = it.folder.file("pipe"),
                    left = it.folder.file("left.mcap"), folder = it.folder.path().string(),
                    port = std::to_string(testing::free_for_both().port());
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const std::string arena = "[[arena]]\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\n";
  const auto route = [&](const std::string& listen) {
    return "[[route]]\nlisten = \"" + listen + "\"\nto = \"native://127.0.0.1:1?dialect=json\"\n";
  };
  it.folder.write("left.mcap.part", "");
  std::vector<Wrong> all = {
      {"[limits\n", "1", ""},
      {"lab = \"@" + pipe + "\"\n", "1", ":7: route[0].lab: '" + pipe + "' is not a file"},
      {"[log]\nfile = \"" + none + "\"\n", "2", ":8: log.file: there is no folder"},
      {"[access]\nban_file = \"" + none + "\"\n", "2", ":12: access.ban_file: there is no folder"},
      {"[access]\nban_file = \"" + bans + "\"\n", "2", ":12: access.ban_file: " + bans + ":1: 'garbage' is not"},
      {"[access]\nban_file = \"" + pipe + "\"\n", "2", ":12: access.ban_file: '" + pipe + "' is not a file"},
      {"[operator]\nlisten = \"127.0.0.1:0\"\ntoken_file = \"" + none + "\"\n", "3",
       ":14: operator.token_file: cannot read the token in "},
      {"[fleet]\nnats = [\"nats://127.0.0.1:1\"]\ntoken_file = \"" + none + "\"\n", "3",
       ":14: fleet.token_file: cannot read "},
      {"[log]\nfile = \"" + pipe + "\"\n", "2", ":8: log.file: '" + pipe + "' is not a file"},
      {"[fleet]\nnats = [\"tls://127.0.0.1:1\"]\ncert = \"" + there + "\"\nkey = \"" + there + "\"\n", "3",
       ":8: fleet.cert: cannot read a certificate from '" + there + "'"},
      {"[fleet]\nnats = [\"tls://127.0.0.1:1\"]\nca = \"" + there + "\"\n", "3",
       ":6: fleet.ca: cannot read authorities from '" + there + "'"},
      {"[fleet]\nnats = [\"nats://127.0.0.1:1\"]\ncredentials = \"" + folder + "\"\n", "3",
       ":15: fleet.credentials: " + folder + " is a folder"},
      {"[metrics]\nlisten = \"[::]:" + port + "\"\n" + route("native://127.0.0.1:" + port + "?dialect=json"), "4",
       ":10: route[1].listen: 127.0.0.1:" + port + " is taken by metrics.listen already"},
      {"[metrics]\nlisten = \"127.0.0.1:" + port + "\"\n" + route("native://[::]:" + port + "?dialect=json"), "4",
       ":10: route[1].listen: [::]:" + port + " is taken by metrics.listen already"},
      {"[metrics]\nlisten = \"192.0.2.7:9464\"\n", "2", ":10: metrics.listen: cannot listen on 192.0.2.7:9464: "},
      {arena + "record = \"" + none + ".mcap\"\n", "3", ":10: arena[0].record: there is no folder"},
      {arena + "record = \"" + there + "\"\n", "3", ":10: arena[0].record: '" + there + "' exists already"},
      {arena + "from = \"" + there + "\"\n", "3", ":8: arena[0].from: "},
      {route("native+wss://127.0.0.1:0?dialect=json&cert=" + none + "&key=" + none), "2",
       ":10: route[1].listen: cannot read a certificate from '" + none + "'"},
      {route("native://192.0.2.7:5100?dialect=json"), "2", ":10: route[1].listen: cannot listen on 192.0.2.7:5100: "},
      {route("native://" + taken.address().text() + "?dialect=json"), "2",
       ":10: route[1].listen: cannot listen on " + taken.address().text() + ": ", true},
      {arena + "record = \"" + left + "\"\n", "3",
       ":10: arena[0].record: '" + left + ".part' exists already: a recording was not closed; ", false, true},
  };
  if (const std::string low = "127.0.0.1:" + std::to_string(privileged_port()); low.ends_with(":0"))
    MESSAGE("not all run: every user may listen on all ports here");
  else
    all.push_back({route("native://" + low + "?dialect=json"), "2",
                   ":10: route[1].listen: cannot listen on " + low + ": Permission denied; ", false, true});
  constexpr int kLinesBefore = 7;
  for (const Wrong& wrong : all) {
    CAPTURE(wrong.lines);
    it.write(wrong.lines);
    const std::string file = it.folder.file("a.toml");
    const std::string error = file + ":" + std::to_string(kLinesBefore + std::stoi(wrong.line)) + wrong.error;
    const Ended check = run(without_rights({"check", file}));
    CHECK(check.code == (wrong.only_opening || wrong.warning ? 0 : 1));
    // The whole line, as `run` prints it.
    const Ended start = run(without_rights({"run", file, "--control", it.folder.file("d.sock")}));
    CHECK(start.code == 1);
    const std::size_t at = start.err.find(error);
    REQUIRE_MESSAGE(at != std::string::npos, start.err);
    const std::string said = start.err.substr(at, start.err.find('\n', at) - at);
    std::string as_checked = said;
    if (wrong.warning) as_checked.insert(said.find(": ", said.find("].")) + 2, "warning: ") += " (unless ";
    if (!wrong.only_opening) CHECK_MESSAGE(has(check.err, as_checked + (wrong.warning ? "" : "\n")), check.err);
    for (const char* command : {"reload", "upgrade"}) {
      const Ended told = it.ctl({command});
      CHECK(told.code == 1);
      CHECK_MESSAGE(has(told.err, said), told.err);
      it.check();
    }
  }
  it.write("");
  CHECK(it.ctl({"reload"}).code == 0);
  it.check();
  it.process->signal(SIGTERM);
  CHECK(it.process->wait() == 0);
}

}  // namespace
}  // namespace entente::judgement_test
