// The sentence of each event, word for word, and how its fields look in JSON and in a template.
#include "proxy/program/hooks/event_text.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "proxy/program/settings/hook_template.h"

namespace entente::event_text_test {
namespace {

using relay::News, relay::NewsField, relay::NewsKind;

std::string sentence(const News& news, bool addresses = true) { return event_sentence(news, {.addresses = addresses}); }

TEST_CASE("who joins and who leaves is told with how many play then") {
  News join(NewsKind::kJoin);
  join.set(NewsField::kRoute, "ctf").set(NewsField::kPlayer, "anna").set(NewsField::kPlayers, 1);
  CHECK(sentence(join) == "anna joined ctf (1 player)");
  join.set(NewsField::kPlayers, 3).set(NewsField::kArena, "lobby");
  CHECK(sentence(join) == "anna joined lobby (3 players)");  // the arena says more than the listener
  News leave(NewsKind::kLeave);
  leave.set(NewsField::kRoute, "ctf").set(NewsField::kPlayer, "anna").set(NewsField::kReason, "kicked");
  CHECK(sentence(leave) == "anna left ctf (0 players): kicked");
  News empty(NewsKind::kEmpty);
  empty.set(NewsField::kRoute, "ctf");
  CHECK(sentence(empty) == "the last player left ctf");
}

TEST_CASE("a refused client is told with its address only if it is asked for, and with the detail if there is one") {
  News news(NewsKind::kRefused);
  news.set(NewsField::kRoute, "ctf").set(NewsField::kGame, "bzflag 2.4").set(NewsField::kReason, "banned");
  news.set(NewsField::kAddress, "192.0.2.7");
  CHECK(sentence(news) == "a client of bzflag 2.4 from 192.0.2.7 was refused at ctf: banned");
  CHECK(sentence(news, false) == "a client of bzflag 2.4 was refused at ctf: banned");
  news.set(NewsField::kDetail, "too short");
  CHECK(sentence(news, false) == "a client of bzflag 2.4 was refused at ctf: banned: too short");
}

TEST_CASE("a server goes down, for a reason if it is known, and comes up again") {
  News down(NewsKind::kServerDown);
  down.set(NewsField::kRoute, "ctf").set(NewsField::kServer, "192.0.2.9:5154");
  CHECK(sentence(down) == "server 192.0.2.9:5154 of ctf is down");
  down.set(NewsField::kReason, "refused");
  CHECK(sentence(down) == "server 192.0.2.9:5154 of ctf is down: refused");
  News up(NewsKind::kServerUp);
  up.set(NewsField::kRoute, "ctf").set(NewsField::kServer, "192.0.2.9:5154");
  CHECK(sentence(up) == "server 192.0.2.9:5154 of ctf is up again");
}

TEST_CASE("a match ends with a winner: a player, or else a team, or else nobody") {
  News begun(NewsKind::kMatchBegun);
  begun.set(NewsField::kArena, "lobby");
  CHECK(sentence(begun) == "a match began in lobby");
  News news(NewsKind::kMatchEnded);
  news.set(NewsField::kArena, "lobby");
  CHECK(sentence(news) == "a match ended in lobby: nobody won");
  news.set(NewsField::kWinningTeam, "red");
  news.set(NewsField::kTeams, std::vector<relay::NewsScore>{{"", "red", 9, 4}, {"", "blue", 4, 9}});
  CHECK(sentence(news) == "a match ended in lobby: red won. Teams: red 9:4, blue 4:9");
  news.set(NewsField::kWinner, "anna");
  CHECK(sentence(news) == "a match ended in lobby: anna won. Teams: red 9:4, blue 4:9");
}

TEST_CASE("a score board in a sentence has ten players at most, and shows that there are more") {
  const auto board = [](std::size_t count) {
    News news(NewsKind::kMatchEnded);
    news.set(NewsField::kArena, "lobby");
    news.set(NewsField::kScores, std::vector<relay::NewsScore>(count, {"a", "red", 1, 0}));
    return sentence(news);
  };
  std::string ten = "a match ended in lobby: nobody won. Players: a 1:0";
  for (int i = 1; i < 10; ++i) ten += ", a 1:0";
  CHECK(board(10) == ten);
  CHECK(board(11) == ten + ", …");
}

TEST_CASE("a ban is told with its length and with who banned, and its network is an address") {
  News ban(NewsKind::kBan);
  ban.set(NewsField::kNetwork, "192.0.2.7").set(NewsField::kBy, "operator");
  CHECK(sentence(ban) == "192.0.2.7 was banned by the operator");
  CHECK(sentence(ban, false) == "an address was banned by the operator");
  ban.set(NewsField::kSeconds, 60).set(NewsField::kBy, "rule").set(NewsField::kReason, "spam");
  CHECK(sentence(ban) == "192.0.2.7 was banned for 60 s by a rule: spam");
}

TEST_CASE("a finished recording, a rule that is off, a failed upgrade and a test are told") {
  News recording(NewsKind::kRecordingFinished);
  recording.set(NewsField::kFile, "/var/a.mcap");
  CHECK(sentence(recording) == "the recording /var/a.mcap is complete");
  CHECK(sentence(relay::rule_off("ctf", "", "vote.lua", "too many steps")) ==
        "the rule vote.lua of ctf is switched off: too many steps");
  News upgrade(NewsKind::kUpgradeFailed);
  upgrade.set(NewsField::kReason, "it did not start");
  CHECK(sentence(upgrade) == "an upgrade failed: it did not start");
  News test(NewsKind::kTest);
  CHECK(sentence(test) == "this is a test");
  test.set(NewsField::kText, "by us");
  CHECK(sentence(test) == "this is a test by us");
}

TEST_CASE("in JSON, scores of players have a name and whether it is a bot, scores of teams have neither") {
  News news(NewsKind::kMatchEnded);
  news.set(NewsField::kArena, "lobby");
  news.set(NewsField::kScores, std::vector<relay::NewsScore>{{"an\"na", "red", 5, 1}, {"bot", "blue", 0, 2, true}});
  news.set(NewsField::kTeams, std::vector<relay::NewsScore>{{"", "red", 5, 2}});
  const std::string json = event_json({news, "7-1"}, {});
  const auto has = [&](const std::string& part) { return json.find(part) != std::string::npos; };
  CHECK(json.starts_with("{\"event\":\"match_ended\",\"id\":\"7-1\",\"time\":\""));
  CHECK(has(",\"lost\":0,"));
  CHECK(has(R"([{"player":"an\"na","team":"red","wins":5,"losses":1,"bot":false},)"
            R"({"player":"bot","team":"blue","wins":0,"losses":2,"bot":true}])"));
  CHECK(has(R"([{"team":"red","wins":5,"losses":2}])"));
}

TEST_CASE("a template gets each field by its name, and nothing for a field that the event has not") {
  News news(NewsKind::kJoin);
  news.set(NewsField::kPlayer, "an\tna").set(NewsField::kPlayers, 3).set(NewsField::kRoute, "ctf");
  const HookEvent event{news, "7-2"};
  const auto value = [&](std::string_view name) { return event_value(event, {.lost = 4}, name); };
  CHECK(value("event") == "join");
  CHECK(value("id") == "7-2");
  CHECK(value("lost") == "4");
  CHECK(value("player") == "anna");
  CHECK(value("players") == "3");
  CHECK(value("text") == "anna joined ctf (3 players)");
  CHECK(value("time").ends_with("Z"));
  CHECK(value("scores") == "");
  CHECK(value("nothing") == "");
  News ended(NewsKind::kMatchEnded);
  ended.set(NewsField::kScores, std::vector<relay::NewsScore>{{"anna", "red", 5, 1}});
  CHECK(event_value({ended, "7-3"}, {}, "scores") == "anna 5:1");
}

// -- Templates --------------------------------------------------------------------------------------------------------

std::string filled(const std::string& json) {
  const auto made = HookTemplate::parse(json, [](std::string_view) { return true; });
  return made ? made->body([](std::string_view name) { return "<" + std::string(name) + ">"; }) : made.error().text;
}

TEST_CASE("a template's numbers, lists and other values stay, and its members are in the order of their names") {
  CHECK(filled(R"({"b":[1,2.5,-3],"a":true,"c":null,"d":{},"e":[],"f":false})") ==
        R"({"a":true,"b":[1,2.5,-3],"c":null,"d":{},"e":[],"f":false})");
  CHECK(filled(R"({"a":1000000000000})") == R"({"a":1000000000000})");
}

TEST_CASE("a placeholder may stand anywhere in a string or in a name, several times") {
  CHECK(filled(R"({"a":"{{x}}"})") == R"({"a":"<x>"})");
  CHECK(filled(R"({"a":"1{{x}}2{{y}}3"})") == R"({"a":"1<x>2<y>3"})");
  CHECK(filled(R"({"{{x}}":"a"})") == R"({"<x>":"a"})");
  CHECK(filled(R"({"a":"{{x"})") == R"({"a":"{{x"})");
  CHECK(filled(R"({"a":"}}{{x}}}}"})") == R"({"a":"}}<x>}}"})");
}

TEST_CASE("a placeholder with :markdown asks for the same value, and its special characters are escaped") {
  CHECK(filled(R"({"a":"{{x:markdown}} {{x}}"})") == R"({"a":"\\<x\\> <x>"})");
  CHECK(escape_markdown("a*b_c[d](e)") == "a\\*b\\_c\\[d\\]\\(e\\)");
  CHECK(escape_markdown("plain 1,2;\xc3\xa4") == "plain 1,2;\xc3\xa4");
}

TEST_CASE("a template may have as many placeholders and bytes as allowed, and no more") {
  const auto with = [](std::size_t count) {
    std::string json = "{\"a\":\"";
    for (std::size_t i = 0; i < count; ++i) json += "{{x}}";
    return json + "\"}";
  };
  CHECK(filled(with(HookTemplate::kMostValues)).starts_with("{\"a\":\"<x>"));
  CHECK(filled(with(HookTemplate::kMostValues + 1)) == "has more than 256 placeholders");
  const std::string shell = "{\"a\":\"\"}";
  const auto sized = [&](std::size_t bytes) { return "{\"a\":\"" + std::string(bytes - shell.size(), 'x') + "\"}"; };
  CHECK(filled(sized(HookTemplate::kMostBytes)).starts_with("{\"a\":\"xxx"));
  CHECK(filled(sized(HookTemplate::kMostBytes + 1)) == "has more than 65536 bytes");
}

TEST_CASE("an unknown placeholder is named, also one in a name, in a list, or with :markdown") {
  const auto why = [](const std::string& json) {
    const auto made = HookTemplate::parse(json, [](std::string_view name) { return name == "text"; });
    return made ? "" : made.error().text;
  };
  CHECK(why(R"({"a":"{{text}} {{text:markdown}}"})") == "");
  CHECK(why(R"({"a":["{{test}}"]})") == "has {{test}}, which no event has");
  CHECK(why(R"({"{{test}}":1})") == "has {{test}}, which no event has");
  CHECK(why(R"({"a":{"b":"{{test:markdown}}"}})") == "has {{test:markdown}}, which no event has");
  CHECK(why("[1]") == "must be a JSON object, {…}");
  CHECK(why("{") == "is not JSON");
}

}  // namespace
}  // namespace entente::event_text_test
