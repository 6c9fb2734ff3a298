// `entente stats`: the counts and the reports.
#include "proxy/program/numbers/stats.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "proxy/program/numbers/page.h"
#include "proxy/program/numbers/report.h"
#include "tests/program/clips/clip_match.h"
#include "tests/program/folder.h"

namespace entente::stats_test {
namespace {

using namespace numbers;
namespace fs = std::filesystem;

struct Told {
  int exit;
  std::string out, err;
};

Told told(const StatsOptions& options) {
  std::ostringstream out, err;
  const int exit = stats(options, out, err);
  return {exit, out.str(), err.str()};
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Player player(std::int64_t number, const char* name, double joined = 0, double left = kUnknown) {
  Player row;
  row.player = number;
  row.name = name;
  row.team = "red";
  row.role = "play";
  row.joined_s = joined;
  row.left_s = left;
  return row;
}

Death death(double at, std::int64_t victim, std::int64_t killer, bool team_kill = false) {
  Death row;
  row.time_s = at;
  row.match = 1;
  row.victim.number = victim;
  row.killer.number = killer;
  row.why = "shot";
  row.team_kill = team_kill;
  return row;
}

Match whole(double length) {
  Match row;
  row.match = 1;
  row.ended_s = length;
  row.game = "bzflag";
  return row;
}

TEST_CASE("a match is reported as text") {
  const Folder folder;
  const Told one = told({.source = {.files = {clip_match::match(folder.file("a.mcap"))}}});
  CHECK_MESSAGE(one.exit == kOk, one.err);
  CHECK(one.out ==
        "a.mcap: 0:20, 2 players, 1 kill, 1 death\n"
        "\n"
        "player  kills  deaths  streak  distance  alive  longest life  server's score\n"
        "anna        1       0       1     199 m   0:20          0:20           199-0\n"
        "bob         0       1                     0:08          0:08\n"
        "\n"
        "killed  anna  bob\n"
        "anna       .    1\n"
        "bob        .    .\n"
        "\n"
        "deaths by unknown 1\n");
}

TEST_CASE("a match is reported as JSON, with units in the names") {
  const Folder folder;
  const Told one = told({.source = {.files = {clip_match::match(folder.file("a.mcap"))}}, .json = true});
  CHECK(one.exit == kOk);
  CHECK(
      has(one.out, "{\"recording\":\"a.mcap\",\"game\":null,\"began_utc\":\"2023-11-14T22:13:20Z\",\"length_s\":20,"));
  CHECK(has(one.out, "{\"player\":1,\"name\":\"anna\","));
  CHECK(has(one.out, "\"killed\":[\n{\"killer\":1,\"victim\":2,\"times\":1}]"));
  CHECK(one.out.ends_with("}\n"));
}

TEST_CASE("a streak ends with a death, a team kill does not count as a kill, and a suicide is counted separately") {
  Statistics counted;
  for (const Row& row : std::vector<Row>{death(1, 2, 1), death(2, 3, 1), death(3, 1, 2), death(4, 2, 1),
                                         death(5, 3, 1, true), death(6, 3, 3), death(7, 3, 0), player(1, "anna"),
                                         player(2, "bob"), player(3, "carl"), whole(10)})
    counted.take(row);
  counted.finish();
  REQUIRE(counted.players().size() == 3);
  const PlayerCounts &anna = counted.players()[0], &bob = counted.players()[1], &carl = counted.players()[2];
  CHECK(anna.name == "anna");
  CHECK(anna.kills == 3);
  CHECK(anna.streak == 2);
  CHECK(anna.team_kills == 1);
  CHECK(anna.deaths == 1);
  CHECK(bob.kills == 1);
  CHECK(carl.deaths == 4);
  CHECK(carl.own_deaths == 2);
  CHECK(counted.kills() == 4);
  CHECK(counted.deaths() == 7);
  CHECK(counted.pairs().at({2, 2}) == 2);
  CHECK(counted.pairs().at({0, 2}) == 2);
  CHECK(counted.moments().size() == 7);
  CHECK(counted.moments()[0].by == 1);
}

TEST_CASE("deaths by a capture are neither kills nor deaths, as in the score of bzfs, and end a streak") {
  const auto captured = [](double at, std::int64_t victim, std::int64_t killer) {
    Death row = death(at, victim, killer);
    row.why = "capture";
    return Row(row);
  };
  Capture capture;
  capture.time_s = 3;
  capture.player = {1};
  Statistics counted;
  for (const Row& row :
       std::vector<Row>{death(1, 2, 1), death(2, 1, 2), Row(capture), captured(3, 2, 1), captured(3, 3, 1),
                        death(5, 1, 2), player(1, "anna"), player(2, "bob"), player(3, "carl"), whole(9)})
    counted.take(row);
  counted.finish();
  REQUIRE(counted.players().size() == 3);
  const PlayerCounts &bob = counted.players()[0], &anna = counted.players()[1], &carl = counted.players()[2];
  CHECK(anna.name == "anna");
  CHECK(anna.kills == 1);
  CHECK(anna.captures == 1);
  CHECK(bob.kills == 2);
  CHECK(bob.deaths == 1);
  CHECK(bob.streak == 1);
  CHECK(carl.deaths == 0);
  CHECK(counted.kills() == 3);
  CHECK(counted.deaths() == 3);
  CHECK(counted.causes().at("capture") == 2);
  CHECK(counted.pairs().size() == 2);
  CHECK(counted.moments().size() == 6);
}

TEST_CASE("stays under one name are one player, unless they overlap in time") {
  Statistics counted;
  for (const Row& row :
       std::vector<Row>{player(1, "anna", 0, 5), player(2, "anna", 6), player(3, "bob", 0), player(4, "bob", 3),
                        player(5, "", 0, 1), player(6, "", 2), death(1, 3, 1), death(7, 4, 2), whole(10)})
    counted.take(row);
  counted.finish();
  CHECK(counted.players().size() == 5);
  CHECK(counted.players()[0].name == "anna");
  CHECK(counted.players()[0].stays == 2);
  CHECK(counted.players()[0].kills == 2);
  CHECK(counted.place_of({2}) == 1);
}

TEST_CASE("the mean ping is of all stays under one name, and a streak goes on in the next stay") {
  const auto latency = [](std::int64_t number, double rtt_ms) {
    Latency row;
    row.player.number = number;
    row.rtt_ms = rtt_ms;
    return Row(row);
  };
  Statistics counted;
  for (const Row& row :
       std::vector<Row>{player(1, "anna", 0, 5), player(2, "anna", 6, 8), player(3, "anna", 9, 12), player(4, "bob", 0),
                        player(5, "bob", 13), latency(1, 100), latency(1, 100), latency(1, 100), latency(3, 20),
                        latency(5, 30), death(1, 1, 4), death(2, 4, 1), death(3, 4, 1), death(7, 4, 2), death(10, 4, 3),
                        death(11, 3, 4), death(11.5, 4, 3), whole(20)})
    counted.take(row);
  counted.finish();
  REQUIRE(counted.players().size() == 3);  // the two bobs are there at the same time
  const PlayerCounts& anna = counted.players()[0];
  CHECK(anna.name == "anna");
  CHECK(anna.stays == 3);
  CHECK(anna.kills == 5);
  CHECK(anna.streak == 4);
  CHECK(anna.rtt_ms == 80);
  CHECK(counted.players()[2].rtt_ms == 30);
  CHECK(std::isnan(counted.players()[1].rtt_ms));
}

TEST_CASE("causes of death and teams above the limit are only counted") {
  Statistics counted;
  for (int i = 0; i < 1'000; ++i) {
    Death row = death(i, 2, 1);
    row.why = std::to_string(i);
    counted.take(row);
    TeamScore score;
    score.team = std::to_string(i);
    counted.take(score);
  }
  counted.take(whole(1'000));
  counted.finish();
  CHECK(counted.causes().size() == Statistics::kMostCauses);
  CHECK(counted.teams().size() == Statistics::kMostTeams);
  CHECK(counted.deaths() == 1'000);
  CHECK(counted.beyond() == 2'000 - 100 - 100);
}

TEST_CASE("accuracy is reported only for games that report all hits") {
  for (const auto& [game, shown] : {std::pair{"bzflag", true}, {"aos", false}}) {
    Statistics counted;
    Match match = whole(10);
    match.game = game;
    Shot shot;
    shot.player.number = 1;
    Hit hit;
    hit.shooter.number = 1;
    for (const Row& row : std::vector<Row>{shot, shot, hit, player(1, "anna"), match}) counted.take(row);
    counted.finish();
    const std::string text = report_text(counted, "x", false);
    CHECK(has(text, "50 %") == shown);
    std::string json;
    report_json(counted, "x", json);
    CHECK(has(json, "\"accuracy\":0.5") == shown);
  }
}

TEST_CASE("stays above the limit are only counted") {
  Statistics counted;
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(Statistics::kMostStays) + 5; ++i)
    counted.take(player(i, "x", 0));
  counted.take(whole(1));
  counted.finish();
  CHECK(counted.beyond() == 5);
  CHECK(counted.players().size() == Statistics::kMostStays);
  CHECK(has(report_text(counted, "x", false), "and 19900 more\n"));
}

TEST_CASE("names are safe in a terminal") {
  Statistics counted;
  counted.take(player(1, "\x1b[31mred"));
  counted.take(whole(1));
  counted.finish();
  CHECK(has(report_text(counted, "x", false), "\\x1b[31mred"));
  CHECK_FALSE(has(report_text(counted, "x", false), "\x1b"));
  CHECK(has(report_text(counted, "x", true), "\x1b[1m"));
}

TEST_CASE("the page is one file, and names in it are not HTML") {
  const Folder folder;
  const std::string name = "</script><script>alert(1)</script><!--\"'&";
  Statistics counted;
  PagePlaces places;
  words::World land;
  land.set_hash("h");
  land.set_name(name);
  land.set_west(-100), land.set_east(100), land.set_south(-50), land.set_north(50);
  auto& box = *land.add_solids();
  box.set_half_x(10);
  box.set_half_y(5);
  land.add_solids()->set_x(std::numeric_limits<double>::quiet_NaN());
  places.land(land);
  Death row = death(1, 1, 2);
  row.at = {-99, 49, 0};
  row.killer_at = {99, -49, 0};
  row.why = name;
  for (const Row& one : std::vector<Row>{row, player(1, name.c_str()), player(2, "bob"), whole(10)}) {
    counted.take(one);
    places.take(one);
  }
  counted.finish();
  const std::string path = folder.file("a.html");
  REQUIRE(write_page(path, counted, places, name).ok());
  const std::string page = text_of(path);
  CHECK(page.starts_with("<!doctype html>"));
  CHECK(page.ends_with("</html>\n"));
  CHECK_FALSE(has(page, "alert(1)</script>"));
  CHECK_FALSE(has(page, "<script>alert"));
  CHECK(has(page, "\\u003c/script>\\u003cscript>alert(1)"));
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++scripts;
  CHECK(scripts == 2);
  CHECK_FALSE(has(page, "<!-- "));
  CHECK(has(page, "default-src 'none'"));
  std::string maps;
  places.write(maps);
  CHECK(maps.find_first_of('{') == maps.find("{\"name\":"));
  CHECK(has(page, "\"solids\":[[0,0,10,5,0]]"));
  CHECK(has(page, "\"heat\":{\"columns\":128,\"rows\":64,\"drive\":[],\"die\":[0,1],\"kill\":[8191,1],\"shoot\":[]}"));
  // The page loads nothing: its only URL is the XML namespace of SVG.
  std::string rest = page;
  const std::string svg = "http://www.w3.org/2000/svg";
  for (std::size_t at; (at = rest.find(svg)) != std::string::npos;) rest.erase(at, svg.size());
  CHECK_FALSE(has(rest, "http:"));
  CHECK_FALSE(has(rest, "https:"));

  CHECK_FALSE(write_page(path, counted, places, name).ok());
  CHECK(text_of(path) == page);
}

TEST_CASE("the page marks team kills, so that its curve has all other kills, also of players who changed their team") {
  const Folder folder;
  Statistics counted;
  for (const Row& row : std::vector<Row>{death(1, 2, 1), death(2, 2, 1, true), player(1, "anna"), player(2, "bob"),
                                         whole(10)})  // both are red at the end
    counted.take(row);
  counted.finish();
  const std::string path = folder.file("a.html");
  REQUIRE(write_page(path, counted, PagePlaces(), "a.mcap").ok());
  const std::string page = text_of(path);
  CHECK(has(page, "[1,\"death\",2,1,\"shot\"],\n[2,\"death\",2,1,\"shot\",true]]"));
  CHECK(counted.players()[0].kills == 1);
}

TEST_CASE("a world with invalid bounds has no map") {
  PagePlaces places;
  words::World land;
  for (const double east :
       {0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    land.set_hash(std::to_string(east));
    land.set_east(east);
    land.set_north(100);
    places.land(land);
    places.take(death(1, 1, 2));
  }
  std::string json;
  places.write(json);
  CHECK(json == "[]");
}

TEST_CASE("--html writes the page in addition to the report, and overwrites nothing") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap")), page = folder.file("a.html");
  CHECK(told({.source = {.files = {file}}, .html = page}).exit == kOk);
  CHECK(has(text_of(page), "\"moments\":[[13,\"death\",2,1,\"unknown\"]]"));
  const Told again = told({.source = {.files = {file}}, .html = page});
  CHECK(again.exit == kFailed);
  CHECK(has(again.err, "exists already"));
  CHECK(again.out.empty());
}

TEST_CASE("a damaged recording is counted as far as it can be read, and the command fails") {
  const Folder folder;
  const std::string file = clip_match::match(folder.file("a.mcap"));
  fs::resize_file(file, fs::file_size(file) - 40);
  const Told one = told({.source = {.files = {file}}});
  CHECK(one.exit == kFailed);
  CHECK(has(one.out, "anna        1       0"));
  CHECK(has(one.err, "entente stats: the rest cannot be read: "));
}

TEST_CASE("a player who comes back has the sum of both stays, and the team, the role and the end of the last one") {
  Statistics counted;
  const auto take_stay = [&](std::int64_t number, double joined, double left, int times, const char* team,
                             const char* role) {
    Life life;
    life.player.number = number;
    life.length_s = 10 * times;
    life.distance_m = 100 * times;
    Shot shot;
    shot.player.number = number;
    Hit hit;
    hit.shooter.number = number;
    Capture capture;
    capture.player.number = number;
    for (int i = 0; i < times; ++i) {
      for (const Row& row : std::vector<Row>{shot, shot, hit, capture, death(joined, number, number),
                                             death(joined, 9, number, true), death(joined, number, 9)})
        counted.take(row);
    }
    counted.take(life);
    Player row = player(number, "anna", joined, left);
    row.team = team;
    row.role = role;
    row.wins = 5 * times;
    row.losses = 7 * times;
    counted.take(row);
  };
  take_stay(1, 1, 5, 2, "red", "play");
  numbers::Score score;
  score.player.number = 1;
  counted.take(score);
  take_stay(2, 6, kUnknown, 1, "blue", "watch");
  counted.take(player(9, "bob"));
  counted.take(whole(10));
  counted.finish();
  REQUIRE(counted.players().size() == 2);
  const bool is_first = counted.players()[0].name == "anna";
  const PlayerCounts& anna = counted.players()[is_first ? 0 : 1];
  CHECK(anna.stays == 2);
  CHECK(anna.team == "blue");
  CHECK(anna.role == "watch");
  CHECK(anna.there);
  CHECK(anna.joined_s == 1);
  CHECK(anna.deaths == 6);
  CHECK(anna.own_deaths == 3);
  CHECK(anna.team_kills == 3);
  CHECK(anna.captures == 3);
  CHECK(anna.shots == 6);
  CHECK(anna.hits == 3);
  CHECK(anna.wins == 15);
  CHECK(anna.losses == 21);
  CHECK(anna.scored);
  CHECK(anna.distance_m == 300);
  CHECK(anna.alive_s == 30);
  CHECK(anna.longest_life_s == 20);
  CHECK(counted.captures() == 3);
}

TEST_CASE("players are listed by kills, then by deaths, then by name; those who did not fight come last") {
  Statistics counted;
  const char* const names[] = {"carl", "anna", "bob", "dora", "emil", "abel"};
  std::int64_t number = 0;
  for (const char* name : names) counted.take(player(++number, name));
  for (const Row& row : std::vector<Row>{death(1, 4, 1), death(2, 4, 2), death(3, 5, 3), death(4, 3, 4)})
    counted.take(row);
  counted.take(whole(10));
  counted.finish();
  std::string order;
  for (const PlayerCounts& one : counted.players()) order += one.name + " ";
  CHECK(order == "anna carl bob dora emil abel ");
}

}  // namespace
}  // namespace entente::stats_test
