// Manual pages and completions have the commands and options that --help has.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::manual_test {
namespace {

const std::string kEntente = testing::entente_binary();

std::string said(std::vector<std::string> words) {
  words.insert(words.begin(), kEntente);
  const Ended ended = run(words);
  CHECK(ended.code == 0);
  CHECK(ended.err == "");
  return ended.out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

struct Told {
  std::string command;
  std::set<std::string> options;
};

/// The options of each command, as --help prints them.
std::vector<Told> told_by_each() {
  std::vector<Told> all;
  bool commands = false;
  for (const std::string& line : lines_of(said({"--help"}))) {
    if (line.empty()) commands = false;
    std::string name;
    if (commands && std::istringstream(line) >> name) all.push_back({name, {}});
    if (line == "Subcommands:") commands = true;
  }
  for (Told& one : all)
    for (const std::string& line : lines_of(said({one.command, "--help"}))) {
      if (!line.starts_with("  -")) continue;
      std::string names;
      std::istringstream(line) >> names;
      std::istringstream in(names.substr(0, names.find('=')));
      for (std::string name; std::getline(in, name, ',');) one.options.insert(name);
    }
  REQUIRE(all.size() > 10);
  return all;
}
const std::vector<Told>& told() {
  static const auto kAll = told_by_each();
  return kAll;
}

/// Escaped for man.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

TEST_CASE("the manual page has each command with its options") {
  const std::string page = said({"help", "--format", "man"});
  CHECK(page.starts_with(".TH ENTENTE 1 "));
  for (const Told& one : told()) {
    CAPTURE(one.command);
    const auto at = page.find("\n.SS entente " + one.command + " [OPTIONS]");
    REQUIRE(at != page.npos);
    const std::string part = page.substr(at, std::min(page.find("\n.S", at + 4), page.size()) - at);
    for (const std::string& option : one.options)
      if (option != "-h" && option != "--help")
        CHECK_MESSAGE(part.find("\\fB" + escaped(option) + "\\fR") != part.npos, option);
    CHECK(part.find("Example:\n  entente ") != part.npos);
  }
}

TEST_CASE("the manual page of the configuration has each key, with its comment, under its table") {
  const std::string page = said({"help", "--format", "man-config"});
  std::ifstream example(testing::source_dir() + "/config/example.toml");
  std::size_t at = 0;
  int keys = 0;
  std::string comment;
  for (std::string line; std::getline(example, line);) {
    CAPTURE(line);
    if (line.starts_with("# ")) comment = line.substr(2);
    if (line.empty() || line[0] == '#') continue;
    const std::string item =
        line[0] == '[' ? "\n.SH " + line + "\n" : "\n.TP\n\\fB" + line.substr(0, line.find(' ')) + "\\fR\n";
    at = page.find(item, at);
    REQUIRE(at != page.npos);
    const std::size_t end = std::min({page.find("\n.TP", at + 4), page.find("\n.SH", at + 4), page.size()});
    CHECK(page.substr(at, end - at).ends_with(escaped(comment)));
    ++keys;
  }
  CHECK(keys > 60);
}

/// Bash's completions of the last of these words.
std::set<std::string> offered(const std::string& script, const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"/bin/bash", "-c",
                                   "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _entente; "
                                   "printf '%s\\n' \"${COMPREPLY[@]}\"",
                                   script};
  argv.insert(argv.end(), words.begin(), words.end());
  const Ended ended = run(argv);
  CHECK(ended.err == "");
  std::set<std::string> all;
  for (const std::string& line : lines_of(ended.out)) all.insert(line);
  all.erase("");
  return all;
}

TEST_CASE("bash completes commands, options and their values") {
  const Folder folder;
  const std::string script = folder.write("entente", said({"help", "--format", "bash"}));
  std::set<std::string> commands;
  for (const Told& one : told()) {
    CAPTURE(one.command);
    commands.insert(one.command);
    CHECK(offered(script, {"entente", one.command, "-"}) == one.options);
  }
  CHECK(offered(script, {"entente", "help", ""}) == commands);
  for (const char* option : {"-h", "--help", "--version"}) commands.insert(option);
  CHECK(offered(script, {"entente", ""}) == commands);
  CHECK(offered(script, {"entente", "ver"}) == std::set<std::string>{"verify"});
  CHECK(offered(script, {"entente", "arena", "--behaviour", ""}) == std::set<std::string>{"idle", "wander", "hunt"});
  CHECK(
      offered(script, {"entente", "judge", "--json", "--l"}).contains("--labels"));  // after an option without a value
  CHECK(offered(script, {"entente", "inspect", "-w", "s"}) == std::set<std::string>{"s2c"});
  CHECK(offered(script, {"entente", "proxy", "--record", ""}).empty());  // bash itself completes file names
}

TEST_CASE("zsh and fish are offered the same options") {
  const std::string zsh = said({"help", "--format", "zsh"}), fish = said({"help", "--format", "fish"});
  CHECK(zsh.starts_with("#compdef entente\n"));
  for (const Told& one : told()) {
    CAPTURE(one.command);
    const auto at = zsh.find("\n    " + one.command + ") _arguments");
    REQUIRE(at != zsh.npos);
    const std::string part = zsh.substr(at, zsh.find(";;", at) - at);
    for (const std::string& option : one.options) {
      CAPTURE(option);
      CHECK(part.find(option + "[") != part.npos);
      const std::string name = option.starts_with("--") ? " -l " + option.substr(2) : " -s " + option.substr(1);
      const auto lines = lines_of(fish);
      CHECK(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find("__fish_seen_subcommand_from " + one.command + "'") != line.npos &&
               (line + " ").find(name + " ") != line.npos;
      }));
    }
  }
}

TEST_CASE("help --format is for all commands, and refuses a single one") {
  const Ended one = run({kEntente, "help", "run", "--format", "man"});
  CHECK(one.code == 2);
  CHECK(one.err.find("leave out COMMAND") != std::string::npos);
}

}  // namespace
}  // namespace entente::manual_test
