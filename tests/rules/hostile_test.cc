// Rules that loop, grow, recurse, or try to get out of their sandbox: each is stopped and switched off, after a bounded
// number of steps, and the others go on.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/rules/scene.h"

namespace entente::rules::hostile_test {
namespace {

/// What becomes of a rule that does this when somebody says something; a second rule beside it still works.
std::string fate_of(const std::string& body) {
  Scene scene({{"bad.lua", "function on_chat()\n" + body + "\nend"},
               {"good.lua", "function on_chat(player) tell(player, 'still here') end"}});
  scene.begin();
  scene.take();
  CHECK(scene.chat(Scene::kAnna, "hello"));
  const std::string first = scene.taken();
  CHECK(scene.chat(Scene::kAnna, "again"));
  CHECK_MESSAGE(scene.taken() == "tell 1: still here\n", body);  // the bad one is not called again
  return first;
}

bool is_stopped(const std::string& body) {
  const std::string fate = fate_of(body);
  INFO(body, " -> ", fate);
  return fate.starts_with("off: bad.lua") && fate.ends_with("tell 1: still here\n") &&
         (fate.find("too many steps") != fate.npos || fate.find("more than") != fate.npos);
}

std::uint64_t steps_of(const std::string& source) {
  Sandbox sandbox(1, Limits{});
  const auto loaded = sandbox.load(source, "rule.lua");
  CHECK_MESSAGE(loaded.ok(), source);
  return sandbox.steps();
}

/// The same of a file that also uses the functions of rules, in a room with nobody.
std::uint64_t steps_in_room(const std::string& source) {
  const Scene scene("");
  std::vector<Action> actions;
  const Rule rule({"rule.lua", source, {}}, scene, 1, scene.now, {}, actions);
  CHECK_MESSAGE(!rule.is_off(), source, actions.empty() ? "" : actions.back().text);
  return rule.sandbox().steps();
}

}  // namespace

TEST_CASE("a rule that does not end is switched off") {
  CHECK(is_stopped("while true do end"));
  CHECK(is_stopped("local function f() return f() end f()"));
  CHECK(is_stopped("for i = 1, math.huge do end"));
  CHECK(is_stopped("repeat local x = {} until false"));
  CHECK(is_stopped("goto again ::again:: goto again"));
}

TEST_CASE("obstacles take steps when they are read, once, and when they are looked at; their excess is told once") {
  Scene scene("function on_chat() clear_way(0, 0, 1, 1, 0, 0, 9) clear_way(0, 0, 1, 1, 0, 0, 9) end");
  scene.arena = false;  // where rules hear also who has not entered
  words::World world;
  world.set_kind(words::World::SOLIDS);
  world.set_hash("full");
  for (std::size_t i = 0; i < core::Terrain::kMostBlocks; ++i) world.add_solids();
  const auto steps = [&](int times) {
    std::vector<Action> actions;
    const std::string body = "for _ = 1, " + std::to_string(times) + " do clear_way(0, 0, 1, 1, 0, 0, 9) end";
    const Rule rule({"rule.lua", body, {}}, scene, 1, scene.now, {}, actions);
    CHECK_MESSAGE(!rule.is_off(), (actions.empty() ? "" : actions.back().text));
    return rule.sandbox().steps();
  };
  const std::uint64_t one = steps(1), eleven = steps(11);
  scene.tell(world);
  CHECK(steps(1) >= one + core::Terrain::kMostBlocks / 8);
  const std::uint64_t ten = steps(11) - steps(1);
  CHECK(ten < eleven - one + 10 * (core::Terrain::kMostBlocks / 8));
  CHECK(ten >= eleven - one + 10 * core::Terrain::kMostNear);
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "");
  world.add_solids();
  world.set_hash("too full");
  scene.tell(world);
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "log: the world has more than 32768 obstacles; the last ones do not count for clear_way\n");
  world.set_hash("another one");
  scene.tell(world);
  scene.chat(Scene::kAnna, "x");
  CHECK(scene.taken() == "");
}

TEST_CASE("functions of the library that would loop in C are charged for their work") {
  for (const std::string body : {
           "string.rep('', 1e15)",
           "string.rep('x', 1e9)",
           "string.rep('x', 1e15, 'y')",
           "table.move({}, 1, 1e15, 2)",
           "table.move({}, 1, math.maxinteger - 1, 2)",
           "table.concat({}, '', 1, 1e15)",
           "table.unpack({}, 1, 1e15)",
           "table.unpack({}, math.mininteger, math.maxinteger)",
           "local t = {} for i = 1, 5000 do t[i] = i end while true do table.insert(t, 1, 0) end",
       })
    CHECK_MESSAGE(is_stopped(body), body);
}

TEST_CASE("going through a table that was emptied takes steps for all its places, because Lua looks at them") {
  constexpr std::uint64_t kPlaces = 65'536, kTimes = 10;
  const std::string empties = "local t = {} for i = 1, 65536 do t[i] = i end for i = 1, 65536 do t[i] = nil end ";
  for (const std::string goes : {"next(t)", "next(t, 5)", "pairs(t)", "for _ in pairs(t) do end"}) {
    const std::uint64_t without = steps_of(empties);
    CHECK_MESSAGE(steps_of(empties + "for _ = 1, 10 do " + goes + " end") >= without + kTimes * kPlaces / 32, goes);
  }
  // In a sandbox without large tables, it is cheap.
  const std::string small = "local t = { 1, 2, 3 } for _ = 1, 100 do ";
  CHECK(steps_of(small + "next(t) for _ in pairs(t) do end end") < steps_of(small + "end") + 100 * 100);
  CHECK(
      is_stopped("local t = {} for i = 1, 40000 do t[i] = i end for i = 1, 40000 do t[i] = nil end "
                 "while true do next(t) end"));
}

TEST_CASE("a call with thousands of arguments takes steps for them, also below other calls") {
  constexpr std::uint64_t kArguments = 20'000, kTimes = 30;
  const auto calls = [](const std::string& call) {
    return steps_of(
        "local function nothing() end local function loop() for _ = 1, 5 do end end local t = {} "
        "for i = 1, 20000 do t[i] = i end local function f(...) for _ = 1, 30 do " +
        call + " end end f(table.unpack(t))");
  };
  for (const std::string call : {"math.max(...)", "select('#', ...)", "nothing(...)", "nothing(...) loop()"})
    CHECK_MESSAGE(calls(call) >= calls("") + kTimes * kArguments / 32, call);
  CHECK(steps_of("local s = ('x'):rep(10000) for _ = 1, 10 do s:byte(1, -1) end") >= 10 * 10'000);
}

TEST_CASE("functions that read a long text take steps for it, also where it is a pattern or a number") {
  constexpr std::uint64_t kSize = 16'000, kTimes = 10;
  const std::string texts =
      "local a = ('a'):rep(16000) local set = '[' .. ('a'):rep(15998) .. ']' "
      "local zeros = ('0'):rep(15999) .. '1' local tail = 'a' .. ('\\x80'):rep(15999) "
      "local code, of, from = utf8.codes(tail) ";
  for (const std::string call : {"(''):find(a)",
                                 "(''):match(a)",
                                 "(''):find(set)",
                                 "(''):match(set)",
                                 "('x'):gsub(set, '', 0)",
                                 "a:gsub('', '', 0)",
                                 "(''):gmatch(set)()",
                                 "('x'):find('x', zeros)",
                                 "('x'):rep(zeros)",
                                 "find_player(a)",
                                 "tell(1, a)",
                                 "tell_all(a)",
                                 "get_player(zeros)",
                                 "setting(a)",
                                 "math.abs(zeros)",
                                 "math.fmod(zeros, 2)",
                                 "table.remove({}, zeros)",
                                 "local _ = zeros + 0",
                                 "local _ = 1 - zeros",
                                 "local _ = -zeros",
                                 "local _ = 2 // zeros",
                                 "code(of, 1)",
                                 "select(zeros, 1)",
                                 "pcall(error, 'x', zeros)"}) {
    const std::uint64_t with = steps_in_room(texts + "for _ = 1, 10 do " + call + " end");
    CHECK_MESSAGE(with >= steps_in_room(texts) + kTimes * kSize / 16, call);
  }
}

TEST_CASE("texts are no numbers for operators on bits") {
  CHECK(fate_of("local _ = '1' | 0").find("attempt to perform bitwise operation on a string value") !=
        std::string::npos);
}

TEST_CASE("a set in a pattern takes steps each time it is passed over") {
  const std::string made = "local p = ('[' .. ('a'):rep(4000) .. ']?'):rep(3) .. 'y' ";
  constexpr std::uint64_t kTimes = 10, kRead = 3 * 4000 / 16, kPassedOver = 3 * 4000 / 8;
  CHECK(steps_of(made + "for _ = 1, 10 do (''):find(p) end") >= steps_of(made) + kTimes * (kRead + kPassedOver));
}

TEST_CASE("tables whose length Lua guesses do not hold up anybody") {
  for (const std::string call : {"insert(t, 1, 1)", "remove(t, 1)", "concat(t)", "unpack(t)", "sort(t)"})
    CHECK(fate_of("local t = {} for i = 0, 62 do t[1 << i] = 1 end table." + call).ends_with("still here\n"));
}

TEST_CASE("tables with a false length are refused by the functions that would believe it") {
  for (const std::string call : {"insert(t, 1, 1)", "remove(t, 1)", "concat(t)", "unpack(t)", "sort(t, rawequal)",
                                 "move(t, 1, 2, 3)", "move({}, 1, 2, 3, t)"}) {
    const std::string fate =
        fate_of("local t = setmetatable({}, { __len = function() return 1e15 end, __index = rawlen }) table." + call);
    CHECK_MESSAGE(fate.find("without a metatable") != fate.npos, call, fate);
  }
}

TEST_CASE("patterns take a bounded number of steps") {
  const std::string a(2000, 'a');
  for (const std::string call :
       {"find(s, ('a*'):rep(30) .. 'b')", "match(s, ('a-'):rep(30) .. 'b')", "gsub(s, '.-.-.-.-b', '')",
        "find(s, ('(a*)'):rep(20) .. 'b')", "gsub(s, '[' .. s .. ']*b', '')", "find(s, '%b()')",
        "gmatch(s, ('a*'):rep(30) .. 'b')()", "gsub(s, '', s)", "find(s .. s, s .. 'b', 1, true)"}) {
    const std::string fate = fate_of("local s = '" + a + "' while true do string." + call + " end");
    const bool stopped = fate.find("too many steps") != fate.npos || fate.find("too long") != fate.npos;
    CHECK_MESSAGE(stopped, call, fate);
  }
}

TEST_CASE("an error for lack of steps cannot be caught") {
  for (const std::string body : {
           "while true do pcall(function() while true do end end) end",
           "pcall(function() while true do end end) tell(1, 'free')",
           "local co = coroutine.create(function() while true do end end) coroutine.resume(co) tell(1, 'free')",
           "local f = coroutine.wrap(function() while true do end end) pcall(f) tell(1, 'free')",
           "while true do coroutine.wrap(function() end)() end",
           "local function deep() pcall(deep) while true do end end deep()",
           "local function f() local x <close> = setmetatable({}, { __close = function() while true do end end }) "
           "while true do end end pcall(f) tell(1, 'free')",
           "setmetatable({}, { __index = function(t, k) while true do end end }).x = nil local _ = "
           "setmetatable({}, { __index = function(t, k) while true do end end }).x",
           "coroutine.close(coroutine.create(function() end)) while true do end",
       }) {
    const std::string fate = fate_of(body);
    CHECK_MESSAGE(fate.starts_with("off: bad.lua: too many steps"), body, fate);
    CHECK_MESSAGE(fate.find("free") == fate.npos, body);
  }
}

TEST_CASE("memory is bounded") {
  for (const std::string body : {
           "local t = {} for i = 1, 1e9 do t[i] = i end",
           "local t = {} while true do t[#t + 1] = ('x'):rep(10000) .. #t end",
           "local s = 'x' while true do s = s .. s end",
           "local s = 'x' while true do s = string.format('%s%s', s, s) end",
           "local s = 'x' while true do s = table.concat({ s, s }) end",
           "local s = 'xx' while true do s = s:gsub('.', '%0%0') end",
           "local function grow(...) return grow(1, ...) end grow()",
           "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
           "local t = {} while true do pcall(function() t[#t + 1] = ('x'):rep(16000) .. #t end) end",
       }) {
    Scene scene(std::string("function on_chat()\n") + body + "\nend");
    scene.begin();
    CHECK(scene.chat(Scene::kAnna, "hello"));
    CHECK_MESSAGE(scene.taken().find("off: rule.lua") != std::string::npos, body);
    CHECK_MESSAGE(scene.rules->memory() <= Limits{}.memory, body);
  }
}

TEST_CASE("what a rule has no business with is not there") {
  for (const char* name :
       {"io", "os", "debug", "require", "package", "load", "loadstring", "dofile", "loadfile", "collectgarbage",
        "xpcall", "print", "string.dump", "string.pack", "string.unpack", "math.randomseed", "_G.io"}) {
    Scene scene("log(tostring(" + std::string(name) + "))");
    CHECK_MESSAGE(scene.taken() == "log: nil\n", name);
  }
}

TEST_CASE("finalizers and weak tables are refused") {
  for (const char* key : {"__gc", "__mode"})
    CHECK(fate_of("setmetatable({}, { " + std::string(key) + " = 'k' })").find("a rule cannot use") !=
          std::string::npos);
  // A __gc that is added later is never called.
  CHECK(fate_of("local m = {} for i = 1, 100 do setmetatable({}, m) end m.__gc = function() while true do end end") ==
        "tell 1: still here\n");
}

TEST_CASE("players and units cannot be changed, nor what they are made of") {
  CHECK(fate_of("get_player(1).wins = 5").find("a Player cannot be changed") != std::string::npos);
  CHECK(fate_of("local _ = get_player(1).winz").find("a Player has no field 'winz'") != std::string::npos);
  CHECK(fate_of("local _ = get_player(1)[{}]").find("a Player has no field 'table'") != std::string::npos);
  CHECK(fate_of("setmetatable(get_player(1), {})").starts_with("off: bad.lua"));
  CHECK(fate_of("state.player = get_player(1)") == "tell 1: still here\n");
  CHECK(fate_of("error(getmetatable(get_player(1)), 0)") == "off: bad.lua: Player\ntell 1: still here\n");
  CHECK(fate_of("local n = 0 for k, v in pairs(get_player(1)) do n = n + 1 end error('has ' .. n, 0)") ==
        "off: bad.lua: has 15\ntell 1: still here\n");
}

TEST_CASE("memory that is asked for in vain costs steps, because all of it is looked at") {
  const std::string fate = fate_of(R"(
local kept = {}
pcall(function() while true do kept[#kept + 1] = ('x'):rep(4000 + #kept) end end)
while true do pcall(string.rep, 'y', 16000) end)");
  CHECK(fate.starts_with("off: bad.lua: too many steps in one call"));
}

TEST_CASE("a string that is too long costs steps for all that is kept, because all of it is looked at") {
  constexpr std::uint64_t kTimes = 20, kKept = 1'000'000, kBytesPerStep = 256;
  const auto steps = [](const std::string& call) {
    return steps_of(
        "local s, kept = ('y'):rep(16000), {} for i = 1, 20000 do kept[i] = { i } end "
        "for _ = 1, 20 do " +
        call + " end");
  };
  for (const std::string call : {"pcall(string.rep, 'y', 16500)", "pcall(function() return s .. s end)"})
    CHECK_MESSAGE(steps(call) >= steps("") + kTimes * kKept / kBytesPerStep, call);
}

TEST_CASE("an error that is not a text is not asked for one") {
  const std::string fate = fate_of("error(setmetatable({}, { __tostring = function() while true do end end }))");
  CHECK(fate.starts_with("off: bad.lua: an error that is not a text\n"));
  CHECK(fate_of("error(nil)").starts_with("off: bad.lua"));
  CHECK(fate_of("error(('x'):rep(10000), 0)").size() < 400);
}

TEST_CASE("a file that is hostile when it is loaded is an error") {
  const auto refused = [](const std::string& source) {
    const auto checked = check_rule("rule.lua", source);
    return checked ? "" : checked.error().text;
  };
  CHECK(refused("while true do end").find("too many steps") != std::string::npos);
  CHECK_FALSE(refused(std::string(100'000, '(')).empty());
  CHECK_FALSE(refused("x = " + std::string(100'000, '{')).empty());
  CHECK_FALSE(refused("local x = " + std::string(50'000, '-') + "1").empty());
  CHECK(refused(std::string(300'000, ' ')).find("256 KiB") != std::string::npos);
  CHECK(refused("x = 'a\\0b'").find("NUL") != std::string::npos);
  CHECK(refused("x = 'a\\u{000}b'").find("NUL") != std::string::npos);
  CHECK(refused("x = 'a\\x00b'").find("NUL") != std::string::npos);
  CHECK(refused(std::string("x = 'a\0b'", 9)).find("NUL") != std::string::npos);
  CHECK(refused("x = 'a\\\\0b' y = '\\065'").empty());
  CHECK(refused("x = string.char(0)").find("NUL") != std::string::npos);
  CHECK(refused("x = ('%c'):format(0)").find("NUL") != std::string::npos);
  CHECK(refused("x = utf8.char(0)").find("NUL") != std::string::npos);
  CHECK_FALSE(refused("\x1bLua" + std::string(100, 'x')).empty());
  CHECK(refused("x = = 1").find("rule.lua:1:") != std::string::npos);
  CHECK(refused("function on_fact.dyed() end").find("on_fact.dyed: there is no such word") != std::string::npos);
  CHECK(refused("on_chat = 5").find("on_chat is not a function") != std::string::npos);
}

TEST_CASE("deep recursion, also in C, ends as an error") {
  for (const std::string body :
       {"local function f() return 1 + f() end f()", "local function f(s) return s:gsub('.', f) end f('x')",
        "local function f() return coroutine.wrap(f)() end f()",
        "local function f() return pcall(f) end f() error('x')",
        "local t = {} for i = 1, 300 do t = { t } end state.t = t"})
    CHECK_MESSAGE(fate_of(body).size() < 1000, body);
  CHECK(fate_of("local function f() return 1 + f() end f()").starts_with("off: bad.lua"));
}

TEST_CASE("a rule that fails in any handler is switched off, once") {
  for (const char* event : {"on_join", "on_leave", "on_tick", "on_server_up", "on_fact.died", "on_intent.fire"}) {
    Scene scene("function " + std::string(event) + "() error('oops') end");
    scene.begin();
    words::Fire fire;
    core::Intent intent(fire);
    CHECK(scene.say(intent, Scene::kAnna));
    scene.die(Scene::kAnna, Scene::kBen);
    scene.pass(3);
    scene.leave(Scene::kBen);
    scene.leave(Scene::kAnna);
    CHECK_MESSAGE(scene.taken() == "off: rule.lua:1: oops\n", event);
    CHECK(scene.rules->running() == 0);
  }
}

TEST_CASE("a rule that says a million lines is stopped") {
  const std::string fate = fate_of("for i = 1, 1000000 do tell_all('x') end");
  CHECK(fate.find("off: bad.lua:2: more than 400 lines") != std::string::npos);
  CHECK(std::count(fate.begin(), fate.end(), '\n') == 402);
  // Also if it does so a little at a time, and catches the error.
  Scene scene("function on_tick() for i = 1, 1000 do pcall(tell_all, 'x') end end");
  scene.begin();
  scene.pass(10);
  CHECK(scene.take().size() <= 400 + 10 * 100);
}

TEST_CASE("orders about one player are bounded without an error, and leave room for others and for a kick") {
  Scene scene(
      "function on_chat(id) local n = 0 for i = 1, 450 do if tell(id, 'x') then n = n + 1 end end log(n) end "
      "command('out', 'x', function(id) log(tostring(kick(id))) end)");
  scene.begin();
  const auto told = [&](core::Id id) {
    scene.chat(id, "x");
    const std::string all = scene.taken();
    return all.substr(all.find("log"));
  };
  CHECK(told(Scene::kAnna) == "log: 40\n");
  CHECK(told(Scene::kAnna) == "log: 0\n");
  CHECK(told(Scene::kBen) == "log: 40\n");
  CHECK(scene.rules->take_refused() == 410 + 450 + 410);
  CHECK(scene.rules->take_refused() == 0);
  scene.chat(Scene::kAnna, "/out");
  CHECK(scene.taken() == "kick 1\nlog: true\n");
  scene.pass(1);
  CHECK(told(Scene::kAnna) == "log: 20\n");
  CHECK(scene.rules->running() == 1);
}

TEST_CASE("what is remembered of the orders about players is bounded") {
  Scene scene(
      "function on_chat(id) for i = 1, 1000 do report(i + state.n, 'x') end state.n = state.n + 1000 end "
      "state.n = 0 function on_intent.change() log(tostring(report(1, 'x'))) end");
  scene.begin();
  for (int i = 0; i < 10; ++i) scene.chat(Scene::kAnna, "x");
  CHECK(scene.take().size() == Limits{}.paced_players);
  scene.pass(1);
  core::Intent change{words::Change()};
  CHECK(scene.say(change, Scene::kAnna));
  CHECK(scene.taken() == "report 1: x\nlog: true\n");
}

TEST_CASE("the steps of a second are bounded, too") {
  Scene scene("function on_chat() for i = 1, 40000 do end end");
  scene.begin();
  int calls = 0;
  while (scene.rules->running() == 1 && calls < 1000) {
    CHECK(scene.chat(Scene::kAnna, "hello"));
    ++calls;
  }
  CHECK(calls < 500);
  CHECK(scene.taken().find("too many steps in one second") != std::string::npos);
}

TEST_CASE("the world may be changed under an iterator") {
  Scene scene(R"(
function on_chat()
  local all = players()
  for at in pairs(all) do all[at] = nil; all[at + 1000] = at; all["x" .. at] = 1 end
  for at, one in ipairs(players()) do pcall(function() one.id = 0 end) end
  log(get_player(1).name)
end)");
  scene.begin();
  CHECK(scene.chat(Scene::kAnna, "hello"));
  CHECK(scene.taken() == "log: anna\n");
}

TEST_CASE("what a rule writes into a word has the field's type") {
  const auto fate = [](const std::string& value) {
    Scene scene("function on_intent.fire(w) w." + value + " return w end");
    scene.begin();
    words::Fire fire;
    fire.set_x(3);
    core::Intent intent(fire);
    CHECK(scene.say(intent, Scene::kAnna));
    const std::string told = scene.taken();
    CHECK((told.empty() || core::as<words::Fire>(intent)->x() == 3));  // unchanged if it failed
    return told;
  };
  CHECK(fate("x = 5").empty());
  CHECK(fate("kind = 'RAY'").empty());
  CHECK(fate("x = 0 / 0").find("x: not a finite number") != std::string::npos);
  CHECK(fate("x = math.huge").find("x: not a finite number") != std::string::npos);
  CHECK(fate("x = 'y'").find("x: number expected, got string") != std::string::npos);
  CHECK(fate("shot = -1").find("shot: -1 is out of range") != std::string::npos);
  CHECK(fate("shot = 1.5").find("shot: whole number expected") != std::string::npos);
  CHECK(fate("shot = 1 << 40").find("out of range") != std::string::npos);
  CHECK(fate("kind = 'ROCKET'").find("kind: there is no 'ROCKET'") != std::string::npos);
  CHECK(fate("colour = 1").find("Fire has no field 'colour'") != std::string::npos);
}

TEST_CASE("passwords are not shown to rules") {
  Scene scene(R"(
function on_intent.enter(w) log(tostring(w.password) .. tostring(w.token) .. w.name) end
function on_intent.say(w) log(w.text) end)");
  scene.begin();
  words::Enter enter;
  enter.set_name("anna");
  enter.set_password("sesame");
  enter.set_token("t0ken");
  core::Intent intent(enter);
  CHECK(scene.say(intent, Scene::kAnna));
  CHECK(core::as<words::Enter>(intent)->password() == "sesame");
  CHECK(scene.chat(Scene::kAnna, "/password sesame"));
  CHECK(scene.taken() == "log: nilnilanna\nlog: /password\n");
}

TEST_CASE("a rule that changes a command leaves the arguments that it is not shown, and a password, as they are") {
  Scene scene(R"(
function on_intent.enter(w) w.name = "ben" return w end
function on_intent.say(w) w.scope = "SERVER" w.text = "/password guessed" return w end)");
  scene.begin();
  words::Enter enter;
  enter.set_name("anna");
  enter.set_password("sesame");
  core::Intent entering(enter);
  CHECK(scene.say(entering, Scene::kAnna));
  CHECK(core::as<words::Enter>(entering)->name() == "ben");
  CHECK(core::as<words::Enter>(entering)->password() == "sesame");
  words::Say say;
  say.set_kind(words::Say::COMMAND);
  say.set_text("/password sesame");
  core::Intent command(say);
  CHECK(scene.say(command, Scene::kAnna));
  CHECK(core::as<words::Say>(command)->scope() == words::Say::SERVER);
  CHECK(core::as<words::Say>(command)->text() == "/password sesame");
}

}  // namespace entente::rules::hostile_test
