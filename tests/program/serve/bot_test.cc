// `entente bot`: why bots were refused or kicked, and how they reconnect.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

#include "proxy/program/serve/bot_crowd.h"
#include "tests/program/asked.h"
#include "tests/program/folder.h"
#include "tests/relay/peers.h"
#include "tests/support/free_port.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::bot_test {
namespace {

const std::string kEntente = testing::entente_binary();

TEST_CASE("the error of bots that cannot join has the address and the reason") {
  const Ended said = run({kEntente, "bot", "native://127.0.0.1:9", "--count", "3"});
  CHECK(said.code == 1);
  CHECK(said.out ==
        "bots 0 of 3 were let in, 3 refused or kicked, 0 disconnected; spawns=0 shots=0 kills=0 deaths=0\n");
  CHECK(said.err.ends_with("entente: bot 1 could not join: 127.0.0.1:9 cannot be reached (and 2 more)\n"));
}

TEST_CASE("bot and record say why nothing came of it, when the server is silent or sends something else") {
  const testing::FakeServer server;
  const std::string url = "native://" + server.address().text();
  const Folder folder;
  const Ended bot = run({kEntente, "bot", url, "--seconds", "1"});
  CHECK(bot.code == 1);
  CHECK_MESSAGE(bot.err.ends_with("entente: bot 1 was stopped before the server let it in\n"), bot.err);
  Process recorder({kEntente, "record", folder.file("a.mcap"), "--from", url});
  for (int i = 0; i < 2; ++i) server.accept().send("HTTP/1.1 400 Bad Request\r\n\r\n");
  CHECK(recorder.wait() == 1);
  CHECK_MESSAGE(recorder.err().ends_with("entente: nothing was recorded: the recorder lost its connection: the server "
                                         "sent something that cannot be understood; try again later\n"),
                recorder.err());
  CHECK_FALSE(std::filesystem::exists(folder.file("a.mcap")));
}

/// An arena that is controlled by ctl.
struct Place : Asked {
  explicit Place(const std::string& at = "native://127.0.0.1:0")
      : process({kEntente, "arena", "--listen", at, "--control", folder.file("c.sock")}), url([this] {
          const auto line = process.line();
          REQUIRE_MESSAGE(line.has_value(), process.err());
          return "native://127.0.0.1:" + line->substr(line->rfind(':') + 1);
        }()) {}
  /// Waits until anna has a link other than `before`, and returns it; "" if she does not join in time.
  std::string link(const std::string& before = "") const {
    std::string link;
    const bool came = eventually([&] {
      link = link_of("anna");
      return !link.empty() && link != before;
    });
    return came ? link : "";
  }

  Process process;
  std::string url;
};

TEST_CASE("the error of a kicked bot has the reason") {
  const Place place;
  Process bot({kEntente, "bot", place.url, "--name", "anna"});
  const std::string link = place.link();
  REQUIRE(place.ctl({"kick", link, "be nice"}).code == 0);
  CHECK(bot.wait() == 1);
  CHECK(bot.out().starts_with("bots 1 of 1 were let in, 1 refused or kicked, 0 disconnected; "));
  CHECK(bot.err().ends_with("entente: bot 1 was kicked: be nice\n"));
}

TEST_CASE("with --reconnect a kicked bot reconnects, and counts as the same bot") {
  const Place place;
  Process bot({kEntente, "bot", place.url, "--name", "anna", "--reconnect"});
  const std::string first = place.link();
  REQUIRE(place.ctl({"kick", first, "be nice"}).code == 0);
  CHECK(bot.err_has("bot 1 was kicked: be nice; it reconnects in 1 s"));
  const std::string second = place.link(first);
  CHECK(second != "");
  REQUIRE(place.ctl({"kick", second}).code == 0);
  CHECK(bot.err_has("; it reconnects in 2 s"));
  CHECK(place.link(second) != "");
  bot.signal(SIGTERM);
  CHECK(bot.wait() == 0);
  CHECK(bot.out().starts_with("bots 1 of 1 were let in, 2 refused or kicked, 0 disconnected; "));
  CHECK(bot.out().ends_with(" reconnects=2\n"));
}

TEST_CASE("a bot that loses its server connects to the next one at the same address") {
  const Place first("native://127.0.0.1:" + std::to_string(testing::free_port()));
  Process bot({kEntente, "bot", first.url, "--name", "anna", "--reconnect"});
  CHECK(first.link() != "");
  first.process.signal(SIGKILL);
  CHECK(bot.err_has("bot 1 lost its connection: "));
  CHECK(bot.err_has("cannot be reached; it reconnects in 2 s"));
  const Place next(first.url);
  CHECK(next.link() != "");
  bot.signal(SIGTERM);
  CHECK(bot.wait() == 0);
}

TEST_CASE("a bot that loses its server counts as disconnected") {
  const Place place;
  Process bot({kEntente, "bot", place.url, "--name", "anna"});
  REQUIRE(place.link() != "");
  place.process.signal(SIGKILL);
  bot.wait();
  CHECK(bot.out().starts_with("bots 1 of 1 were let in, 0 refused or kicked, 1 disconnected; "));
}

TEST_CASE("a bot's log names the server's dialect, whether given or detected") {
  for (const std::string dialect : {"?dialect=2.4", ""}) {
    const Place place("bzflag://127.0.0.1:0?dialect=2.4");
    Process bot({kEntente, "bot", "bzflag://" + place.url.substr(place.url.find("127")) + dialect});
    CHECK(bot.err_has("session 1 opened: bzflag 2.4 from a bot to 127.0.0.1:"));
  }
}

TEST_CASE("pauses between attempts double up to a minute") {
  const auto after = [](std::uint32_t tries) { return BotCrowd::pause_after(tries).count(); };
  CHECK(after(0) == 1);
  CHECK(after(1) == 2);
  CHECK(after(5) == 32);
  CHECK(after(6) == 60);
  CHECK(after(1'000'000) == 60);
}

TEST_CASE("a bot that has played for a minute starts with the shortest pause again") {
  BotCrowd::Clock::time_point now{};
  std::vector<std::string> said;
  BotCrowd crowd(
      {.reconnect = true, .said = [&](const std::string& what) { said.push_back(what); }, .now = [&] { return now; }});
  const auto plays = [&](std::chrono::milliseconds time) {
    const auto bot = crowd.next();
    now += time;
  };
  const auto waits = [&](std::chrono::seconds pause) {
    CHECK(said.back() == "bot 1 left; it reconnects in " + std::to_string(pause.count()) + " s");
    now += pause - std::chrono::milliseconds(1);
    CHECK(crowd.take_due() == 0);
    now += std::chrono::milliseconds(1);
    REQUIRE(crowd.take_due() == 1);
  };
  using std::chrono::seconds, std::chrono::milliseconds;
  for (const int pause : {1, 2, 4}) {
    plays(milliseconds(59'999));
    waits(seconds(pause));
  }
  plays(seconds(60));
  waits(seconds(1));
  plays(seconds(0));
  waits(seconds(2));
}

}  // namespace
}  // namespace entente::bot_test
