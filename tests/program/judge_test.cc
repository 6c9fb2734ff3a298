// `entente judge` finds in a recording what the rules have reported while it was made; `entente rules` checks files.
#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/program/folder.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::judge_test {
namespace {

const std::string kEntente = testing::entente_binary();

/// Everything between `begin` and the end of its line, for each such line, in order.
std::vector<std::string> after(const std::string& text, const std::string& begin) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1))
    found.push_back(text.substr(at + begin.size(), text.find('\n', at) - at - begin.size()));
  return found;
}

/// Reports each death with the place of both, and speeds that are above half of what is allowed.
constexpr const char* kRule = R"(
function on_fact.died(word)
  local killer, victim = unit_of(word.killer), unit_of(word.player)
  if killer and victim then
    report(word.killer, "killed " .. get_player(word.player).name, { x = math.floor(killer.x), y = math.floor(victim.y) })
  end
end)";

}  // namespace

TEST_CASE("judge reports what the rules of an arena have reported live") {
  const Folder folder;
  folder.write("deaths.lua", kRule);
  const std::string config = folder.write(
      "a.toml",
      "[recording]\ndirectory = \"" + folder.path().string() +
          "\"\n[[arena]]\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\nbots = 6\nside = 80\nball_damage = "
          "100\nrespawn_ms = 100\nreload_ms = 200\nrecord = \"arena.mcap\"\nrules = [\"deaths.lua\"]\n");
  Process arena({kEntente, "run", config});
  REQUIRE(arena.line());
  for (int i = 0; i < 5; ++i) REQUIRE(arena.err_has("reports player"));
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  const auto live = after(arena.err(), " reports player ");
  REQUIRE(live.size() >= 1);

  const Ended judged = run({kEntente, "judge", folder.file("deaths.lua"), folder.file("arena.mcap"), "--json"});
  REQUIRE_MESSAGE(judged.code == 0, judged.err);
  // In the log: "7 ('bot 1'): killed bot 2, x 5, y 7".
  std::size_t at = 0;
  for (const std::string& line : live) {
    const std::string player = line.substr(0, line.find(' '));
    const std::string text = line.substr(line.find("): ") + 3);
    const std::string killed = text.substr(0, text.find(','));
    const std::size_t found = judged.out.find("\"player\":" + player + ",", at);
    REQUIRE_MESSAGE(found != judged.out.npos, line);
    CHECK_MESSAGE(judged.out.compare(judged.out.find("\"report\":\"", found) + 10, killed.size(), killed) == 0, line);
    at = found + 1;
  }
  const Ended table = run({kEntente, "judge", folder.path().string(), folder.file("arena.mcap")});
  CHECK(table.code == 0);
  CHECK(table.out.starts_with("time"));
  CHECK(table.out.find("deaths.lua") != std::string::npos);
}

TEST_CASE("judge and rules say what is wrong") {
  const Folder folder;
  folder.write("bad.lua", "function on_fact.dyed() end");
  const std::string good = folder.write("good.lua", "function on_chat() end");
  CHECK(run({kEntente, "rules", good}).code == 0);
  const Ended bad = run({kEntente, "rules", good, folder.file("bad.lua")});
  CHECK(bad.code == 1);
  CHECK(bad.err.find("bad.lua: on_fact.dyed: there is no such word") != std::string::npos);
  CHECK(run({kEntente, "rules", folder.path().string()}).out == good + ": fine\n");
  CHECK(run({kEntente, "rules", folder.path().string()}).code == 1);
  CHECK(run({kEntente, "rules"}).code == 2);
  CHECK(run({kEntente, "rules", "--types"}).out.starts_with("---@meta"));
  CHECK(run({kEntente, "judge", folder.file("none.lua"), "x.mcap"}).err.find("cannot be read") != std::string::npos);
  CHECK(run({kEntente, "judge", good, folder.file("none.mcap")}).code == 1);
}

}  // namespace entente::judge_test
