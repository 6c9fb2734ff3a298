// The library that rules have: each function gives what Lua's own gives, as far as a rule may use it.
#include <doctest/doctest.h>

#include <string>

#include "tests/rules/scene.h"

namespace entente::rules::library_test {
namespace {

/// What the expressions are, as texts with blanks between them; or why the rule is off.
std::string value(const std::string& expressions) {
  const std::string source =
      "local function all(...) local text = {} for i = 1, select('#', ...) do text[i] = tostring((select(i, ...))) end "
      "log(table.concat(text, ' ')) end all(" +
      expressions + ")";
  Scene scene({{"rule.lua", source}}, false);
  std::string text = scene.taken();
  if (!text.empty()) text.pop_back();
  return text == "log" ? "" : text.starts_with("log: ") ? text.substr(5) : text;
}

bool fails(const std::string& expressions, const std::string& why) {
  const std::string text = value(expressions);
  return text.starts_with("off: ") && text.find(why) != std::string::npos;
}

// -- Texts ------------------------------------------------------------------------------------------------------------

TEST_CASE("find gives the first and the last place, from a place that counts from the end if it is negative") {
  CHECK(value("('hello'):find('l')") == "3 3");
  CHECK(value("('hello'):find('l+')") == "3 4");
  CHECK(value("('hello'):find('l', 4)") == "4 4");
  CHECK(value("('hello'):find('l', 5)") == "nil");
  CHECK(value("('hello'):find('l', -2)") == "4 4");
  CHECK(value("('hello'):find('h', -99)") == "1 1");
  CHECK(value("('hello'):find('h', 0)") == "1 1");
  CHECK(value("('hello'):find('')") == "1 0");
  CHECK(value("('hello'):find('', 6)") == "6 5");
  CHECK(value("('hello'):find('', 7)") == "nil");
  CHECK(value("('hello'):find('x')") == "nil");
  CHECK(value("('hello'):find('(e)(l)')") == "2 3 e l");
  CHECK(value("('hello'):find('^l')") == "nil");
  CHECK(value("('hello'):find('^l', 3)") == "3 3");
  CHECK(value("('hello'):find('o$')") == "5 5");
}

TEST_CASE("find takes a plain text if that is wanted, or if it has no special characters") {
  CHECK(value("('a.b'):find('.')") == "1 1");
  CHECK(value("('a.b'):find('.', 1, true)") == "2 2");
  CHECK(value("('a+b'):find('+b', 1, true)") == "2 3");
  CHECK(value("('a+b'):find('a+b')") == "nil");
  CHECK(value("('a]b'):find(']b')") == "2 3");
}

TEST_CASE("match gives the captures or, without any, the whole match") {
  CHECK(value("('key=value'):match('%a+')") == "key");
  CHECK(value("('key=value'):match('(%a+)=(%a+)')") == "key value");
  CHECK(value("('key=value'):match('=()')") == "5");
  CHECK(value("('key=value'):match('%a+', 5)") == "value");
  CHECK(value("('key'):match('%d')") == "nil");
  CHECK(value("('  x '):match('^%s*(.-)%s*$')") == "x");
  CHECK(value("('f(a(b)c)d'):match('%b()')") == "(a(b)c)");
  CHECK(value("('THE (quick) fox'):find('%f[%a]%a+%f[%A]')") == "1 3");
  CHECK(value("('\"it\\'s\"'):match('([\"\\'])(.-)%1')") == "\" it's");
}

TEST_CASE("gmatch goes through all matches, also empty ones, each once") {
  const auto all = [](const std::string& call) {
    return value("(function() local t = {} for a, b in " + call +
                 " do t[#t + 1] = '[' .. a .. (b and ':' .. b or '') .. ']' end return table.concat(t) end)()");
  };
  CHECK(all("('one two'):gmatch('%a+')") == "[one][two]");
  CHECK(all("('a=1, b=2'):gmatch('(%w+)=(%w+)')") == "[a:1][b:2]");
  CHECK(all("('abc'):gmatch('')") == "[][][][]");
  CHECK(all("('abc'):gmatch('x*')") == "[][][][]");
  CHECK(all("('aab'):gmatch('a*')") == "[aa][]");
  CHECK(all("('abc'):gmatch('%a', 2)") == "[b][c]");
  CHECK(all("('abc'):gmatch('%a', -1)") == "[c]");
  CHECK(all("(''):gmatch('x')") == "");
}

TEST_CASE("gsub replaces by a text, by a table or by what a function gives, and counts") {
  CHECK(value("('hello'):gsub('l', 'L')") == "heLLo 2");
  CHECK(value("('hello'):gsub('l', 'L', 1)") == "heLlo 1");
  CHECK(value("('hello'):gsub('l', 'L', 0)") == "hello 0");
  CHECK(value("('hello'):gsub('x', 'y')") == "hello 0");
  CHECK(value("('abc'):gsub('', '-')") == "-a-b-c- 4");
  CHECK(value("('abc'):gsub('b*', '-')") == "-a-c- 3");
  CHECK(value("('abc'):gsub('%w', '%0%0')") == "aabbcc 3");
  CHECK(value("('a b'):gsub('(%w) (%w)', '%2 %1')") == "b a 1");
  CHECK(value("('a'):gsub('a', '%%')") == "% 1");
  CHECK(value("('a'):gsub('a', '%1')") == "a 1");
  CHECK(value("('ab'):gsub('()b', '%1')") == "a2 1");
  CHECK(value("('aaa'):gsub('^a', 'b')") == "baa 1");
  CHECK(value("('$x $y $z'):gsub('%$(%w)', { x = 1, y = false })") == "1 $y $z 3");
  CHECK(value("('abc'):gsub('%w', function(c) if c ~= 'b' then return c:upper() end end)") == "AbC 3");
  CHECK(value("('abc'):gsub('(a)(b)', function(x, y) return y .. x end)") == "bac 1");
  CHECK(fails("('a'):gsub('a', '%2')", "capture that is not there"));
  CHECK(fails("('a'):gsub('a', '%x')", "invalid use of '%'"));
  CHECK(fails("('a'):gsub('a', '%')", "invalid use of '%'"));
  CHECK(fails("('a'):gsub('a', function() return {} end)", "invalid replacement (a table)"));
  CHECK(fails("('a'):gsub('a', true)", "string/function/table"));
}

TEST_CASE("rep repeats with a text between, and not at all for no times") {
  CHECK(value("('ab'):rep(3)") == "ababab");
  CHECK(value("('ab'):rep(3, ',')") == "ab,ab,ab");
  CHECK(value("('ab'):rep(1, ',')") == "ab");
  CHECK(value("#('ab'):rep(0), #('ab'):rep(-1)") == "0 0");
}

TEST_CASE("format writes numbers and texts as Lua does, a table by its name, and never an address") {
  CHECK(value("('%d|%5.1f|%s|%q'):format(3, 2.25, 'x', 'y')") == "3|  2.2|x|\"y\"");
  CHECK(value("('%5s|%-5s|%%p'):format('a', 'b')") == "    a|b    |%p");
  CHECK(value("('%s %s %s'):format({}, print or log, nil)") == "table function nil");
  CHECK(value("('%x'):format(255)") == "ff");
  CHECK(fails("('%p'):format({})", "cannot use %p"));
  CHECK(fails("('%10p'):format({})", "cannot use %p"));
  CHECK(fails("('%%%p'):format({})", "cannot use %p"));
  CHECK(value("('%%p')") == "%%p");
  CHECK(value("('100%% p'):format()") == "100% p");
}

TEST_CASE("a text is cut, turned and counted by bytes, and utf8 counts characters") {
  CHECK(value("('hello'):sub(2, 3), ('hello'):sub(-3), ('hello'):sub(2), #('hello'):sub(4, 2)") == "el llo ello 0");
  CHECK(value("('aB'):upper(), ('aB'):lower(), ('abc'):reverse(), ('a'):byte()") == "AB ab cba 97");
  CHECK(value("('abc'):byte(1, -1)") == "97 98 99");
  CHECK(value("string.char(72, 105)") == "Hi");
  CHECK(value("utf8.len('\xc3\xa4x'), utf8.codepoint('\xc3\xa4'), utf8.char(228), utf8.offset('\xc3\xa4x', 2)") ==
        "2 228 \xc3\xa4 3");
  CHECK(fails("string.char(0)", "cannot have a NUL"));
  CHECK(fails("utf8.char(0)", "cannot have a NUL"));
  CHECK(fails("('%c'):format(0)", "cannot have a NUL"));
}

TEST_CASE("tostring and tonumber give what Lua's give, without addresses") {
  CHECK(value("nil, true, 1, 1.5, 1.0, 'x', {}, log, coroutine.create(log)") ==
        "nil true 1 1.5 1.0 x table function thread");
  CHECK(value("setmetatable({}, { __tostring = function() return 'own' end })") == "own");
  CHECK(value("tonumber('12'), tonumber('0x10'), tonumber('1e1'), tonumber('x'), tonumber('11', 2), tonumber(' 5 ')") ==
        "12 16 10.0 nil 3 5");
  CHECK(fails("tostring()", "value expected"));
}

// -- Tables -----------------------------------------------------------------------------------------------------------

TEST_CASE("insert, remove, concat, unpack and move do what Lua's do") {
  const auto list = [](const std::string& changes) {
    return value("(function() local t = { 1, 2, 3 } " + changes + " return table.concat(t, ' ') end)()");
  };
  CHECK(list("") == "1 2 3");
  CHECK(list("table.insert(t, 4)") == "1 2 3 4");
  CHECK(list("table.insert(t, 1, 0)") == "0 1 2 3");
  CHECK(list("table.insert(t, 4, 4)") == "1 2 3 4");
  CHECK(list("table.remove(t)") == "1 2");
  CHECK(list("table.remove(t, 1)") == "2 3");
  CHECK(list("table.move(t, 1, 3, 2)") == "1 1 2 3");
  CHECK(list("t = table.move(t, 2, 3, 1, {})") == "2 3");
  CHECK(value("table.remove({ 5, 6 }), table.remove({ 5, 6 }, 1), table.remove({})") == "6 5 nil");
  CHECK(value("table.concat({ 1, 2, 3 }, ',', 2), table.concat({ 1, 2, 3 }, ',', 2, 2), table.concat({})") == "2,3 2 ");
  CHECK(value("table.unpack({ 1, 2, 3 }, 2)") == "2 3");
  CHECK(value("table.unpack({ 1, 2, 3 }, 1, 2)") == "1 2");
  CHECK(value("table.pack(1, nil).n") == "2");
  CHECK(fails("table.insert({}, 5, 1)", "position out of bounds"));
  CHECK(fails("table.insert(setmetatable({}, {}), 1)", "a table without a metatable expected"));
}

TEST_CASE("sort sorts lists of every length, and leaves equal ones in their order") {
  CHECK(value(R"((function()
    for size = 0, 40 do
      local t = {}
      for i = 1, size do t[i] = (i * 17) % 41 end
      table.sort(t)
      if #t ~= size then return 'another size: ' .. size end
      for i = 2, size do if t[i - 1] > t[i] then return 'not sorted: ' .. size end end
      table.sort(t, function(a, b) return a > b end)
      for i = 2, size do if t[i - 1] < t[i] then return 'not sorted the other way: ' .. size end end
    end
    return 'sorted'
  end)())") == "sorted");
  CHECK(value(R"((function()
    local t = {}
    for i = 1, 20 do t[i] = { key = i % 3, at = i } end
    table.sort(t, function(a, b) return a.key < b.key end)
    for i = 2, 20 do
      if t[i - 1].key == t[i].key and t[i - 1].at > t[i].at then return 'other order' end
    end
    return 'same order'
  end)())") == "same order");
  CHECK(fails("table.sort({ 1, 'a' })", "attempt to compare"));
}

TEST_CASE("pairs asks __pairs, and a table without a value has no next one") {
  CHECK(value("(function() local t = setmetatable({}, { __pairs = function() return next, { 7 } end }) local all = '' "
              "for k, v in pairs(t) do all = all .. k .. v end return all end)()") == "17");
  CHECK(value("next({}), next({ 5 })") == "nil 1 5");
  CHECK(value("next({ 5, 6 }, 1)") == "2 6");
  CHECK(value("next({ 5, 6 }, 2)") == "nil");
  CHECK(fails("pairs(nil)", "bad argument"));
  CHECK(fails("next(5)", "bad argument"));
}

// -- Errors and coroutines --------------------------------------------------------------------------------------------

TEST_CASE("pcall gives the results or the error, and an error of a text has its place") {
  CHECK(value("pcall(function(a, b) return a + b, 'x' end, 1, 2)") == "true 3 x");
  CHECK(value("pcall(error, 'no', 0)") == "false no");
  CHECK(value("pcall(error, { 1 })") == "false table");
  CHECK(value("select('#', pcall(error))") == "2");
  CHECK(value("pcall(function() error('no') end)") == "false rule.lua:1: no");
  CHECK(fails("pcall()", "value expected"));
}

TEST_CASE("a coroutine gives what it yields, goes on, and ends; also through pcall") {
  const std::string made = "local c = coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end) ";
  const auto run = [&](const std::string& then) { return value("(function() " + made + then + " end)()"); };
  CHECK(run("return coroutine.resume(c, 1)") == "true 2");
  CHECK(run("coroutine.resume(c, 1) return coroutine.resume(c, 5)") == "true 10");
  CHECK(run("coroutine.resume(c, 1) coroutine.resume(c, 5) return coroutine.resume(c)") ==
        "false cannot resume dead coroutine");
  CHECK(run("coroutine.resume(c, 1) return coroutine.close(c)") == "true");
  CHECK(run("coroutine.resume(c, 1) coroutine.close(c) return coroutine.status(c)") == "dead");
  CHECK(value("(function() local w = coroutine.wrap(function() return pcall(function() coroutine.yield(1) error('no', "
              "0) end) end) return w(), w() end)()") == "1 false no");
}

TEST_CASE("a metatable that is protected cannot be changed, and one is set and taken away otherwise") {
  CHECK(value("getmetatable(setmetatable({}, { __metatable = 'mine' }))") == "mine");
  CHECK(fails("setmetatable(setmetatable({}, { __metatable = 'mine' }), {})", "cannot change a protected metatable"));
  CHECK(value("getmetatable(setmetatable(setmetatable({}, {}), nil))") == "nil");
  CHECK(value("setmetatable({}, { __index = { a = 5 } }).a") == "5");
  CHECK(fails("setmetatable({}, 5)", "nil or table"));
  CHECK(fails("setmetatable(5, {})", "table expected"));
}

TEST_CASE("the same seed gives the same random numbers, and nobody can set another") {
  CHECK(value("math.random(1000000), math.random(1000000)") == value("math.random(1000000), math.random(1000000)"));
  CHECK(value("math.randomseed") == "nil");
  for (const char* gone : {"io", "os", "debug", "require", "package", "load", "dofile", "loadfile", "collectgarbage",
                           "string.dump", "string.pack", "string.unpack", "string.packsize", "rawset and nil"})
    CHECK_MESSAGE(value(gone) == "nil", gone);
}

}  // namespace
}  // namespace entente::rules::library_test
