// What rules hear, what they can do, and what survives a reload.
#include "proxy/rules/rule.h"

#include <doctest/doctest.h>

#include <string>

#include "proxy/core/texts.h"
#include "proxy/rules/functions.h"
#include "proxy/rules/words.h"
#include "tests/rules/scene.h"

namespace entente::rules::rule_test {
namespace {

std::shared_ptr<RuleSet> set_of(const std::string& source) {
  auto set = std::make_shared<RuleSet>();
  auto checked = check_rule("rule.lua", source);
  REQUIRE(checked);
  set->push_back(std::move(*checked));
  return set;
}

}  // namespace

TEST_CASE("handlers hear who comes, speaks, dies and goes") {
  Scene scene(R"(
function on_server_up() log("up " .. room().name) end
function on_server_down(why) log("down " .. why) end
function on_join(p) log("join " .. p.name .. " " .. p.team .. " " .. tostring(p.here)) end
function on_leave(p) log("leave " .. p.id .. " " .. p.name) end
function on_chat(id, text, scope) log(id .. " " .. scope .. " " .. text) end
function on_fact.died(w, to, kind) log(kind .. " " .. w.player .. " by " .. w.killer .. " " .. w.why) end
function on_intent.fire(w, id, kind) log(kind .. " " .. id .. " " .. w.kind .. " " .. w.x) end
function on_tick() log("tick " .. math.floor(now())) end)");
  scene.begin();
  CHECK(scene.taken() == "log: up the yard\nlog: join anna RED true\nlog: join ben BLUE true\n");
  CHECK(scene.chat(Scene::kBen, "hello"));
  words::Fire fire;
  fire.set_x(1.5);
  core::Intent intent(fire);
  CHECK(scene.say(intent, Scene::kAnna));
  scene.die(Scene::kBen, Scene::kAnna);
  CHECK(scene.taken() == "log: 2 EVERYBODY hello\nlog: fire 1 BALL 1.5\nlog: died 2 by 1 UNKNOWN_DEATH\n");
  scene.pass(2);
  scene.leave(Scene::kBen);
  scene.leave(Scene::kBen);
  scene.rules->server_down("crashed", scene.now);
  CHECK(scene.taken() == "log: tick 2\nlog: tick 3\nlog: leave 2 ben\nlog: down crashed\n");
  scene.rules->server_up(scene.now);
  scene.rules->server_down("again", scene.now);
  scene.tell(words::Ready());
  scene.rules->server_up(scene.now);  // which they have heard
  CHECK(scene.taken() == "log: up the yard\nlog: down again\nlog: up the yard\n");
}

TEST_CASE("rules that begin while the server is away hear that it is up once it is back") {
  const auto begins = [](bool up) {
    Scene scene("function on_server_up() log('up') end");
    scene.begin();
    (void)scene.taken();
    scene.up = up;
    scene.rules = std::make_unique<RoomRules>(set_of("function on_server_up() log('up') end"), scene,
                                              RoomRules::Options{7, false}, scene.now);
    std::string heard = scene.taken();
    scene.rules->server_up(scene.now);
    return heard + "then " + scene.taken();
  };
  CHECK(begins(true) == "log: up\nthen ");
  CHECK(begins(false) == "then log: up\n");
}

TEST_CASE("a rule reads where a unit was, and how far a shot flies") {
  Scene scene(R"(
function on_chat(id, text)
  local unit = get_unit(11, tonumber(text))
  log(unit and string.format("%.1f", unit.x) or "unknown")
end)");
  scene.begin();
  const auto answer = [&](const char* question) {
    scene.chat(Scene::kAnna, question);
    return scene.taken();
  };
  CHECK(answer("0.2") == "log: unknown\n");
  for (int i = 0; i < 60; ++i) {
    scene.now += 20 * core::kMillisecond;
    words::Pose pose;
    pose.set_unit(Scene::kAnnasTank);
    pose.set_x(i);
    pose.set_vx(4);
    scene.tell(pose);
  }
  CHECK(answer("0") == "log: 59.0\n");
  CHECK(answer("0.2") == "log: 49.0\n");
  CHECK(answer("0.225") == "log: 47.1\n");
  CHECK(answer("0.9") == "log: unknown\n");
  scene.place(Scene::kAnna, 7, 0);
  CHECK(answer("0.1") == "log: unknown\n");  // it was not in play
  CHECK(answer("2").starts_with("off: rule.lua"));

  Scene walled(
      "function on_chat() log(string.format('%.0f %.0f', clear_way(0, 0, 1, 1, 0, 0, 300), clear_way(0, 0, 1, 0, 2, 0, "
      "300))) end");
  walled.arena = false;  // where rules hear also who has not entered
  CHECK((walled.chat(Scene::kAnna, "x"), walled.taken()) == "log: 300 300\n");  // there is no world yet
  words::World world;
  world.set_hash("a wall");
  world.set_kind(words::World::SOLIDS);
  core::set_sides(world, 800, 800);
  words::Solid& wall = *world.add_solids();
  wall.set_x(50);
  wall.set_half_x(2);
  wall.set_half_y(50);
  wall.set_height(10);
  walled.tell(world);
  CHECK((walled.chat(Scene::kAnna, "x"), walled.taken()) == "log: 48 300\n");
}

TEST_CASE("a rule drops and changes what players want") {
  Scene scene(R"(
function on_chat(id, text)
  if text == "secret" then return false end
  return (text:gsub("darn", "****"))
end
function on_intent.enter(w) w.team = "BLUE" w.name = w.name .. "!" return w end
function on_intent.leave() return false end
function on_intent.fire(w) return w.shot ~= 7 end)");
  scene.begin();
  CHECK_FALSE(scene.chat(Scene::kAnna, "secret"));
  CHECK(scene.chat(Scene::kAnna, "darn it"));
  CHECK(scene.heard == "**** it");
  words::Enter enter;
  enter.set_name("anna");
  enter.set_motto("hi");
  core::Intent intent(enter);
  CHECK(scene.say(intent, Scene::kAnna));
  CHECK(core::as<words::Enter>(intent)->name() == "anna!");
  CHECK(core::as<words::Enter>(intent)->team() == words::BLUE);
  CHECK(core::as<words::Enter>(intent)->motto() == "hi");
  core::Intent leave{words::Leave()};
  CHECK(scene.say(leave, Scene::kAnna));  // cannot be dropped
  words::Fire fire;
  core::Intent shot(fire);
  CHECK(scene.say(shot, Scene::kAnna));
  fire.set_shot(7);
  shot.content = fire;
  CHECK_FALSE(scene.say(shot, Scene::kAnna));
  CHECK(scene.taken().empty());
}

TEST_CASE("a chat line that a rule makes is never a command") {
  Scene scene("function on_chat() return '/kick ben' end");
  scene.begin();
  CHECK_FALSE(scene.chat(Scene::kAnna, "hello"));
}

TEST_CASE("what a rule makes of a line in on_intent.say is as clean as what it makes of it in on_chat") {
  for (const bool in_chat : {false, true}) {
    CAPTURE(in_chat);
    const std::string strip = "text:gsub('^[.!]+', ''):gsub('nothing', ''):gsub('long', ('x'):rep(1000)) .. '\\n'";
    Scene scene(in_chat ? "function on_chat(_, text) return " + strip + " end"
                        : "function on_intent.say(w) local text = w.text w.text = " + strip + " return w end");
    scene.begin();
    CHECK_FALSE(scene.chat(Scene::kAnna, ".!/kick ben"));
    CHECK_FALSE(scene.chat(Scene::kAnna, "nothing"));
    CHECK(scene.chat(Scene::kAnna, "..hello"));
    CHECK(scene.heard == "hello");
    CHECK(scene.chat(Scene::kAnna, "long"));
    CHECK(scene.heard.size() == core::kMostText);
    CHECK(scene.taken().empty());
  }
}

TEST_CASE("commands of rules are not passed on, and /help lists them") {
  Scene scene(R"(command("ready", "says that you are ready", function(id, text) log(id .. " [" .. text .. "]") end))");
  scene.begin();
  CHECK_FALSE(scene.chat(Scene::kAnna, "/ready  now or never"));
  CHECK_FALSE(scene.chat(Scene::kAnna, "/ready"));
  CHECK(scene.chat(Scene::kAnna, "/readyish"));
  CHECK_FALSE(scene.chat(Scene::kBen, "/help"));
  CHECK(scene.taken() == "log: 1 [now or never]\nlog: 1 []\ntell 2: /ready says that you are ready\n");
}

TEST_CASE("/help is answered once in a second for each player") {
  Scene scene(R"(command("ready", "says that you are ready", function() end))");
  scene.begin();
  for (int i = 0; i < 100; ++i) CHECK_FALSE(scene.chat(Scene::kAnna, "/help"));
  scene.chat(Scene::kBen, "/help");
  CHECK(scene.taken() == "tell 1: /ready says that you are ready\ntell 2: /ready says that you are ready\n");
  scene.pass(1);
  scene.chat(Scene::kAnna, "/help");
  CHECK(scene.taken() == "tell 1: /ready says that you are ready\n");
}

TEST_CASE("in an arena, rules do not hear what a connection says that has not entered") {
  Scene scene(R"(
function on_chat(id) log("chat of " .. get_player(id).name) end
function on_intent.change(_, id) log("change of " .. get_player(id).name) end
function on_intent.enter(_, id) log("enter") end
command("ready", "says that you are ready", function(id) log("ready: " .. get_player(id).name) end))");
  scene.begin();
  constexpr core::Id kStranger = 9;
  scene.seats.insert(kStranger);
  core::Intent change{words::Change()}, enter{words::Enter()};
  const auto say_all = [&](core::Id id) {
    CHECK(scene.say(change, id));
    CHECK(scene.chat(id, "hello"));
    scene.chat(id, "/ready");
  };
  say_all(kStranger);
  CHECK(scene.taken() == "");
  CHECK(scene.say(enter, kStranger));
  CHECK(scene.taken() == "log: enter\n");
  scene.join(kStranger, "dora", words::RED);
  say_all(kStranger);
  CHECK(scene.taken() == "log: change of dora\nlog: chat of dora\nlog: ready: dora\n");
  CHECK(scene.rules->running() == 1);
  scene.leave(kStranger);
  scene.arena = false;  // a bridge, whose server has not answered yet
  scene.chat(kStranger, "/ready");
  CHECK(scene.rules->running() == 0);
}

TEST_CASE("state survives a reload, and rules that did not change go on") {
  Scene scene(
      "state.n = (state.n or 0) + 1 local here = 0 function on_chat() here = here + 1 log(state.n .. ' ' .. here) end");
  scene.begin();
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 1 1\n");
  const std::string same =
      "state.n = (state.n or 0) + 1 local here = 0 function on_chat() here = here + 1 log(state.n .. ' ' .. here) end";
  scene.rules->replace(set_of(same), scene.now);
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 1 2\n");
  scene.rules->replace(set_of(same + " -- changed"), scene.now);
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 2 1\n");
  scene.rules->replace(std::make_shared<RuleSet>(), scene.now);
  CHECK(scene.chat(Scene::kAnna, "x"));
  CHECK(scene.taken().empty());
}

TEST_CASE("a reload joins nobody again, and whoever was in leaves") {
  const std::string hears = "function on_join(p) log('+' .. p.name) end function on_leave(p) log('-' .. p.name) end";
  Scene scene("");
  scene.begin();
  const auto told_again = [&] {
    words::Player anna;
    anna.set_id(Scene::kAnna);
    anna.set_name("anna");
    anna.set_team(words::BLUE);
    scene.tell(anna);
    return scene.taken();
  };
  scene.rules->replace(set_of(hears), scene.now);
  CHECK(told_again() == "");  // she only changes her team
  scene.leave(Scene::kBen);
  CHECK(scene.taken() == "log: -ben\n");
  scene.rules->replace(set_of(""), scene.now);
  scene.leave(Scene::kAnna);
  scene.rules->replace(set_of(hears), scene.now);
  CHECK(told_again() == "log: +anna\n");
  scene.leave(Scene::kAnna);
  CHECK(scene.taken() == "log: -anna\n");
}

TEST_CASE("plain values of state survive exactly, others are reported") {
  Scene scene(R"(
state = { t = true, n = -5, f = 0.1, s = 'a"b\\c\n\1ä', [3] = { deep = { 1, 2 } }, min = math.mininteger }
function on_chat() end)");
  scene.rules->replace(set_of(R"(
if not state.t then return end  -- when the file is checked
log(tostring(state.t) .. " " .. state.n .. " " .. tostring(state.f == 0.1) .. " " .. tostring(state.s == 'a"b\\c\n\1ä') ..
    " " .. (state[3] and state[3].deep[2] or "") .. " " .. tostring(state.min == math.mininteger)))"),
                       scene.now);
  CHECK(scene.taken() == "log: true -5 true true 2 true\n");
  for (const char* value : {"function() end", "0 / 0", "{ [{}] = 1 }", "('x'):rep(16000)", "coroutine.create(log)"}) {
    Scene other("state.x = " + std::string(value) +
                " state.y = {} for i = 1, 10 do state.y[i] = ('y'):rep(8000) .. i end");
    other.rules->replace(set_of("log(tostring(state.x))"), other.now);
    const std::string told = other.taken();
    CHECK_MESSAGE(told.starts_with("log: its table state is lost: state "), value, told);
    CHECK_MESSAGE(told.find("log: nil\n") != std::string::npos, value, told);
  }
}

TEST_CASE("a state that cannot be loaded is lost, and the rule goes on without it") {
  for (const std::string state : {"state={", "state={[\"x\"]=\"a\\000b\",}"}) {
    const Scene scene("");
    std::vector<Action> actions;
    const Rule rule({"rule.lua", "log(tostring(state.x))", {}}, scene, 1, scene.now, state, actions);
    CHECK_FALSE(rule.is_off());
    REQUIRE(actions.size() == 2);
    CHECK(actions[0].text.starts_with("its table state is lost: "));
    CHECK(actions[0].rule == "rule.lua");
    CHECK(actions[1].text == "nil");
  }
}

TEST_CASE("utf8.charpattern has no NUL, matches characters, and survives in state") {
  Scene scene(
      "state.p = utf8.charpattern local n = 0 for _ in ('aäé€'):gmatch(utf8.charpattern) do n = n + 1 end "
      "log(n .. ' ' .. tostring(utf8.charpattern:find('^%[\\1%-')))");
  CHECK(scene.taken() == "log: 4 1\n");
  scene.rules->replace(set_of("log(tostring(state.p == utf8.charpattern))"), scene.now);
  CHECK(scene.taken().find("log: true\n") != std::string::npos);
  CHECK(scene.rules->running() == 1);
}

TEST_CASE("numbers of state keep all their digits, and a number with a fraction of zero is no integer") {
  Scene scene("state = { third = 1 / 3, three = 3.0 } function on_chat() end");
  scene.rules->replace(set_of(R"(
if not state.third then return end  -- when the file is checked
log(tostring(state.third == 1 / 3) .. " " .. math.type(state.three)))"),
                       scene.now);
  CHECK(scene.taken() == "log: true float\n");
}

TEST_CASE("the first rule with on_tick that a reload adds is called for each second from then on") {
  Scene scene("");
  scene.begin();
  scene.pass(100);
  scene.rules->replace(set_of("function on_tick() log('tick') end"), scene.now);
  CHECK(scene.taken() == "");
  scene.pass(2);
  CHECK(scene.taken() == "log: tick\nlog: tick\n");
}

TEST_CASE("a rule that was switched off is tried again after a reload") {
  Scene scene("function on_chat() error('no') end");
  scene.begin();
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.rules->running() == 0);
  scene.rules->replace(set_of("function on_chat() error('no') end"), scene.now);
  CHECK(scene.rules->running() == 1);
}

TEST_CASE("state survives the reload that mends a rule which has used up its steps") {
  for (const std::string loop : {"while true do end", "for i = 1, 150000 do end"}) {
    Scene scene("state.kept = 'yes' function on_chat() " + loop + " end");
    scene.begin();
    for (int i = 0; i < 100 && scene.rules->running() != 0; ++i) scene.chat(Scene::kAnna, "x");
    const std::string off = scene.taken();
    CHECK_MESSAGE(off.starts_with("off: rule.lua: too many steps in one "), loop, off);
    scene.rules->replace(set_of("log(tostring(state.kept))"), scene.now);
    CHECK(scene.taken() == "log: yes\n");
  }
}

TEST_CASE("state comes back as it was after a reload, whatever its texts hold") {
  Scene scene(R"(
state.text = "\001" .. "2\n3\r\t\"\\\127\200\255"
state[-1.5] = { [true] = "x", deep = { 1, 2 } })");
  scene.begin();
  scene.rules->replace(set_of(R"(
if state.text then
  log(table.concat({ state.text:byte(1, -1) }, " "))
  log(state[-1.5][true] .. state[-1.5].deep[2])
end)"),
                       scene.now);
  CHECK(scene.taken() == "log: 1 50 10 51 13 9 34 92 127 200 255\nlog: x2\n");
}

TEST_CASE("the same events give the same actions") {
  const auto play = [] {
    Scene scene(R"(
local seen = {}
function on_chat(id, text)
  seen[text] = true
  for word in pairs(seen) do log(word .. math.random(1000)) end
  log(tostring(seen) .. string.format("%s", log))
end)");
    scene.begin();
    for (const char* word : {"zebra", "apple", "mango", "kiwi", "fig"}) scene.chat(Scene::kAnna, word);
    return scene.taken();
  };
  const std::string first = play();
  CHECK(first == play());
  CHECK(first.find("tablefunction") != std::string::npos);
}

TEST_CASE("next goes through all keys of a table that is cleared meanwhile") {
  Scene scene(R"(
local t = { 1, 2, x = 3, y = 4, [true] = 5, [false] = 6, [tostring] = 7 }
for i = 1, 20 do t[{}] = i end
local cleared = 0
for k in next, t do t[k] = nil cleared = cleared + 1 end
log(cleared .. " " .. tostring(next(t))))");
  CHECK(scene.taken() == "log: 27 nil\n");
}

TEST_CASE("pairs goes through keys in order, also of a table that changes") {
  Scene scene(R"(
local t = { b = 1, a = 2, [2] = 3, [1] = 4, c = 5 }
local all = ""
for k, v in pairs(t) do all = all .. k .. v t.c = nil t.new = 1 end
log(all)
log(next({}) == nil and "empty" or "")
t = { b = 1, a = 2, [2] = 3, [1] = 4, c = 5, [-0.5] = 6 }
all = ""
local k, v = next(t)
while k do all = all .. k .. v t[k] = nil t.c = nil k, v = next(t, k) end
log(all)
for k, v in next, { 7, 8, x = 9, [true] = 10 } do log(tostring(k) .. v) end
local sorted = { 5, 3, 9, 1 }
table.sort(sorted, function(a, b) return a > b end)
log(table.concat(sorted, " "))
local words = { "pear", "Fig", "apple" }
table.sort(words)
log(table.concat(words, " ")))");
  CHECK(scene.taken() ==
        "log: 1423a2b1\nlog: empty\nlog: -0.561423a2b1\nlog: 17\nlog: 28\nlog: x9\nlog: true10\nlog: 9 5 3 1\n"
        "log: Fig apple pear\n");
}

TEST_CASE("functions that need an arena, or a player who is here, say so") {
  Scene scene(
      "function on_chat(id) log(tostring(set_score(1, 2, 3)) .. tostring(open_round()) .. tostring(kick(9))) end");
  scene.begin();
  scene.arena = false;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: falsefalsefalse\n");
  scene.arena = true;
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "set_score 1 2 3\nopen_round\nlog: truetruefalse\n");
}

TEST_CASE("near gives the nearest first, and no more than are wanted") {
  Scene scene(
      "function on_chat() local all = near(-90, 0, 1000) log(#all .. ' ' .. all[1].owner .. ' ' .. #near(-90, 0, 1000, "
      "1)) end");
  scene.begin();
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: 2 1 1\n");
}

TEST_CASE("near gives nobody who is farther away than its radius, also if both coordinates are within it") {
  const auto found = [](const std::string& radius) {
    Scene scene("function on_chat() log(#near(0, 0, " + radius + ")) end");
    scene.begin();
    scene.place(Scene::kAnna, 90, 0);
    scene.place(Scene::kBen, -90, 90);  // 127.3 m away
    scene.chat(Scene::kAnna, "x");
    return scene.taken();
  };
  CHECK(found("100") == "log: 1\n");
  CHECK(found("127") == "log: 1\n");
  CHECK(found("128") == "log: 2\n");
  CHECK(found("89") == "log: 0\n");
  CHECK(found("90") == "log: 1\n");
}

TEST_CASE("a rule may act as often as it earns actions, however small its steps are, and no oftener") {
  const Limits limits;
  const auto one = core::kSecond / limits.second_actions;
  // Two actions in each round; `round` is how many actions its time earns.
  const auto goes_on = [&](double round) {
    Scene scene("function on_chat() log('x') end");
    scene.begin();
    for (std::int64_t i = 0; i < 2 * limits.most_actions; ++i) {
      scene.now += static_cast<core::Micros>(0.6 * static_cast<double>(one));
      scene.chat(Scene::kAnna, "x");
      scene.now += static_cast<core::Micros>((round - 0.6) * static_cast<double>(one));
      scene.chat(Scene::kAnna, "x");
    }
    return scene.taken().find("off: ") == std::string::npos;
  };
  CHECK(goes_on(2.1));
  CHECK_FALSE(goes_on(1.4));
}

TEST_CASE("near in a direction gives only who is there, of those that it would give without one") {
  const auto found = [](const std::string& arguments) {
    Scene scene("function on_chat() local all = near(" + arguments +
                ") log(#all .. (all[1] and ' ' .. all[1].owner or '')) end");
    scene.begin();
    scene.chat(Scene::kAnna, "x");
    return scene.taken();
  };
  CHECK(found("0, 0, 1000, nil, 0, 0.1") == "log: 1 2\n");  // Anna is west, Ben east
  CHECK(found("0, 0, 1000, nil, math.pi, 0.1") == "log: 1 1\n");
  CHECK(found("0, 0, 1000, nil, -math.pi, 0.1") == "log: 1 1\n");  // the same direction
  CHECK(found("0, 0, 1000, nil, 4 * math.pi, 0.1") == "log: 1 2\n");
  CHECK(found("0, 0, 1000, nil, math.pi / 2, 1") == "log: 0\n");
  CHECK(found("0, 0, 1000, nil, math.pi / 2, 1.6") == "log: 2 1\n");
  CHECK(found("0, 0, 1000, 1, 0, 0.1") == "log: 0\n");  // the nearest is Anna
  CHECK(found("0, 0, 1000, 1, 0").find("bad argument #6 to 'near'") != std::string::npos);
}

TEST_CASE("each example of the reference does something in a room") {
  for (const Described& one : described()) {
    INFO(one.name, "\n", one.example);
    Scene scene(one.example);
    scene.begin();
    for (const char* line :
         {"hello", "you cheat", "darn", "/hi", "/where ben", "/lobby", "/switch", "/restart", "/stop", "/ready now"})
      scene.chat(Scene::kAnna, line);
    words::Enter enter;
    core::Intent entering(enter);
    scene.say(entering, Scene::kAnna);
    words::Fire fire;
    core::Intent shot(fire);
    scene.say(shot, Scene::kAnna);
    words::Shot seen;
    seen.set_shooter(Scene::kAnna);
    seen.set_vx(100);
    scene.tell(seen);
    scene.die(Scene::kBen, Scene::kAnna);
    scene.pass(3);
    scene.rules->server_down("crashed", scene.now);
    scene.leave(Scene::kBen);
    CHECK(scene.rules->running() == 1);
    CHECK_FALSE(scene.taken().empty());
    CHECK(std::string(one.example).find(one.name) != std::string::npos);
  }
}

}  // namespace entente::rules::rule_test
