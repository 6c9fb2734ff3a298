// `entente recordings`: the list, also of files that are damaged, unfinished or without a summary.
#include "proxy/program/recordings/recordings.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "proxy/trace/recording_info.h"
#include "schema/snapshot.pb.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::recordings_test {
namespace {

constexpr WallTime kSecond = 1'000'000'000;
constexpr WallTime kStart = 1'763'830'920 * kSecond;  // 2025-11-22 17:02:00

// MsgKilled of bzflag 2.4 for player 1: killed by player 2, by itself, and by the server.
constexpr const char *kShot = "00086b6c0102000100054742", *kShotItself = "00086b6c0101000100054742",
                     *kShotByServer = "00086b6c01fd000100054742";

struct Listing {
  int code;
  std::string out, err;
};

Listing list(const std::string& place, bool json = false, bool progress = false) {
  std::ostringstream out, err;
  const int code = recordings({place, {}, json}, out, err, progress);
  return {code, out.str(), err.str()};
}

void fact(trace::Recorder& to, WallTime time, std::uint32_t link, const words::Fact& fact) {
  const std::string bytes = fact.SerializeAsString();
  to.word(time, link, trace::WordKind::kFact, as_bytes(bytes));
}

/// Records 1:01:01 of two players on a server. One of them kills the other three times. `sum`: with a summary.
void record_match(const std::string& path, bool sum, WallTime start = kStart) {
  auto to = recorder(path);
  trace::Opened opened = opening(1, "bzflag", "2.4");
  opened.set_server("192.0.2.7:5154");
  to->opened(start, opened);
  trace::RecordingInfoBuilder summary({kill_message, tells_kill});
  summary.opened(opened);
  for (std::uint32_t id = 1; id <= 2; ++id) {
    words::Fact player;
    player.mutable_player()->set_id(id);
    player.mutable_player()->set_name(id == 1 ? "anna" : "b\x1b[2Job");
    fact(*to, start, 1, player);
    summary.fact(1, as_bytes(player.SerializeAsString()));
  }
  for (int i = 0; i < 4; ++i) {
    words::Fact died;
    died.mutable_died()->set_player(1);
    died.mutable_died()->set_killer(i < 3 ? 2 : 1);  // the last is a suicide
    fact(*to, start + 3661 * kSecond, 1, died);
    summary.fact(1, as_bytes(died.SerializeAsString()));
  }
  if (sum) to->summarize(to_map(summary.info()));
  REQUIRE(to->close(start + 3661 * kSecond).ok());
}

TEST_CASE("a row has time, length, server, players and kills, from the summary or by reading the file") {
  for (const bool sum : {true, false}) {
    CAPTURE(sum);
    const Folder folder;
    record_match(folder.file("a.mcap"), sum);
    const Listing told = list(folder.path().string());
    CHECK(told.code == 0);
    CHECK(told.err.empty());
    const std::string row = told.out.substr(told.out.find('\n') + 1);
    CHECK(row.starts_with("a.mcap  2025-11-22 17:02:00  1:01:01 "));
    CHECK(row.find("  bzflag 2.4  192.0.2.7:5154  3      anna, b") != std::string::npos);
    CHECK(row.find('\x1b') == std::string::npos);
    const std::string json = list(folder.file("a.mcap"), true).out;
    CHECK(json.starts_with("{\"file\":\"a.mcap\",\"began\":\"2025-11-22T17:02:00Z\",\"seconds\":3661.000,"));
    CHECK(json.find("\"games\":[\"bzflag 2.4\"],\"servers\":[\"192.0.2.7:5154\"],\"kills\":3,\"players\":[\"anna\",") !=
          std::string::npos);
    CHECK(json.ends_with("\"complete\":true}\n"));
  }
}

TEST_CASE("a kill that a server sends to several clients of a relay is counted once") {
  trace::RecordingInfoBuilder summary({kill_message, tells_kill});
  for (std::uint32_t link = 1; link <= 3; ++link) {
    trace::Opened opened = opening(link, "bzflag", "2.4");
    opened.set_server(link < 3 ? "192.0.2.7:5154" : "192.0.2.8:5154");
    summary.opened(opened);
  }
  const Buffer killed = from_hex(kShot);
  const auto kill = [&](std::uint32_t link) { summary.frame(link, trace::TO_CLIENT, "MsgKilled", killed); };
  kill(2), kill(1), kill(3);
  summary.frame(1, trace::TO_SERVER, "MsgKilled", killed);
  summary.frame(1, trace::TO_CLIENT, "MsgShotEnd", killed);
  CHECK(summary.info().kills == 2);
  summary.closed(2);
  kill(1);
  CHECK(summary.info().kills == 3);
  trace::RecordingInfoBuilder no_kills({kill_message, tells_kill});
  no_kills.opened(opening(1, "ogar", "modern3"));
  CHECK_FALSE(no_kills.info().kills);
}

TEST_CASE("the kills of all kept recordings and captures are those of `entente stats`") {
  const Folder folder;
  const std::string program = testing::entente_binary(), list_in_json = "\"kills\":";
  const auto kills = [&](const std::string& json) {
    const std::size_t at = json.find(list_in_json);
    return at == std::string::npos ? "none" : json.substr(at, json.find_first_of(",}", at) - at);
  };
  std::size_t compared = 0;
  for (const auto& one : std::filesystem::recursive_directory_iterator(testing::source_dir() + "/tests/traces")) {
    const std::string ending = one.path().extension().string();
    std::string file = one.path().string();
    if (ending == ".pcap" || ending == ".rec") {
      file = folder.file(one.path().stem().string() + ".mcap");
      REQUIRE(run({program, "convert", one.path().string(), "-o", file}).code == 0);
    } else if (ending != ".mcap") {
      continue;
    }
    CAPTURE(one.path().string());
    const std::string listed = kills(list(file, true).out);
    if (listed == "\"kills\":null") continue;  // neither words nor a message that tells of kills
    CHECK(listed == kills(run({program, "stats", file, "--json"}).out));
    ++compared;
  }
  CHECK(compared >= 17);
}

TEST_CASE("a death by oneself or by the server is not a kill in a relay's recording") {
  const Folder folder;
  for (const bool sum : {true, false}) {
    CAPTURE(sum);
    const std::string path = folder.file(sum ? "sum.mcap" : "none.mcap");
    auto to = recorder(path);
    trace::RecordingInfoBuilder summary({kill_message, tells_kill});
    const trace::Opened opened = opening(1, "bzflag", "2.4");
    to->opened(kStart, opened);
    summary.opened(opened);
    for (const char* hex : {kShot, kShotItself, kShotByServer, kShot}) {
      const Buffer bytes = from_hex(hex);
      to->frame(kStart,
                {.link = 1, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = bytes, .name = "MsgKilled"});
      summary.frame(1, trace::TO_CLIENT, "MsgKilled", bytes);
    }
    if (sum) to->summarize(to_map(summary.info()));
    REQUIRE(to->close(kStart).ok());
    CHECK(list(path, true).out.find("\"kills\":2,") != std::string::npos);
  }
}

TEST_CASE("the kill of a team mate is none, as in `entente stats`") {
  // MsgAddPlayer with an id and a team, and what else it has.
  const auto joins = [](const char* id, const char* team) {
    Buffer frame = from_hex(std::string("00ab6170") + id + "0000" + team);
    frame.resize(4 + 0xab, 0);
    return frame;
  };
  const auto kills = [&](const char* killer_team, const char* victim_team) {
    trace::RecordingInfoBuilder summary({kill_message, tells_kill, kill_counter});
    summary.opened(opening(1, "bzflag", "2.4"));
    const Buffer shot = from_hex(kShot);
    const std::string victim = to_hex(Bytes(shot).subspan(4, 1)), killer = to_hex(Bytes(shot).subspan(5, 1));
    summary.frame(1, trace::TO_CLIENT, "MsgAddPlayer", joins(killer.c_str(), killer_team));
    summary.frame(1, trace::TO_CLIENT, "MsgAddPlayer", joins(victim.c_str(), victim_team));
    summary.frame(1, trace::TO_CLIENT, "MsgKilled", shot);
    return *summary.info().kills;
  };
  CHECK(kills("0001", "0002") == 1);
  CHECK(kills("0001", "0001") == 0);
  CHECK(kills("0000", "0000") == 1);  // rogues

  for (const bool mates : {true, false}) {
    trace::RecordingInfoBuilder summary({kill_message, tells_kill, kill_counter});
    const auto tell = [&](const words::Fact& fact) {
      const std::string bytes = fact.SerializeAsString();
      summary.fact(1, as_bytes(bytes));
    };
    for (const std::uint32_t id : {1U, 2U}) {
      words::Fact fact;
      fact.mutable_player()->set_id(id);
      fact.mutable_player()->set_team(mates || id == 1 ? words::RED : words::BLUE);
      tell(fact);
    }
    words::Fact died;
    died.mutable_died()->set_player(1);
    died.mutable_died()->set_killer(2);
    tell(died);
    CHECK(summary.info().kills == (mates ? 0 : 1));
  }
}

TEST_CASE("a kill message is a kill if its killer is another player") {
  CHECK(tells_kill("bzflag", "2.4", from_hex(kShot)));
  CHECK_FALSE(tells_kill("bzflag", "2.4", from_hex(kShotItself)));
  CHECK_FALSE(tells_kill("bzflag", "2.4", from_hex(kShotByServer)));
  CHECK_FALSE(tells_kill("bzflag", "2.4", from_hex("00016b6c01")));
  CHECK(tells_kill("aos", "0.75", from_hex("1005040003")));
  CHECK_FALSE(tells_kill("aos", "0.75", from_hex("1005050403")));  // a fall
  CHECK(tells_kill("bzdraft", "draft", from_hex("00046b6c02010001")));
  CHECK_FALSE(tells_kill("bzdraft", "draft", from_hex("00046b6c02020001")));
  CHECK_FALSE(tells_kill("bzdraft", "draft", from_hex("00046b6c02000001")));  // the server
  CHECK_FALSE(tells_kill("ogar", "modern3", from_hex("10")));
}

TEST_CASE("a summary has a limited number of names, marks that there are more, and is read back as it was written") {
  trace::RecordingInfoBuilder summary;
  summary.opened(opening(1, "panic", "be-packed"));
  for (std::size_t i = 0; i < trace::RecordingInfoBuilder::kMostPlayers + 10; ++i)
    summary.player("player " + std::to_string(i));
  summary.player("");
  const trace::RecordingInfo about = summary.info(), again = trace::info_of(to_map(about));
  CHECK(again.players.size() == trace::RecordingInfoBuilder::kMostPlayers);
  CHECK(again.more_players);
  CHECK(again.players == about.players);
  CHECK(again.games == std::set<std::string>{"panic be-packed"});
}

TEST_CASE("a summary keeps little of a file with many links, servers and games") {
  std::size_t counters = 0;
  const auto counter = [&](std::string_view, std::string_view) {
    ++counters;
    return [](std::string_view, Bytes) { return true; };
  };
  const auto counts = [](std::string_view, std::string_view, Bytes) { return true; };
  trace::RecordingInfoBuilder summary({kill_message, counts, counter});
  const std::string longest(1'000, 'x');
  const Buffer shot = from_hex(kShot);
  for (std::uint32_t link = 1; link <= 20'000; ++link) {
    trace::Opened opened = opening(link, "bzflag", "");
    opened.set_dialect(std::to_string(link) + longest);
    opened.set_server("server" + std::to_string(link) + longest + ":1");
    summary.opened(opened);
  }
  CHECK(counters == 0);  // no link has said anything
  for (std::uint32_t link = 1; link <= 20'000; ++link) summary.frame(link, trace::TO_CLIENT, "MsgKilled", shot);
  CHECK(counters == 2'000);
  const trace::RecordingInfo about = summary.info();
  CHECK(about.kills == 20'000);  // the others are counted one by one
  CHECK(about.games.size() == 100);
  CHECK(about.servers.size() == 10'000);
  CHECK(about.servers.begin()->size() == trace::RecordingInfoBuilder::kLongestText);
  for (std::uint32_t link = 1; link <= 20'000; ++link) summary.closed(link);
  summary.opened(opening(1, "bzflag", "2.4"));
  summary.frame(1, trace::TO_CLIENT, "MsgKilled", shot);
  CHECK(counters == 2'001);  // room again
}

TEST_CASE("damaged and unfinished files have a row that says so, and files of other kinds have none") {
  const Folder folder;
  record_match(folder.file("whole.mcap"), true, kStart + kSecond);
  record_match(folder.file("cut.mcap"), true);
  std::filesystem::resize_file(folder.file("cut.mcap"), std::filesystem::file_size(folder.file("cut.mcap")) - 20);
  record_match(folder.file("b.mcap"), true, kStart + 2 * kSecond);
  std::filesystem::rename(folder.file("b.mcap"), folder.file("b.mcap.part"));
  std::filesystem::resize_file(folder.file("b.mcap.part"), std::filesystem::file_size(folder.file("b.mcap.part")) - 20);
  folder.write("letter.mcap", "to my mother");
  folder.write("notes.txt", "none of it");
  const Listing told = list(folder.path().string());
  CHECK(told.code == 0);
  std::istringstream rows(told.out);
  std::vector<std::string> all;
  for (std::string row; std::getline(rows, row);) all.push_back(row);
  REQUIRE(all.size() == 5);  // with the header; ordered by time, files without a time first
  CHECK(all[1].starts_with("letter.mcap"));
  CHECK(all[1].find("MCAP") != std::string::npos);
  CHECK(all[2].starts_with("cut.mcap"));
  CHECK(all[2].find("  3  ") != std::string::npos);  // the kills that could be read
  CHECK(all[3].starts_with("whole.mcap"));
  CHECK(all[4].starts_with("b.mcap.part"));
  CHECK(all[4].find("unfinished") != std::string::npos);
  CHECK(list(folder.path().string(), false, true).err.starts_with("\r1/4 files"));
  CHECK(list(folder.file("letter.mcap")).code == 1);  // named directly
  CHECK(list(folder.file("cut.mcap")).code == 0);
  const Listing none = list(folder.file("nowhere"));
  CHECK(none.code == 1);
  CHECK(none.err.find("cannot read") != std::string::npos);
}

/// A recording of `names`, with an index.
void record_names(const std::string& path, std::size_t names, WallTime start = kStart) {
  auto to = recorder(path);
  trace::RecordingInfoBuilder summary;
  to->opened(start, opening(1, "panic", "be-packed"));
  summary.opened(opening(1, "panic", "be-packed"));
  for (std::size_t i = 0; i < names; ++i) summary.player("p" + std::to_string(100'000 + i));
  to->summarize(to_map(summary.info()));
  REQUIRE(to->close(start).ok());
}

std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string row; std::getline(in, row);) all.push_back(row);
  return all;
}

TEST_CASE("of many players the first eight are listed, and how many more there are") {
  const Folder folder;
  const std::string eight = "p100000, p100001, p100002, p100003, p100004, p100005, p100006, p100007";
  const auto row = [&](std::size_t names) {
    record_names(folder.file("a.mcap"), names);
    const std::string out = list(folder.file("a.mcap")).out;
    std::filesystem::remove(folder.file("a.mcap"));
    return out;
  };
  CHECK(row(0).find("  -\n") != std::string::npos);
  CHECK(row(8).find("  " + eight + "\n") != std::string::npos);
  CHECK(row(9).find("  " + eight + ", and 1 more\n") != std::string::npos);
  CHECK(row(trace::RecordingInfoBuilder::kMostPlayers + 1).find("  " + eight + ", and more\n") != std::string::npos);
  record_names(folder.file("all.mcap"), trace::RecordingInfoBuilder::kMostPlayers);
  record_names(folder.file("more.mcap"), trace::RecordingInfoBuilder::kMostPlayers + 1);
  CHECK(list(folder.file("all.mcap"), true).out.ends_with("\"complete\":true}\n"));
  CHECK(list(folder.file("more.mcap"), true).out.ends_with("\"complete\":true,\"more_players\":true}\n"));
}

TEST_CASE("recordings that began at the same time are listed by name") {
  const Folder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 16; ++i) names.push_back(std::string(1, static_cast<char>('a' + i * 7 % 16)) + ".mcap");
  for (const std::string& name : names) record_names(folder.file(name), 1);
  std::sort(names.begin(), names.end());
  const auto rows = rows_of(list(folder.path().string()).out);
  REQUIRE(rows.size() == names.size() + 1);
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(rows[i + 1].starts_with(names[i] + " "));
}

TEST_CASE("a file that cannot be read has its size, a remark, and no times") {
  const Folder folder;
  const std::string path = folder.write("letter.mcap", "to my mother");
  const auto columns_of = [&](std::uint64_t bytes) {
    std::filesystem::resize_file(path, bytes);  // takes no room on the disk
    std::istringstream row(rows_of(list(path).out).at(1));
    std::string name, began, length, size, unit;
    row >> name >> began >> length >> size >> unit;
    return began + " " + length + " " + size + " " + unit;
  };
  CHECK(columns_of(12) == "- - 0.0 kB");
  CHECK(columns_of(999'900) == "- - 999.9 kB");
  CHECK(columns_of(1'000'000) == "- - 1.0 MB");
  CHECK(columns_of(999'900'000) == "- - 999.9 MB");
  CHECK(columns_of(1'000'000'000) == "- - 1.0 GB");
  std::filesystem::resize_file(path, 12);
  const std::string json = list(path, true).out;
  CHECK(json.starts_with("{\"file\":\"letter.mcap\",\"began\":null,\"seconds\":null,\"bytes\":12,\"games\":[],"));
  CHECK(json.find("\"kills\":null,\"players\":[],\"complete\":false,\"problem\":\"") != std::string::npos);
}

TEST_CASE("an unfinished recording lasts until its file was last changed, and its kills are not known") {
  const Folder folder;
  record_match(folder.file("b.mcap"), false);
  const std::string path = folder.file("b.mcap.part");
  std::filesystem::rename(folder.file("b.mcap"), path);
  const auto changed_at = [&](WallTime time) {
    const std::chrono::sys_time<std::chrono::nanoseconds> at{std::chrono::nanoseconds(time)};
    std::filesystem::last_write_time(path, std::chrono::file_clock::from_sys(at));
  };
  changed_at(kStart + 7200 * kSecond);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);  // no index; changes the time
  changed_at(kStart + 7200 * kSecond);
  const std::string json = list(path, true).out;
  CHECK_MESSAGE(json.find("\"seconds\":7200.000,") != std::string::npos, json);
  CHECK(json.find("\"kills\":null,") != std::string::npos);
  CHECK(json.find("\"complete\":false,\"problem\":\"unfinished: ") != std::string::npos);
  changed_at(kStart + 60 * kSecond);  // the clock was set
  CHECK(list(path, true).out.find("\"seconds\":3661.000,") != std::string::npos);
}

TEST_CASE("without an index, players are known from worlds and from wishes to enter, and a lab's frames do not count") {
  const Folder folder;
  const std::string path = folder.file("a.mcap");
  {
    const auto to = recorder(path);
    to->opened(kStart, opening(1, "bzflag", "2.4"));
    trace::Snapshot world;
    world.set_link(1);
    world.add_facts()->mutable_player()->set_name("anna");
    to->world(kStart, world);
    words::Intent enter;
    enter.mutable_enter()->set_name("ben");
    to->word(kStart, 1, trace::WordKind::kIntent, as_bytes(enter.SerializeAsString()));
    REQUIRE(to->close(kStart).ok());
  }
  CHECK(list(path, true).out.find("\"players\":[\"anna\",\"ben\"]") != std::string::npos);
  const auto to = recorder(folder.file("b.mcap"));
  const Buffer shot = from_hex(kShot);
  trace::FrameView frame{.link = 1, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = shot, .name = "MsgKilled"};
  to->opened(kStart, opening(1, "bzflag", "2.4"));
  to->frame(kStart, frame);
  frame.lab = trace::LAB_KEPT;
  to->frame(kStart, frame);
  REQUIRE(to->close(kStart).ok());
  CHECK(list(folder.file("b.mcap"), true).out.find("\"kills\":1,") != std::string::npos);
}

TEST_CASE("without an index, a server's kills are told by another link once the first one has ended") {
  const Folder folder;
  const auto to = recorder(folder.file("a.mcap"));
  const Buffer shot = from_hex(kShot);
  for (std::uint32_t link = 1; link <= 2; ++link) {
    trace::Opened opened = opening(link, "bzflag", "2.4");
    opened.set_server("192.0.2.7:5154");
    to->opened(kStart, opened);
  }
  const auto kill = [&](std::uint32_t link) {
    to->frame(kStart,
              {.link = link, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = shot, .name = "MsgKilled"});
  };
  kill(1), kill(2);
  to->closed(kStart, 1, "client left");
  kill(2);
  REQUIRE(to->close(kStart).ok());
  CHECK(list(folder.file("a.mcap"), true).out.find("\"kills\":2,") != std::string::npos);
}

}  // namespace
TEST_CASE("for a folder without recordings, the message names it") {
  const Folder folder;
  const Listing none = list(folder.path().string());
  CHECK(none.code == 0);
  CHECK(none.out.empty());
  CHECK(none.err == "no recordings in " + folder.path().string() + "\n");
}

}  // namespace entente::recordings_test
