// The output and exit codes of the binary.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::cli_test {

namespace {

const std::string kEntente = testing::entente_binary();

Ended entente_says(std::vector<std::string> words) {
  words.insert(words.begin(), kEntente);
  return run(words);
}

// The names under "Subcommands:", up to the next empty line.
std::vector<std::string> listed_commands() {
  std::istringstream help(entente_says({"--help"}).out);
  std::vector<std::string> names;
  std::string line, name;
  while (std::getline(help, line) && line != "Subcommands:") {
  }
  while (std::getline(help, line) && std::istringstream(line) >> name) names.push_back(name);
  return names;
}
const std::vector<std::string>& commands() {
  static const auto kAll = listed_commands();
  return kAll;
}

// The result of `entente COMMAND --help`, which is run once for each command.
const Ended& help_of(const std::string& command) {
  static std::map<std::string, Ended> all;
  const auto known = all.find(command);
  return known != all.end() ? known->second : all[command] = entente_says({command, "--help"});
}

TEST_CASE("recover fails, and writes nothing, if no message of the file can be read") {
  const Folder folder;
  const Ended whole = run({kEntente, "convert", testing::source_dir() + "/tests/traces/bzflag/bzfs2426-ctf.rec", "-o",
                           folder.file("a.mcap")});
  REQUIRE(whole.code == 0);
  std::filesystem::resize_file(folder.file("a.mcap"), 40);
  const Ended said = run({kEntente, "recover", folder.file("a.mcap"), "-o", folder.file("b.mcap")});
  CHECK(said.code == 1);
  CHECK(said.out == "");
  CHECK(said.err == "entente recover: " + folder.file("a.mcap") +
                        " has no message that can be read: at byte 32: the file ends inside a record's head\n");
  CHECK_FALSE(std::filesystem::exists(folder.file("b.mcap")));
}

}  // namespace

TEST_CASE("the commands are those of the README, in its order") {
  std::ifstream readme(testing::source_dir() + "/README.md");
  const std::string row = "| `entente ";
  std::vector<std::string> told;
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with(row)) told.push_back(line.substr(row.size(), line.find(' ', row.size()) - row.size()));
  for (std::string& name : told) name.resize(std::min(name.size(), name.find('`')));
  CHECK(commands() == told);
}

TEST_CASE("the help of each command has its usage and an example") {
  for (const std::string& command : commands()) {
    CAPTURE(command);
    const Ended& help = help_of(command);
    CHECK(help.code == 0);
    CHECK(help.err == "");
    CHECK(help.out.find("\nExample:\n  entente " + command) != std::string::npos);
    CHECK(help.out.find("Usage: entente " + command) != std::string::npos);
  }
}

TEST_CASE("the program's help has an example and the exit codes") {
  const Ended help = entente_says({"--help"});
  CHECK(help.code == 0);
  CHECK(help.out.find("\n  entente proxy --listen ") != std::string::npos);
  CHECK(help.out.find("Exit codes: 0 success, 1 failure, 2 ") != std::string::npos);
}

TEST_CASE("help is a command as well as an option") {
  const Ended all = entente_says({"help"});
  CHECK(all.code == 0);
  CHECK(all.out == entente_says({"--help"}).out);
  for (const std::string& command : commands()) {
    CAPTURE(command);
    const Ended one = entente_says({"help", command});
    CHECK(one.code == 0);
    CHECK(one.out == help_of(command).out);
  }
  const Ended unknown = entente_says({"help", "chek"});
  CHECK(unknown.code == 2);
  CHECK(unknown.err.starts_with("entente help: unknown command 'chek' (did you mean 'check'?); commands: proxy, run"));
}

TEST_CASE("the help of verify explains its counts and exit code 1; that of inspect, what happens if nothing matches") {
  const std::string verify = help_of("verify").out;
  for (const char* word : {"\n  exact ", "\n  opaque ", "\n  refused ", "\n  undecoded ", "\n  mismatched ",
                           "\nThe exit code is 1 if any message is opaque, undecoded or mismatched"}) {
    CAPTURE(word);
    CHECK(verify.find(word) != std::string::npos);
  }
  CHECK(help_of("inspect").out.find("\nIf nothing matches, ") != std::string::npos);
}

TEST_CASE("the version is one line") {
  const Ended said = entente_says({"--version"});
  CHECK(said.code == 0);
  CHECK(said.out == "entente 0.2.0\n");
}

TEST_CASE("a command fails if its output cannot be written") {
  const std::string trace = testing::source_dir() + "/tests/traces/panic/patched-be-2p-test-kill-win.jsonl";
  for (const std::string& words : {std::string("check --example"), std::string("games"), std::string("--version"),
                                   std::string("games --help"), "inspect " + trace, "verify " + trace}) {
    CAPTURE(words);
    const Ended said = run({"/bin/sh", "-c", kEntente + " " + words + " > /dev/full"});
    CHECK(said.code == 1);
    CHECK(said.err == "entente: cannot write to standard output\n");
  }
}

TEST_CASE("a wrong command line ends with 2 and an error that names the fault") {
  struct Case {
    std::vector<std::string> words;
    std::string said;
  };
  const std::string listen = "--listen", to = "--to";
  for (const Case& c : std::vector<Case>{
           {{},
            "entente: no command given; commands: proxy, run, arena, bot, replay, record, ctl, check, games, "
            "explain, recordings, archive, "
            "inspect, verify, reproduce, convert, clip, join, redact, stats, export, "
            "rules, judge, recover, help\n"},
           {{"chek"}, "entente: unknown command 'chek' (did you mean 'check'?)"},
           {{"quake"}, "entente: unknown command 'quake'; commands: proxy, run"},
           {{"check"}, "entente check: CONFIG or --example is required"},
           {{"check", "--exampel"}, "entente check: unknown option '--exampel' (did you mean '--example'?)"},
           {{"check", "a", "b"}, "entente check: unexpected argument 'b'"},
           {{"--quick", "check", "a"}, "entente check: The following argument was not expected: --quick\n"},
           {{"run"}, "entente run: CONFIG is required"},
           {{"run", "a", "--log-level", "loud"},
            "entente run: --log-level: expected trace, debug, info, warn, error or off, got 'loud'\n"},
           {{"inspect", "x.mcap", "--since", "1:75"},
            "entente inspect: --since: '1:75' is not a time; write seconds (75.5), minutes and seconds (1:15), or a "
            "unit"},
           {{"bot", "bzflag://h?dialect=2.4", "--seconds", "-1"}, "entente bot: --seconds: '-1' is not a time"},
           {{"verify", "x.pcap", "--port", "70000"},
            "entente verify: --port: expected an integer from 1 to 65535, got '70000'\n"},
           {{"verify", "x.pcap", "--port", "0"},
            "entente verify: --port: expected an integer from 1 to 65535, got '0'\n"},
           {{"replay", "x.mcap", listen, "native://127.0.0.1:0", "--speed", "40"},
            "entente replay: --speed: expected a number from 0.1 to 20, got '40'\n"},
           {{"stats", "x.mcap", "--link", "anna"},
            "entente stats: --link: expected an integer from 1 to 4294967295, got 'anna'\n"},
           {{"bot", "bzflag://h", "--behaviour", "hnt"},
            "entente bot: --behaviour: expected idle, wander or hunt, got 'hnt' (did you mean 'hunt'?)\n"},
           {{"redact", "x.mcap", "-o", "y.mcap", "--keep", "chat,name"},
            "entente redact: --keep: expected names, chat, "},
           {{"proxy", listen, "a", listen, "b", to, "c"}, "entente proxy: --listen is given more than once\n"},
           {{"proxy", to, "bzflag://h"}, "entente proxy: --listen is required"},
           {{"proxy", listen, "bzflag://127.0.0.1:0", to, "bzflga://h"},
            "entente proxy: --to 'bzflga://h': unknown game 'bzflga' (did you mean 'bzflag'?); games: "},
           {{"proxy", listen, "bzflag://somewhere:0", to, "bzflag://h"},
            "entente proxy: --listen 'bzflag://somewhere:0': 'somewhere' is not an address"},
           {{"proxy", listen, "ogar://127.0.0.1:0", to, "ogar://h"},
            "entente proxy: --listen 'ogar://127.0.0.1:0': ogar uses WebSocket: write ogar+ws:// or"},
           {{"proxy", listen, "bzdraft://127.0.0.1:0?mode=datagrams", to, "bzflag://h?dialect=2.4"},
            "entente proxy: 'mode=datagrams' is for relays only; this is a bridge\n"},
           {{"proxy", listen, "aos://127.0.0.1:0?spawn=now", to, "aos://h"},
            "entente proxy: --listen 'aos://127.0.0.1:0?spawn=now': unknown parameter 'spawn'; parameters: dialect, "
            "strict, mode, public_port, first, rate\n"}}) {
    const Ended said = entente_says(c.words);
    CAPTURE(said.err);
    CHECK(said.code == 2);
    CHECK(said.out == "");
    CHECK(said.err.starts_with(c.said));
    CHECK(said.err.find("--help` for usage.\n") != std::string::npos);
  }
}

TEST_CASE("check and run end with 1 if the configuration is wrong, and report each fault with its place") {
  Folder folder;
  const std::string file = folder.write("bad.toml",
                                        "workers = 0\n"
                                        "[[route]]\n"
                                        "listen = \"bzflag://127.0.0.1:0?dialect=2.5\"\n"
                                        "to = \"bzflag://127.0.0.1:1\"\n"
                                        "recrod = \"x.mcap\"\n");
  const std::string told =
      file + ":1:11: workers: expected an integer from 1 to 64 threads, got 0\n" + file +
      ":3:10: route[0].listen: 'bzflag://127.0.0.1:0?dialect=2.5': unknown dialect '2.5' of bzflag "
      "(did you mean '2.4'?); dialects: 2.4, 2.0, 1.10, wiki\n" +
      file + ":5:1: route[0].recrod: unknown key (did you mean 'record'?)\n";
  for (const char* command : {"check", "run"}) {
    const Ended said = entente_says({command, file});
    CHECK(said.code == 1);
    CHECK(said.out == "");
    CHECK(said.err == told);
  }
}

TEST_CASE("check reports that a configuration is ok") {
  const std::string file = testing::source_dir() + "/config/example.toml";
  const Ended said = entente_says({"check", file});
  CHECK(said.code == 0);
  CHECK(said.out == file + ": ok, 1 route, 1 arena\n");
  CHECK(said.err == "");
}

TEST_CASE("a command ends with 1 if its file does not exist") {
  for (const char* command : {"check", "run", "recover", "verify"}) {
    CAPTURE(command);
    const Ended said = entente_says({command, "no/such/file"});
    CHECK(said.code == 1);
    CHECK(said.err.find("no/such/file") != std::string::npos);
  }
}

}  // namespace entente::cli_test
