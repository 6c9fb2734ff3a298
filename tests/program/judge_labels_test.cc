// `entente judge --labels`: what is counted, the intervals, and what may be wrong with the labels.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "proxy/program/rules/intervals.h"
#include "proxy/program/rules/judge.h"
#include "proxy/program/rules/score.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"

namespace entente::judge_labels_test {
namespace {

constexpr WallTime kBegin = 1'700'000'000'000'000'000;

/// Players who spawn as often as given, once a minute; `minutes` long.
void record_match(const std::string& path, const std::vector<std::pair<std::string, int>>& players, int minutes,
                  WallTime begin = kBegin) {
  const auto to = recorder(path);
  trace::Opened opened = opening(1, "native", "json");
  opened.set_server("192.0.2.1:4400");
  to->opened(begin, opened);
  core::Micros at = 0;
  const auto tell = [&](core::Fact fact) {
    fact.at = at;
    Buffer bytes;
    core::write(fact, bytes);
    to->word(begin + at * 1000, 1, trace::WordKind::kFact, bytes);
  };
  core::Id id = 0;
  for (const auto& [name, spawns] : players) {
    words::Player player;
    player.set_id(++id);
    player.set_name(name);
    player.set_role(name == "watcher" ? words::WATCH : words::PLAY);
    tell(player);
    words::Unit unit;
    unit.set_id(10 + id);
    unit.set_owner(id);
    tell(unit);
  }
  tell(words::Ready());
  for (int minute = 0; minute < minutes; ++minute) {
    at = static_cast<core::Micros>(minute) * 60 * core::kSecond;
    id = 0;
    for (const auto& [name, spawns] : players) {
      ++id;
      if (minute >= spawns) continue;
      words::Spawned spawned;
      spawned.set_unit(10 + id);
      spawned.mutable_pose()->set_unit(10 + id);
      tell(spawned);
    }
  }
  at = static_cast<core::Micros>(minutes) * 60 * core::kSecond;
  words::PlayerGone gone;
  gone.set_id(1);
  tell(gone);
  REQUIRE(to->close(begin + at * 1000));
}

struct Matches {
  Matches() {
    folder.write("spawns.lua",
                 "function on_fact.spawned(w) report(get_unit(w.unit).owner, 'spawns', { x = 1.5 }) end\n");
    folder.write("never.lua", "function on_join() end\n");
    record_match(folder.file("one.mcap"), {{"anna", 0}, {"ben", 3}, {"watcher", 0}}, 10);
    record_match(folder.file("two.mcap"), {{"anna", 2}, {"carl", 0}, {"dora", 1}}, 20);
  }
  /// The exit code, and what was printed.
  std::pair<int, std::string> judge(const std::string& labels, bool json = false) const {
    JudgeOptions options;
    options.rules = folder.path().string();
    options.source.files = {folder.file("one.mcap"), folder.file("two.mcap")};
    options.labels = folder.write("labels.tsv", labels);
    options.json = json;
    std::ostringstream out, err;
    const int code = entente::judge(options, out, err);
    return {code, code == kOk ? out.str() : err.str()};
  }
  const Folder folder;
};

bool near(double a, double b) { return std::abs(a - b) < 5e-4 * std::max(1.0, b); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST_CASE("a score in JSON has all cheats, alarms and misses; without honest minutes there is no rate of alarms") {
  Score score;
  score.found = {{"speed", "a.lua", 4, 3, {0.25, 0.75}}, {"", "", 4, 4, {0.5, 1}}};
  score.alarms = {{"a.lua", 2, 1, 0.5, {0.125, 2}}, {}};
  score.missed = {{"", "one.mcap", "an\"na", true, "aim"}, {"", "two.mcap", "ben", true, "speed"}};
  score.honest_minutes = 1.5;
  score.unlabelled = 7;
  CHECK(
      json_of_score(score) ==
      R"("cheats":[{"players":4,"found":3,"missed":1,"share":0.750000,"low":0.250000,"high":0.750000,"kind":"speed","rule":"a.lua"},)"
      R"({"players":4,"found":4,"missed":0,"share":1.000000,"low":0.500000,"high":1.000000}],)"
      R"("false_alarms":[{"reports":2,"players":1,"per_1000_minutes":0.500000,"low":0.125000,"high":2.000000,"rule":"a.lua"},)"
      R"({"reports":0,"players":0,"per_1000_minutes":0.000000,"low":0.000000,"high":0.000000}],)"
      R"("honest_minutes":1.500,"missed":[{"recording":"one.mcap","player":"an\"na","kind":"aim"},)"
      R"({"recording":"two.mcap","player":"ben","kind":"speed"}],"unlabelled":7)");
  Score none;
  none.alarms = {{}};
  const std::string text = text_of_score(none);
  CHECK(text.starts_with("rule      false alarms  of players  in 1,000 honest minutes  95 % interval\n"));  // no cheats
  CHECK(has(text, "any rule  0             0           -                        -\n"));
  CHECK(has(text, "honest players were in the game for 0.0 minutes\n"));
  CHECK_FALSE(has(text, "missed"));
  CHECK_FALSE(has(text, "without a label"));
}

}  // namespace

TEST_CASE("intervals are Wilson's and Garwood's") {
  const auto is = [](const Interval& one, double low, double high) {
    return near(one.low, low) && near(one.high, high);
  };
  CHECK(is(share_interval(0, 10), 0, 0.27753));
  CHECK(is(share_interval(95, 100), 0.88825, 0.97846));
  CHECK(is(share_interval(7, 7), 0.64567, 1));
  CHECK(is(share_interval(0, 0), 0, 1));
  CHECK(is(count_interval(0), 0, 3.68888));
  CHECK(is(count_interval(1), 0.025318, 5.57164));
  CHECK(is(count_interval(10), 4.79539, 18.39036));
  CHECK(is(count_interval(20'000), 19'723.75, 20'279.14));
}

TEST_CASE("labels give hits, misses and false alarms, by rule and kind of cheat") {
  const Matches matches;
  const std::string labels =
      "# recording, player, label, kind\n\none.mcap\tanna\thonest\none.mcap\tben\tcheat\tspeed\r\n"
      "two.mcap\tanna\thonest\ntwo.mcap\tcarl\tcheat\tspeed\n" +
      matches.folder.file("two.mcap") + "\tdora\tcheat\taim\n";
  const auto judged = matches.judge(labels);
  const std::string& table = judged.second;
  REQUIRE_MESSAGE(judged.first == kOk, table);
  CHECK(has(table, "speed  spawns.lua  2        1      1       50.0 %   9.5 % to 90.5 %\n"));
  CHECK(has(table, "aim    spawns.lua  1        1      0       100.0 %"));
  CHECK(has(table, "all    any rule    3        2      1       66.7 %"));
  CHECK(!has(table, "aim    never.lua"));
  // Anna is there for 10 and 20 minutes, and is reported twice.
  CHECK(has(table, "spawns.lua  2             1           66.67                    8.07 to 240.82\n"));
  CHECK(has(table, "never.lua   0             0           0.00                     0.00 to 122.96\n"));
  CHECK(has(table, "honest players were in the game for 30.0 minutes\n"));
  CHECK(has(table, "missed: carl of two.mcap, speed\n"));
  CHECK(!has(table, "without a label"));
  CHECK(has(table, "one.mcap  speed   2:00  ben (2)   spawns.lua  spawns  x 1.5    1:50 to 2:02\n"));
  CHECK(has(table, "two.mcap  honest"));

  const auto [json_code, json] = matches.judge(labels, true);
  CHECK(json_code == kOk);
  CHECK(has(
      json,
      R"({"players":2,"found":1,"missed":1,"share":0.500000,"low":0.094531,"high":0.905469,"kind":"speed","rule":"spawns.lua"})"));
  CHECK(has(
      json,
      R"("honest_minutes":30.000,"missed":[{"recording":"two.mcap","player":"carl","kind":"speed"}],"unlabelled":0)"));
  CHECK(has(
      json,
      R"("label":"honest","player":1,"name":"anna","rule":"spawns.lua","report":"spawns","numbers":{"x":1.500000})"));
}

TEST_CASE("players without a label are not counted") {
  const Matches matches;
  const auto judged = matches.judge("one.mcap\tanna\thonest\ntwo.mcap\tcarl\thonest\n");
  const std::string& table = judged.second;
  REQUIRE_MESSAGE(judged.first == kOk, table);
  CHECK(has(table, "spawns.lua  0"));
  CHECK(has(table, "3 players without a label were not counted\n"));
}

TEST_CASE("wrong labels are errors that name the line") {
  const Matches matches;
  const std::string file = matches.folder.file("labels.tsv");
  const auto error = [&](const std::string& labels) {
    const auto [code, said] = matches.judge(labels);
    CHECK(code == kFailed);
    return said.substr(std::min(said.size(), std::string("entente judge: ").size()));
  };
  const std::string good = "one.mcap\tanna\thonest\n";
  CHECK(error(good + "two.mcap\tzoe\tcheat\n") == file + ":2: nobody called 'zoe' plays in two.mcap\n");
  CHECK(error(good + "one.mcap\twatcher\thonest\n") == file + ":2: nobody called 'watcher' plays in one.mcap\n");
  CHECK(error(good + "three.mcap\tanna\tcheat\n") == file + ":2: the recording three.mcap was not judged\n");
  CHECK(error(good + "one.mcap\tben\tmaybe\n") == file + ":2: 'maybe' is neither honest nor cheat\n");
  CHECK(error(good + good) == file + ":2: 'anna' of one.mcap has a label already\n");
  CHECK(error(good + matches.folder.file("one.mcap") + "\tanna\tcheat\n") ==
        file + ":2: 'anna' of " + matches.folder.file("one.mcap") + " has a label already\n");
  CHECK(error("one.mcap anna honest\n") ==
        file + ":1: three columns with tabs between them are expected: recording, player, honest or cheat\n");
  CHECK(error("one.mcap\tanna\thonest\tspeed\n") == file + ":1: there are too many columns\n");
  CHECK(error(good) == "no player of " + matches.folder.file("two.mcap") + " has a label\n");
  CHECK(error("# nothing\n") == file + ": there are no labels in it\n");
  JudgeOptions options;
  options.rules = matches.folder.file("never.lua");
  options.source.files = {matches.folder.file("one.mcap")};
  options.labels = matches.folder.file("none.tsv");
  std::ostringstream out, err;
  CHECK(judge(options, out, err) == kFailed);
  CHECK(has(err.str(), "none.tsv: cannot be read"));
}

TEST_CASE("without labels, several recordings are judged as one") {
  const Matches matches;
  record_match(matches.folder.file("later.mcap"), {{"emma", 2}}, 5, kBegin + WallTime{15 * 60} * 1'000'000'000);
  JudgeOptions options;
  options.rules = matches.folder.file("spawns.lua");
  options.source.files = {matches.folder.file("one.mcap"), matches.folder.file("later.mcap")};
  options.json = true;
  std::ostringstream out, err;
  REQUIRE_MESSAGE(judge(options, out, err) == kOk, err.str());
  for (const char* part : {R"("name":"ben")", R"({"seconds":960.0)", R"("name":"emma")"})
    CHECK_MESSAGE(has(out.str(), part), out.str());
}

TEST_CASE("rules hear the intents of recordings of bridges, and of relays of every game") {
  struct Heard {
    const char* file;  // in tests/traces
    std::vector<std::string> kinds;
    const char *game = "", *dialect = "";  // where they cannot be detected
  };
  const Heard all[] = {
      {"bridges/bzflag-aos.wiki.0.80.mcap", {"enter", "spawn", "pose_claim"}},
      {"bridges/panic-aos.mixed.mcap", {"enter", "spawn"}},
      {"bzflag/bzfs1108-hand-session.pcap", {"enter", "spawn", "pose_claim", "fire", "say"}},
      {"panic/master-2p-test-kill-win.jsonl", {"enter"}},
      {"ogar/l11-join-eat-chat.jsonl", {"enter", "toward", "say"}},
      {"aos/piqueserver-walks.jsonl", {"enter", "keys", "pose_claim", "say"}, "aos", "0.75"},
  };
  const Folder folder;
  JudgeOptions options;
  options.json = true;
  options.rules = folder.write("kinds.lua", R"(
local seen = {}
function on_intent(word, by, kind)
  if not seen[kind] then report(by, kind) end
  seen[kind] = true
end)");
  for (const Heard& one : all) {
    CAPTURE(one.file);
    const std::string copy =
        folder.file(std::filesystem::path(one.file).filename().string());  // words are kept beside it
    std::filesystem::copy_file(trace_file(one.file), copy);
    options.source.files = {copy};
    options.source.input.game = one.game;
    options.source.input.dialect = one.dialect;
    std::ostringstream out, err;
    REQUIRE_MESSAGE(judge(options, out, err) == kOk, err.str());
    CAPTURE(out.str());
    for (const std::string& kind : one.kinds) {
      CAPTURE(kind);
      CHECK(has(out.str(), R"("report":")" + kind + '"'));
    }
  }
}

}  // namespace entente::judge_labels_test
