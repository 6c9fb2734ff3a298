// `entente export`: the same rows as CSV, JSON lines and a database.
#include "proxy/program/numbers/export.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "proxy/program/numbers/tables.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"
#include "tests/support/process.h"

namespace entente::export_test {
namespace {

namespace fs = std::filesystem;

struct Exported {
  int exit;
  std::string out, err;
};

Exported exported(const ExportOptions& options) {
  std::ostringstream out, err;
  const int exit = export_rows(options, out, err);
  return {exit, out.str(), err.str()};
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The rows of a query, their cells joined by '|'.
std::vector<std::string> asked(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  sqlite3_stmt* query = nullptr;
  REQUIRE_MESSAGE(sqlite3_prepare_v2(database, sql.c_str(), -1, &query, nullptr) == SQLITE_OK,
                  sqlite3_errmsg(database));
  std::vector<std::string> rows;
  while (sqlite3_step(query) == SQLITE_ROW) {
    std::string row;
    for (int i = 0; i < sqlite3_column_count(query); ++i) {
      const auto* cell = reinterpret_cast<const char*>(sqlite3_column_text(query, i));
      row += (i == 0 ? "" : "|") + std::string(cell == nullptr ? "-" : cell);
    }
    rows.push_back(row);
  }
  sqlite3_finalize(query);
  sqlite3_close(database);
  return rows;
}

/// The name of a player that needs escapes in each format.
const std::string kHard = "a\"b,c\r\nd<script>';DROP TABLE players;--";

/// A recording of Panic, which the test fills.
struct Facts {
  explicit Facts(const std::string& path) : to(recorder(path)) {
    to->opened(clip_match::kStart, opening(1, "panic", "be-packed"));
  }
  template <class Word>
  void operator()(const Word& word, core::Micros at) {
    core::Fact fact(word);
    fact.at = at;
    Buffer bytes;
    core::write(fact, bytes);
    to->word(clip_match::kStart + at * 1000, 1, trace::WordKind::kFact, bytes);
  }
  decltype(recorder("")) to;
};

std::string hard_match(const std::string& path) {
  Facts say(path);
  words::Player player;
  player.set_id(1);
  player.set_name(kHard);
  say(player, 0);
  words::Said said;
  said.set_from(1);
  for (const char* text : {"=1+1", "+1", "-1", "@x", "=a,\"b\"", "1=1", "x,y"}) {
    said.set_text(text);
    say(said, 1'500'000);
  }
  words::Unit unit;
  unit.set_id(2);
  unit.set_owner(1);
  unit.set_alive(true);
  unit.mutable_pose()->set_x(std::numeric_limits<double>::infinity());
  say(unit, 1'600'000);
  say(words::Ready(), 2'700'000);
  REQUIRE(say.to->close(clip_match::kStart + 3'000'000'000).ok());
  return path;
}

TEST_CASE("a match has the same rows in each format") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  const Exported done = exported({.source = {.files = {file}},
                                  .csv = folder.file("csv"),
                                  .jsonl = folder.file("a.jsonl"),
                                  .sqlite = folder.file("a.db")});
  CHECK_MESSAGE(done.exit == kOk, done.err);
  CHECK(done.out.find("a.db: 1 matches, 2 players, 2 lives, ") != std::string::npos);
  CHECK(asked(folder.file("a.db"), "PRAGMA foreign_key_check").empty());
  CHECK(asked(folder.file("a.db"), "PRAGMA integrity_check") == std::vector<std::string>{"ok"});
  CHECK(asked(folder.file("a.db"),
              "SELECT v.name, k.name, time_s FROM deaths JOIN players v ON v.player = victim JOIN "
              "players k ON k.player = killer") == std::vector<std::string>{"bob|anna|13.0"});
  // Anna drives 10 m each second.
  CHECK(asked(folder.file("a.db"), "SELECT x_m FROM positions WHERE player = 1 AND time_s = 7") ==
        std::vector<std::string>{"70.0"});

  const std::string lines = text_of(folder.file("a.jsonl"));
  std::map<std::string, std::int64_t> count;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) ++count[line.substr(10, line.find('"', 10) - 10)];
  for (const numbers::Table& table : numbers::tables()) {
    const std::string csv = text_of(folder.file(std::string("csv/") + table.name + ".csv"));
    const auto rows = std::count(csv.begin(), csv.end(), '\n') - 1;
    CHECK_MESSAGE(rows == count[table.name], table.name);
    CHECK(asked(folder.file("a.db"), std::string("SELECT count(*) FROM ") + table.name)[0] == std::to_string(rows));
    std::string header;
    for (const auto& column : table.columns) header += (header.empty() ? "" : ",") + std::string(column.name);
    CHECK(csv.starts_with(header + "\r\n"));
  }
  CHECK(lines.find("{\"table\":\"deaths\",\"time_s\":13,\"match\":1,\"life\":2,\"victim\":2,\"killer\":1,\"why\":"
                   "\"unknown\",\"weapon\":null,") != std::string::npos);
}

TEST_CASE("any text and any number can be written") {
  const Folder folder;
  const std::string file = hard_match(folder.file("a.mcap"));
  const Exported done = exported({.source = {.files = {file}},
                                  .csv = folder.file("csv/"),
                                  .jsonl = folder.file("a.jsonl"),
                                  .sqlite = folder.file("a.db")});
  CHECK_MESSAGE(done.exit == kOk, done.err);
  CHECK(asked(folder.file("a.db"), "SELECT name FROM players") == std::vector<std::string>{kHard});
  CHECK(asked(folder.file("a.db"), "SELECT x_m, y_m FROM positions") == std::vector<std::string>{"-|0.0"});
  CHECK(text_of(folder.file("csv/players.csv")).find("\"a\"\"b,c\r\nd<script>';DROP TABLE players;--\",rogue") ==
        std::string::npos);  // its team is unknown
  CHECK(
      text_of(folder.file("csv/players.csv")).find("1,1,\"a\"\"b,c\r\nd<script>';DROP TABLE players;--\",,play,0,,") !=
      std::string::npos);
  CHECK(text_of(folder.file("csv/chat.csv")).ends_with(",,,chat,\"x,y\"\r\n"));
  // No cell is a formula to a spreadsheet.
  for (const char* cell : {"'=1+1", "'+1", "'-1", "'@x", "\"'=a,\"\"b\"\"\"", "1=1"})
    CHECK_MESSAGE(text_of(folder.file("csv/chat.csv")).find(",chat," + std::string(cell) + "\r\n") != std::string::npos,
                  cell);
  CHECK(text_of(folder.file("a.jsonl")).find("\"name\":\"a\\\"b,c\\u000d\\u000ad<script>") != std::string::npos);
}

TEST_CASE("--every sets the rate of positions") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  for (const auto& [every, rows] : std::map<double, std::string>{{0, "0"}, {1, "28"}, {0.5, "56"}}) {
    const std::string path = folder.file("a" + std::to_string(every));
    CHECK(exported({.source = {.files = {file}}, .sqlite = path, .every = every}).exit == kOk);
    CHECK(asked(path, "SELECT count(*) FROM positions") == std::vector<std::string>{rows});
  }
  CHECK(exported({.source = {.files = {file}}, .sqlite = folder.file("b"), .every = 0.01}).exit == kUsage);
}

TEST_CASE("positions that end early are told once, and the rest is exported") {
  const Folder folder;
  const std::string path = folder.file("a.mcap");
  Facts say(path);
  words::Player player;
  player.set_id(1);
  say(player, 0);
  for (core::Id id = 100; id < 600; ++id) {
    words::Unit unit;
    unit.set_id(id);
    unit.set_owner(1);
    unit.set_alive(true);
    say(unit, 0);
  }
  say(words::Ready(), 0);
  for (core::Micros minute = 1; minute <= 12; ++minute) say(words::Lag(), minute * 60 * core::kSecond);
  REQUIRE(say.to->close(clip_match::kStart + 720 * core::kSecond * 1000).ok());
  ExportOptions options;
  options.source.files = {path};
  options.jsonl = folder.file("a.jsonl");
  const Exported done = exported(options);
  CHECK(done.exit == 0);
  CHECK(done.err == "entente export: positions end at 8:22: the recording has too few facts for more\n");
  CHECK_MESSAGE(done.out.find("12 latency") != std::string::npos, done.out);
}

TEST_CASE("existing files are not overwritten, and a failed export leaves no file") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  folder.write("there", "mine");
  fs::create_directory(folder.file("dir"));
  for (const ExportOptions& options :
       {ExportOptions{.source = {.files = {file}}, .csv = folder.file("dir")},
        ExportOptions{.source = {.files = {file}}, .jsonl = folder.file("there")},
        ExportOptions{.source = {.files = {file}}, .csv = folder.file("new"), .sqlite = folder.file("there")}}) {
    const Exported done = exported(options);
    CHECK(done.exit == kFailed);
    CHECK(done.err.find("exists already") != std::string::npos);
  }
  CHECK(exported({.source = {.files = {file}}, .csv = folder.file("new"), .sqlite = "/nowhere/a.db"}).exit == kFailed);
  CHECK(exported({.source = {.files = {folder.file("none")}}, .csv = folder.file("new")}).exit == kFailed);
  CHECK(exported({.source = {.files = {file}}}).exit == kUsage);
  const Exported twice =
      exported({.source = {.files = {file}}, .jsonl = folder.file("same"), .sqlite = folder.file("./same")});
  CHECK(twice.exit == kUsage);
  CHECK(twice.err.find("is given twice") != std::string::npos);
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.path())) left.insert(entry.path().filename().string());
  CHECK(left == std::set<std::string>{"a.mcap", "dir", "there"});
  CHECK(text_of(folder.file("there")) == "mine");
}

TEST_CASE("a full disk is an error, and leaves no file") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  for (const std::string form : {"--csv", "--jsonl", "--sqlite"}) {
    const std::string script = "ulimit -f 4; exec \"$0\" export \"$1\" " + form + " \"$2\" --every 0.05";
    const Ended ended = run({"/bin/sh", "-c", script, testing::entente_binary(), file, folder.file("out")});
    CHECK_MESSAGE(ended.code == kFailed, form << ended.err);
    CHECK(ended.err.find("entente export: cannot ") != std::string::npos);
  }
  for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().filename() == "a.mcap");
}

TEST_CASE("if the disk is full for one of two outputs, there is neither") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  for (const std::string form : {"--csv", "--jsonl"}) {
    // 48 KiB are enough for the text, but not for the database's tables and indexes, which are written at the end.
    const std::string script = "ulimit -f 96; exec \"$0\" export \"$1\" " + form + " \"$2\" --sqlite \"$3\"";
    const Ended ended =
        run({"/bin/sh", "-c", script, testing::entente_binary(), file, folder.file("text"), folder.file("database")});
    CHECK_MESSAGE(ended.code == kFailed, form << ended.err);
    CHECK_MESSAGE(ended.err.find("database.writing") != std::string::npos, ended.err);
  }
  for (const auto& entry : fs::directory_iterator(folder.path())) CHECK(entry.path().filename() == "a.mcap");
}

TEST_CASE("a damaged recording gives what can be read, and the command fails") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  fs::resize_file(file, fs::file_size(file) - 40);
  const Exported done = exported({.source = {.files = {file}}, .sqlite = folder.file("a.db")});
  CHECK(done.exit == kFailed);
  CHECK(done.err.find("the rest cannot be read: ") != std::string::npos);
  CHECK(asked(folder.file("a.db"), "SELECT count(*) FROM deaths") == std::vector<std::string>{"1"});
}

TEST_CASE("several recordings are exported as one") {
  const Folder folder;
  const std::string first = clip_match::match(folder.file("a.mcap"), 1),
                    second = clip_match::match(folder.file("b.mcap"), 1, clip_match::kStart + 60 * clip_match::kSecond);
  CHECK(exported({.source = {.files = {second, first}}, .sqlite = folder.file("a.db")}).exit == kOk);
  CHECK(asked(folder.file("a.db"), "SELECT began_utc FROM matches")[0] == "2023-11-14T22:13:20Z");
}

TEST_CASE("the kills of a real server agree with its messages and its scores") {
  const std::map<std::string, int> kills = {{"bzflag/bzfs1108-hand-session.pcap", 1},
                                            {"ogar/m3-05-death-respawn.jsonl", 1}};
  for (const auto& [trace, count] : kills) {
    const Folder folder;
    const Exported done = exported({.source = {.files = {trace_file(trace)}}, .sqlite = folder.file("a.db")});
    REQUIRE_MESSAGE(done.exit == kOk, done.err);
    CHECK(asked(folder.file("a.db"), "PRAGMA foreign_key_check").empty());
    CHECK(asked(folder.file("a.db"), "SELECT count(*) FROM deaths")[0] == std::to_string(count));
    CHECK(asked(folder.file("a.db"), "SELECT sum(wins), sum(losses) FROM players")[0] ==
          std::to_string(count) + "|" + std::to_string(count));
    CHECK(asked(folder.file("a.db"),
                "SELECT name FROM players WHERE wins <> (SELECT count(*) FROM deaths WHERE killer = player) OR "
                "losses <> (SELECT count(*) FROM deaths WHERE victim = player)")
              .empty());
  }
  InspectOptions frames{{trace_file("bzflag/bzfs1108-hand-session.pcap"), "", "", 0}};
  frames.connections = {"1"};
  frames.messages = {"MsgKilled"};
  std::ostringstream out, err;
  REQUIRE(inspect(frames, out, err) == kOk);
  const std::string lines = out.str();
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 1);
}

TEST_CASE("the manual has every table") {
  const std::string manual = text_of(testing::source_dir() + "/proxy/program/numbers/README.md");
  CHECK(manual.find("<!-- tables -->\n" + numbers::tables_in_markdown() + "<!-- /tables -->\n") != std::string::npos);
}

}  // namespace
}  // namespace entente::export_test
