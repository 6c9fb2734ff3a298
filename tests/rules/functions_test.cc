// The functions by which a rule sees its room and acts in it: what each gives, what it takes, and what it refuses.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/rules/scene.h"

namespace entente::rules::functions_test {
namespace {

/// A room in which Anna can have code run. A rule that fails is tried again.
struct Room {
  explicit Room(bool begins = true) {
    if (begins) scene.begin();
    (void)scene.taken();
  }
  /// What the rule does when it runs this, by taken().
  std::string run(const std::string& code) {
    auto set = std::make_shared<RuleSet>();
    set->push_back({"rule.lua", "function on_chat() " + code + " end", {}});
    scene.rules->replace(std::move(set), scene.now);
    scene.chat(Scene::kAnna, "x");
    return scene.taken();
  }
  /// The values of these expressions, with blanks between them.
  std::string value(const std::string& expressions) {
    std::string text = run("local t = { " + expressions + " } local n = select('#', " + expressions +
                           ") for i = 1, n do t[i] = tostring(t[i]) end log(table.concat(t, ' '))");
    if (!text.empty()) text.pop_back();
    return text.starts_with("log: ") ? text.substr(5) : text;
  }
  /// What the rule wants to be done.
  std::vector<Action> acts(const std::string& code) {
    auto set = std::make_shared<RuleSet>();
    set->push_back({"rule.lua", "function on_chat() " + code + " end", {}});
    scene.rules->replace(std::move(set), scene.now);
    scene.chat(Scene::kAnna, "x");
    return scene.take();
  }
  bool refuses(const std::string& code, const std::string& why) {
    const std::string told = run(code);
    return told.starts_with("off: ") && told.find(why) != std::string::npos;
  }
  Scene scene{""};
};

}  // namespace

// -- What a rule sees -------------------------------------------------------------------------------------------------

TEST_CASE("the players are listed, and each is found by id, whole name or a beginning that only one has") {
  Room room;
  CHECK(room.value("#players(), players()[1].name, players()[2].name") == "2 anna ben");
  CHECK(room.value("get_player(2).name, get_player(9)") == "ben nil");
  CHECK(room.value("find_player('ANNA').id, find_player('b').id, find_player('x'), find_player('')") == "1 2 nil nil");
  room.scene.join(3, "annabel", words::RED);
  (void)room.scene.taken();
  CHECK(room.value("find_player('ann'), find_player('anna').id, find_player('annab').id") == "nil 1 3");
  room.scene.join(4, "annalena", words::RED);
  CHECK(room.value("find_player('ann'), find_player('anna').id") == "nil 1");
}

TEST_CASE("a player has a name, a team, scores, a unit, and is alive as its unit is") {
  Room room;
  words::Player anna;
  anna.set_id(Scene::kAnna);
  anna.set_name("anna");
  anna.set_team(words::BLUE);
  anna.set_role(words::WATCH);
  anna.set_kit(4);
  anna.set_badges(words::ADMIN | words::PAUSED);
  room.scene.tell(anna);
  words::Score score;
  score.set_player(Scene::kAnna);
  score.set_wins(5);
  score.set_losses(3);
  score.set_team_kills(2);
  room.scene.tell(score);
  CHECK(room.value("get_player(1).id, get_player(1).team, get_player(1).role, get_player(1).kit") == "1 BLUE WATCH 4");
  CHECK(room.value("get_player(1).wins, get_player(1).losses, get_player(1).team_kills") == "5 3 2");
  CHECK(room.value("get_player(1).admin, get_player(1).registered, get_player(1).paused") == "true false true");
  CHECK(room.value("get_player(1).unit, get_player(1).alive, get_player(1).here") == "11 true true");
  room.scene.die(Scene::kAnna, Scene::kBen);
  room.scene.seats.erase(Scene::kAnna);
  CHECK(room.value("get_player(1).alive, get_player(1).here, get_player(2).alive") == "false false true");
  CHECK(room.refuses("log(get_player(1).nothing)", "a Player has no field 'nothing'"));
  CHECK(room.refuses("get_player(1).wins = 5", "a Player cannot be changed"));
}

TEST_CASE("a unit has an owner and a place, which goes on with its speed") {
  Room room;
  words::Pose pose;
  pose.set_unit(Scene::kAnnasTank);
  pose.set_x(10);
  pose.set_y(20);
  pose.set_z(3);
  pose.set_vx(4);
  pose.set_vy(-2);
  pose.set_vz(1);
  pose.set_yaw(0.5);
  pose.set_yaw_rate(2);
  pose.set_pitch(0.25);
  room.scene.tell(pose);
  CHECK(room.value("get_unit(11).x, get_unit(11).y, get_unit(11).z, get_unit(11).yaw") == "10.0 20.0 3.0 0.5");
  room.scene.now += core::kSecond / 4;
  CHECK(room.value("get_unit(11).x, get_unit(11).y, get_unit(11).z, get_unit(11).yaw") == "11.0 19.5 3.25 1.0");
  CHECK(room.value("get_unit(11).vx, get_unit(11).vy, get_unit(11).vz, get_unit(11).pitch") == "4.0 -2.0 1.0 0.25");
  CHECK(room.value("get_unit(11).age, get_unit(11).owner, get_unit(11).team, get_unit(11).away") == "0.25 1 RED nil");
  CHECK(room.value("unit_of(1).id, unit_of(9), get_unit(99)") == "11 nil nil");
  CHECK(room.value("near(11, 19.5, 1)[1].away") == "0.0");
  CHECK(room.refuses("get_unit(11, -0.1)", "not from 0 to 1 second"));
  CHECK(room.refuses("get_unit(11, 1.1)", "not from 0 to 1 second"));
}

TEST_CASE("a place a moment ago is where the unit was then, and is forgotten when the unit is gone") {
  Room room;
  CHECK(room.value("get_unit(11, 0.1)") == "nil");  // nobody has asked before
  const auto move = [&](double x) {
    words::Pose pose;
    pose.set_unit(Scene::kAnnasTank);
    pose.set_x(x);
    room.scene.tell(pose);
  };
  move(1);
  room.scene.now += 100 * core::kMillisecond;
  move(2);
  CHECK(room.value("get_unit(11, 0.1).x, get_unit(11, 0.099).x, get_unit(11, 0).x") == "1.0 1.0 2.0");
  CHECK(room.value("get_unit(11, 0.101)") == "nil");
  room.scene.now += 100 * core::kMillisecond;
  words::Corrected corrected;
  corrected.mutable_pose()->set_unit(Scene::kAnnasTank);
  corrected.mutable_pose()->set_x(7);
  room.scene.tell(corrected);
  room.scene.now += 100 * core::kMillisecond;
  CHECK(room.value("get_unit(11, 0.1).x, get_unit(11, 0.15).x, get_unit(11, 0.2).x") == "7.0 2.0 2.0");
}

TEST_CASE("only the last places of a unit are remembered") {
  Room room;
  (void)room.value("get_unit(11, 0.1)");
  for (std::size_t i = 0; i <= Past::kKept; ++i) {
    words::Pose pose;
    pose.set_unit(Scene::kAnnasTank);
    pose.set_x(static_cast<double>(i));
    room.scene.tell(pose);
    room.scene.now += core::kMillisecond;
  }
  const auto at = [&](std::size_t i) {  // when pose i was told
    return "get_unit(11, " + std::to_string(static_cast<double>(Past::kKept + 1 - i) / 1'000) + ")";
  };
  CHECK(room.value(at(Past::kKept) + ".x") == std::to_string(Past::kKept) + ".0");
  CHECK(room.value(at(1) + ".x") == "1.0");
  CHECK(room.value(at(0)) == "nil");
}

TEST_CASE("the room, its round, its settings, its field and its tokens are seen as they are") {
  Room room;
  CHECK(room.value("room().name, room().mode, is_arena()") == "the yard teams true");
  room.scene.arena = false;
  CHECK(room.value("is_arena()") == "false");
  CHECK(room.value("field().west, field().east, field().south, field().north, #field().bases") ==
        "-400.0 400.0 -400.0 400.0 2");
  CHECK(room.value("field().bases[1].team, field().bases[1].x, field().bases[1].half_x, field().bases[2].team") ==
        "RED -350.0 40.0 BLUE");
  words::Rule setting;
  setting.set_name("gravity");
  setting.set_value("9.8");
  room.scene.tell(setting);
  CHECK(room.value("setting('gravity'), setting('none')") == "9.8 nil");
  words::TeamScore score;
  score.set_team(words::BLUE);
  score.set_wins(3);
  room.scene.tell(score);
  CHECK(room.value("team_scores().BLUE.wins, team_scores().GREEN") == "3 nil");
  CHECK(room.value("#tokens()") == "0");
  words::Token token;
  token.set_id(5);
  token.set_team(words::RED);
  room.scene.tell(token);
  CHECK(room.value("#tokens(), tokens()[1].id, tokens()[1].team") == "1 5 RED");
  Room empty(false);
  empty.scene.arena = false;  // where rules hear also who has not entered
  CHECK(empty.value("field(), #players()") == "nil 0");
}

TEST_CASE("the time of a rule is the room's, in seconds") {
  Room room;
  room.scene.now = 2'500'000;
  CHECK(room.value("now()") == "2.5");
  room.scene.now = 3'000'000;
  CHECK(room.value("now()") == "3.0");
}

// -- What a rule does -------------------------------------------------------------------------------------------------

TEST_CASE("only who has a seat is told something, kicked, banned or moved") {
  Room room;
  CHECK(room.run("log(tostring(tell(2, 'hi')) .. tostring(tell(3, 'hi')))") == "tell 2: hi\nlog: truefalse\n");
  CHECK(room.run("tell_all('hi')") == "tell_all: hi\n");
  CHECK(room.run("kick(2) kick(3) kick(1, 'why')") == "kick 2\nkick 1: why\n");
  CHECK(room.run("move(2, 'lobby') move(3, 'lobby')") == "move 2: lobby\n");
  const auto bans = room.acts("ban(2, 30, 'why') ban(1, 0) ban(3, 5)");
  REQUIRE(bans.size() == 2);
  CHECK(bans[0].kind == Action::Kind::kBan);
  CHECK(bans[0].player == 2);
  CHECK(bans[0].minutes == 30);
  CHECK(bans[0].text == "why");
  CHECK(bans[1].minutes == 0);
  CHECK(bans[1].text == "");
}

TEST_CASE("an action knows the rule, the time and the player's name") {
  Room room;
  room.scene.now = 7'000'000;
  const auto all = room.acts("kick(2, 'x') log('y')");
  REQUIRE(all.size() == 2);
  CHECK(all[0].rule == "rule.lua");
  CHECK(all[0].at == 7'000'000);
  CHECK(all[0].name == "ben");
  CHECK(all[1].name == "");
}

TEST_CASE("scores, teams and rounds are set only in an arena, and only of players who are there") {
  Room room;
  CHECK(room.run("set_score(2, 5, 3) set_score(9, 1, 1)") == "set_score 2 5 3\n");
  CHECK(room.run("set_team(2, 'RED') set_team(9, 'RED')") == "set_team 2 RED\n");
  CHECK(room.run("open_round()") == "open_round\n");
  CHECK(room.run("close_round() close_round('BLUE')") == "close_round\nclose_round BLUE\n");
  CHECK(room.refuses("set_team(2, 'PINK')", "not the name of a team"));
  room.scene.arena = false;
  CHECK(room.run("set_score(2, 5, 3) set_team(2, 'RED') open_round() close_round()") == "");
}

TEST_CASE("a text of a rule is cut to 255 bytes between characters, and has no control characters") {
  Room room;
  CHECK(room.run("tell_all(('x'):rep(255))") == "tell_all: " + std::string(255, 'x') + "\n");
  CHECK(room.run("tell_all(('x'):rep(256))").size() <= std::string("tell_all: \n").size() + 255);
  const auto cut = room.acts("tell_all(('x'):rep(254) .. '\xc3\xa4')");
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].text.size() <= 255);
  CHECK(cut[0].text.find('\xc3') == std::string::npos);
  CHECK(room.run("tell_all('a\\n\\tb')") == "tell_all: ab\n");
  CHECK(room.refuses("tell_all()", "bad argument"));
  CHECK(room.refuses("tell_all({})", "bad argument"));
}

TEST_CASE("ids and counts are whole numbers in their range") {
  Room room;
  CHECK(room.value("get_player(0), get_player(4294967295)") == "nil nil");
  for (const char* wrong : {"get_player(-1)", "get_player(4294967296)", "tell(-1, 'x')"})
    CHECK_MESSAGE(room.refuses(wrong, "not an id"), wrong);
  CHECK(room.run("set_score(2, 1000000000, 0)") == "set_score 2 1000000000 0\n");
  CHECK(room.refuses("set_score(2, -1, 0)", "out of range"));
  CHECK(room.refuses("set_score(2, 0, 1000000001)", "out of range"));
  CHECK(room.refuses("get_player(1.5)", "number has no integer representation"));
  CHECK(room.refuses("near(0, 0 / 0, 1)", "not finite"));
  CHECK(room.refuses("clear_way(0, 0, 0, 0, 0, 0, 5)", "no direction"));
}

TEST_CASE("a report has a player, a text and a few named, finite numbers, by name") {
  Room room;
  const auto reports = room.acts("report(2, 'spins', { turns = 3, angle = 1.5 }) report(2, 'x')");
  REQUIRE(reports.size() == 2);
  CHECK(reports[0].kind == Action::Kind::kReport);
  CHECK(reports[0].player == 2);
  CHECK(reports[0].text == "spins");
  CHECK(reports[0].numbers == std::vector<std::pair<std::string, double>>{{"angle", 1.5}, {"turns", 3}});
  CHECK(reports[1].numbers.empty());
  for (const char* wrong : {"{ 1 }", "{ a = 'x' }", "{ a = 0 / 0 }", "{ a = 1 / 0 }", "{ [('x'):rep(65)] = 1 }"})
    CHECK_MESSAGE(room.refuses("report(2, 'x', " + std::string(wrong) + ")", "a few named, finite numbers expected"),
                  wrong);
  CHECK(room.acts("report(2, 'x', { [('x'):rep(64)] = 1 })").size() == 1);
  const auto many = [](int count) {
    return "local t = {} for i = 1, " + std::to_string(count) + " do t['n' .. i] = i end report(2, 'x', t)";
  };
  CHECK(room.acts(many(16))[0].numbers.size() == 16);
  CHECK(room.refuses(many(17), "a few named, finite numbers expected"));
}

// -- Commands ---------------------------------------------------------------------------------------------------------

TEST_CASE("a command has a short name of small letters, digits, '_' and '-', which no other has, and is not help") {
  const auto why = [](const std::string& source) {
    const auto checked = check_rule("rule.lua", source);
    return checked ? "" : checked.error().text;
  };
  const auto named = [&](const std::string& name) { return why("command('" + name + "', 'x', function() end)"); };
  CHECK(named("a-1_z") == "");
  CHECK(named(std::string(20, 'a')) == "");
  for (const std::string& wrong : {std::string(), std::string(21, 'a'), std::string("Ready"), std::string("a b"),
                                   std::string("/a"), std::string("help")})
    CHECK_MESSAGE(named(wrong).find("a name of a-z, 0-9, '_' and '-' expected") != std::string::npos, wrong);
  CHECK(why("command('a', 'x', function() end) command('a', 'y', function() end)")
            .find("the command /a is there already, or there are too many") != std::string::npos);
  CHECK(why("command('a', 'x', 5)").find("function expected") != std::string::npos);
  const auto many = [&](int count) {
    return why("for i = 1, " + std::to_string(count) + " do command('c' .. i, 'x', function() end) end");
  };
  CHECK(many(64) == "");
  CHECK(many(65).find("the command /c65 is there already, or there are too many") != std::string::npos);
}

TEST_CASE("a command of a rule that has failed is no command any more, and the other rules' still are") {
  Scene scene({{"a.lua", "command('bad', 'x', function() error('no') end)"},
               {"b.lua", "command('good', 'y', function(id, text) log(id .. text) end)"}});
  scene.begin();
  (void)scene.taken();
  CHECK_FALSE(scene.chat(Scene::kAnna, "/bad"));
  CHECK(scene.taken().starts_with("off: a.lua"));
  CHECK(scene.chat(Scene::kAnna, "/bad"));  // passed on
  CHECK_FALSE(scene.chat(Scene::kBen, "/good day"));
  CHECK(scene.taken() == "log: 2day\n");
  CHECK_FALSE(scene.chat(Scene::kAnna, "/help"));
  CHECK(scene.taken() == "tell 1: /good y\n");
}

TEST_CASE("/help goes on to a server that has commands, and only who is here is told") {
  Scene scene("command('good', 'y', function() end)");
  scene.begin();
  auto set = std::make_shared<RuleSet>();
  set->push_back({"rule.lua", "command('good', 'y', function() end)", {}});
  scene.rules = std::make_unique<RoomRules>(set, scene, RoomRules::Options{7, true}, scene.now);
  CHECK(scene.chat(Scene::kAnna, "/help"));
  CHECK(scene.taken() == "tell 1: /good y\n");
  scene.seats.erase(Scene::kAnna);
  CHECK(scene.chat(Scene::kAnna, "/help"));
  CHECK(scene.taken() == "");
}

// -- Several rules ----------------------------------------------------------------------------------------------------

TEST_CASE("rules hear a line in their order, each as the one before has changed it, until one drops it") {
  Scene scene({{"a.lua", "function on_chat(id, text) return text .. '1' end"},
               {"b.lua", "function on_chat(id, text) if text == 'stop1' then return false end return text .. '2' end"},
               {"c.lua", "function on_chat(id, text) log(text) end"}});
  scene.begin();
  (void)scene.taken();
  CHECK(scene.chat(Scene::kAnna, "go"));
  CHECK(scene.heard == "go12");
  CHECK(scene.taken() == "log: go12\n");
  CHECK_FALSE(scene.chat(Scene::kAnna, "stop"));
  CHECK(scene.taken() == "");
}

TEST_CASE("a rule that fails in the middle leaves what a player said as it was, and the others go on") {
  Scene scene({{"a.lua", "function on_intent.fire(w) w.x = 5 error('no') end"},
               {"b.lua", "function on_intent.fire(w) log('x ' .. w.x) end"}});
  scene.begin();
  (void)scene.taken();
  words::Fire fire;
  fire.set_x(1.5);
  core::Intent shot(fire);
  CHECK(scene.say(shot, Scene::kAnna));
  CHECK(core::as<words::Fire>(shot)->x() == 1.5);
  const std::string told = scene.taken();
  CHECK(told.starts_with("off: a.lua:1: no"));
  CHECK(told.ends_with("log: x 1.5\n"));
  CHECK(scene.rules->running() == 1);
}

TEST_CASE("a handler for all words hears each kind, and its name") {
  Scene scene(
      "function on_intent(w, id, kind) log('intent ' .. kind .. id) end "
      "function on_fact(w, to, kind) if kind == 'died' then log('fact ' .. kind .. tostring(to)) end end");
  scene.begin();
  (void)scene.taken();
  core::Intent shot{words::Fire()};
  CHECK(scene.say(shot, Scene::kBen));
  CHECK(scene.chat(Scene::kAnna, "x"));
  scene.die(Scene::kBen, Scene::kAnna);
  CHECK(scene.taken() == "log: intent fire2\nlog: intent say1\nlog: fact diednil\n");
}

TEST_CASE("a fact for one player says for whom it is") {
  Scene scene("function on_fact.notice(w, to) log(tostring(to) .. w.text) end");
  scene.begin();
  (void)scene.taken();
  words::Notice notice;
  notice.set_text("hi");
  core::Fact fact(notice);
  scene.tell(fact);
  fact.audience = words::PLAYER;
  fact.to = Scene::kBen;
  scene.tell(fact);
  CHECK(scene.taken() == "log: nilhi\nlog: 2hi\n");
}

TEST_CASE("handlers that are no functions, or of words that do not exist, are errors of the file") {
  const auto why = [](const std::string& source) {
    const auto checked = check_rule("rule.lua", source);
    return checked ? "" : checked.error().text;
  };
  CHECK(why("on_chat = 5") == "rule.lua: on_chat is not a function");
  CHECK(why("on_intent = 5") == "rule.lua: on_intent is not a function or a table");
  CHECK(why("on_fact = nil") == "rule.lua: on_fact is not a function or a table");
  CHECK(why("function on_intent.jump_high() end") == "rule.lua: on_intent.jump_high: there is no such word");
  CHECK(why("on_fact.died = 5") == "rule.lua: on_fact.died is not a function");
  CHECK(why("on_fact[1] = log") == "rule.lua: on_fact.?: there is no such word");
  CHECK(why("x =").starts_with("rule.lua:1: "));
  CHECK(why(std::string(Limits{}.source, ' ')) == "");
  CHECK(why(std::string(Limits{}.source + 1, ' ')) == "rule.lua: the file has more than 256 KiB");
}

TEST_CASE("on_tick is called for each whole second, also of a silence, but not of more than ten minutes") {
  Scene scene("local n = 0 function on_tick() n = n + 1 end function on_chat() log(n) end");
  scene.begin();
  scene.now = 1'999'999;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 0\n");
  scene.now = 2'000'000;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 1\n");
  scene.now = 5'999'999;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 4\n");
  CHECK(scene.rules->next_tick() == 6'000'000);
  scene.now = 606 * core::kSecond;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 605\n");
  scene.now += 602 * core::kSecond;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 605\n");
  CHECK(scene.rules->next_tick() == 1'209 * core::kSecond);
  scene.rules->skip(scene.now + 50 * core::kSecond);
  scene.now += 50 * core::kSecond;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 605\n");
  Scene silent("function on_chat() end");
  CHECK(silent.rules->next_tick() == UINT64_MAX);
}

TEST_CASE("a player who leaves a room that is no arena is gone for the rules at once, in an arena when it is told") {
  const auto told = [](bool arena) {
    Scene scene("function on_leave(p) log('-' .. p.name) end");
    scene.begin();
    scene.arena = arena;
    core::Intent leave{words::Leave()};
    scene.say(leave, Scene::kAnna);
    std::string at_once = scene.taken();
    scene.leave(Scene::kAnna);
    return at_once + "then " + scene.taken();
  };
  CHECK(told(false) == "log: -anna\nthen ");
  CHECK(told(true) == "then log: -anna\n");
}

TEST_CASE("a player's last name is the one with which it leaves, and who is renamed does not join again") {
  Scene scene("function on_join(p) log('+' .. p.name) end function on_leave(p) log('-' .. p.id .. p.name) end");
  scene.begin();
  (void)scene.taken();
  words::Player anna;
  anna.set_id(Scene::kAnna);
  anna.set_name("anne");
  scene.tell(anna);
  CHECK(scene.taken() == "");
  scene.leave(Scene::kAnna);
  CHECK(scene.taken() == "log: -1anne\n");
}

}  // namespace entente::rules::functions_test
