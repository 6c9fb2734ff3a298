// `ctl list` names the players of a relay, whatever game and transport they use, and `ctl say` reaches them.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>

#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::players_test {
namespace {

const std::string kEntente = testing::entente_binary();

/// A relay of one dialect, and the name of its bot.
struct Relayed {
  const char* scheme;
  const char* dialect;
  const char* more;  // appended to the URL to listen on
  const char* bot;
};

constexpr Relayed kRelayed[] = {
    {"bzflag", "2.4", "", "by-tcp"},
    {"bzflag", "1.10", "", "by-old-tcp"},
    {"bzdraft", "draft", "", "by-enet"},
    {"ogar+ws", "modern3", "", "by-web"},
    {"ogar+ws", "legacy4", "", "Zo\xc3\xab"},  // in 16-bit units
    {"ogar+ws", "legacy13", "", "by-old-web"},
    {"aos", "0.75", "", "by-packets"},
    {"aos", "0.76", "&mode=datagrams", "by-datagrams"},
    {"native", "protobuf", "", "by-words"},
    {"native+ws", "json", "", "by-json"},
};

std::string url(const Relayed& one, const std::string& port) {
  return std::string(one.scheme) + "://127.0.0.1:" + port + "?dialect=" + one.dialect;
}

std::string port_of(Process& process) {
  const auto line = process.line();
  REQUIRE_MESSAGE(line.has_value(), process.err());
  return line->substr(line->rfind(':') + 1);
}

/// The last field of each row; the lines "ok" and the headings are skipped.
std::vector<std::string> players(const std::string& answer) {
  std::vector<std::string> names;
  std::istringstream lines(answer);
  std::string line;
  std::getline(lines, line);
  for (std::getline(lines, line); std::getline(lines, line);) names.push_back(line.substr(line.rfind('\t') + 1));
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("the list of sessions has the players of every game's relay by name") {
  const Folder folder;
  std::vector<std::string> opens = {kEntente, "arena"};
  for (const Relayed& one : kRelayed) opens.insert(opens.end(), {"--listen", url(one, "0")});
  Process arena(opens);
  std::string config = "[control]\nsocket = \"" + folder.file("c.sock") + "\"\n";
  for (const Relayed& one : kRelayed)
    config += "[[route]]\nlisten = \"" + url(one, "0") + one.more + "\"\nto = \"" + url(one, port_of(arena)) +
              "\"\nannounce = true\n";
  Process relays({kEntente, "run", folder.write("a.toml", config)});
  std::vector<std::unique_ptr<Process>> bots;
  std::vector<std::string> wanted;
  for (const Relayed& one : kRelayed) {
    bots.push_back(std::make_unique<Process>(std::vector<std::string>{kEntente, "bot", url(one, port_of(relays)),
                                                                      "--name", one.bot, "--behaviour", "idle",
                                                                      "--reconnect"}));  // for busy machines
    wanted.emplace_back(one.bot);
  }
  std::sort(wanted.begin(), wanted.end());
  for (const auto& bot : bots) REQUIRE_MESSAGE(bot->err_has("session 1 opened"), bot->err());
  // A bot whose session is open has sent its name. The tap reads it soon after, in parallel with the traffic.
  const std::string socket = folder.file("c.sock");
  CHECK(eventually([&] { return players(answer_of(socket, "list")) == wanted; }));
  // The operator's text is inserted between the server's messages, and the bots play on.
  const std::string all =
      "ok\ntold 8 of 10 players; not told: 1 of aos (not possible in a relay of this kind), 1 of bzdraft (not possible "
      "in "
      "a "
      "relay of this kind)\n";
  CHECK(eventually([&] { return answer_of(socket, "say \"be nice\"") == all; }, std::chrono::milliseconds(200)));
  CHECK(players(answer_of(socket, "list")) == wanted);
  for (const auto& bot : bots) {
    bot->signal(SIGTERM);
    CHECK_MESSAGE(bot->wait() == 0, bot->err());
  }
}

}  // namespace
}  // namespace entente::players_test
