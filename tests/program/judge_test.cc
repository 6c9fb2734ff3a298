// `entente judge` finds in a recording what the rules have reported while it was made; `entente rules` checks files.
#include <doctest/doctest.h>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proxy/trace/recording.h"
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

/// A report, in the words of the note that a recording has of it.
struct Report {
  double seconds;  // since the recording began
  std::string text;
  std::string from = {}, to = {};  // of its clip
};

std::vector<Report> notes_of(const std::string& path) {
  std::vector<Report> notes;
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording);
  WallTime begin = 0;
  while (true) {
    const auto event = (*recording)->next();
    REQUIRE(event);
    if (*event == nullptr) return notes;
    if (begin == 0) begin = (*event)->time;
    if ((*event)->note == nullptr || !(*event)->note->text().starts_with("reported by")) continue;
    notes.push_back({static_cast<double>((*event)->time - begin) / 1e9, (*event)->note->text()});
  }
}

std::vector<Report> reports_of(const std::string& rules, const std::string& path) {
  const Ended judged = run({kEntente, "judge", rules, path, "--json"});
  REQUIRE_MESSAGE(judged.code == 0, judged.err);
  google::protobuf::Value value;
  REQUIRE(google::protobuf::util::JsonStringToMessage(judged.out, &value).ok());
  std::vector<Report> reports;
  for (const auto& one : value.list_value().values()) {
    const auto& fields = one.struct_value().fields();
    const auto text = [&](const char* name) { return fields.at(name).string_value(); };
    Report report{fields.at("seconds").number_value(), {}, text("from"), text("to")};
    report.text = "reported by the rule " + text("rule") + ": player " +
                  std::to_string(static_cast<int>(fields.at("player").number_value())) + " ('" + text("name") +
                  "'): " + text("report");
    std::map<std::string, double> numbers;
    for (const auto& [name, number] : fields.at("numbers").struct_value().fields())
      numbers[name] = number.number_value();
    for (const auto& [name, number] : numbers) report.text += "; " + name + " " + std::to_string(number);
    reports.push_back(std::move(report));
  }
  return reports;
}

/// Reports each death with the place of both, and each few seconds who is where, and how many shots were wished.
constexpr const char* kRule = R"(
function on_fact.died(word)
  local killer, victim = unit_of(word.killer), unit_of(word.player)
  if killer and victim then
    report(word.killer, "killed " .. get_player(word.player).name, { x = killer.x, y = victim.y })
  end
end
local wishes = 0
function on_intent.fire() wishes = wishes + 1 end
function on_tick()
  for _, player in ipairs(players()) do
    local unit = player.alive and unit_of(player.id)
    local ahead = unit and clear_way(unit.x, unit.y, 1, math.cos(unit.yaw), math.sin(unit.yaw), 0, 100)
    if unit and unit.id % 3 == 0 then report(player.id, "is there", { x = unit.x, age = unit.age, ahead = ahead, wishes = wishes }) end
  end
end)";

}  // namespace

TEST_CASE(
    "judge reports what the rules of an arena have reported live: the same, with the same numbers, at the same time") {
  const Folder folder;
  folder.write("deaths.lua", kRule);
  const std::string config = folder.write(
      "a.toml",
      "[recording]\ndirectory = \"" + folder.path().string() +
          "\"\n[[arena]]\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\nbots = 6\nside = 80\nball_damage = "
          "100\nrespawn_ms = 100\nreload_ms = 200\nrecord = \"arena.mcap\"\nrules = [\"deaths.lua\"]\n");
  Process arena({kEntente, "run", config});
  REQUIRE(arena.line());
  for (int i = 0; i < 5; ++i) REQUIRE(arena.err_has("killed "));
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  const auto live = after(arena.err(), " reports player ");
  REQUIRE(live.size() >= 1);

  // The recording has them as notes, with their times.
  const std::string recording = folder.file("arena.mcap");
  const auto notes = notes_of(recording);
  CHECK(notes.size() == live.size());
  auto judged = reports_of(folder.file("deaths.lua"), recording);
  REQUIRE(judged.size() >= notes.size());
  // The recording ends a moment after its room. If a second begins meanwhile, only the judge hears of it.
  for (; judged.size() > notes.size(); judged.pop_back()) {
    CHECK(judged.back().text.find("is there") != std::string::npos);
    CHECK(judged.back().seconds > notes.back().seconds);
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    CHECK(judged[i].text == notes[i].text);
    CHECK(std::abs(judged[i].seconds - notes[i].seconds) < 2e-6);
  }
  const Ended table = run({kEntente, "judge", folder.path().string(), recording});
  CHECK(table.code == 0);
  CHECK(table.out.starts_with("time"));
  CHECK(table.out.find("deaths.lua") != std::string::npos);

  // The clip of a report has what shows why.
  std::vector<std::size_t> deaths;
  for (std::size_t i = 0; i < judged.size(); ++i)
    if (judged[i].text.find("killed") != std::string::npos) deaths.push_back(i);
  REQUIRE(!deaths.empty());
  for (const std::size_t i : {deaths.front(), deaths[deaths.size() / 2], deaths.back()}) {
    CAPTURE(judged[i].text);
    const std::string clip = folder.file("clip-" + std::to_string(i) + ".mcap");
    const Ended cut = run({kEntente, "clip", recording, "--from", judged[i].from, "--to", judged[i].to, "-o", clip});
    REQUIRE_MESSAGE(cut.code == 0, cut.err);
    const auto again = reports_of(folder.file("deaths.lua"), clip);
    CHECK(std::count_if(again.begin(), again.end(), [&](const Report& one) { return one.text == judged[i].text; }) > 0);
    std::filesystem::remove(clip);
  }
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
