// Our matcher against Lua's own, on patterns and texts that a seeded generator makes.
#include "proxy/rules/pattern.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "proxy/rules/lua.h"
#include "proxy/rules/sandbox.h"

namespace entente::rules::pattern_test {
namespace {

constexpr const char* kCalls = R"(
local s, p, r = ...
local function text(...)
  local all = table.pack(...)
  for i = 1, all.n do all[i] = tostring(all[i]) end
  return table.concat(all, ",")
end
local function try(f)
  local fine = table.pack(pcall(f))
  if not fine[1] then return "error" end
  return text(table.unpack(fine, 2, fine.n))
end
local function words()
  local all = {}
  for a, b in s:gmatch(p) do all[#all + 1] = text(a, b) end
  return table.concat(all, ";")
end
return table.concat({
  try(function() return s:find(p) end), try(function() return s:match(p) end), try(function() return s:find(p, -2) end),
  try(function() return s:gsub(p, r) end), try(function() return s:gsub(p, "%0%0", 2) end), try(words),
  try(function() return s:gsub(p, { a = "A", [1] = "one" }) end), try(function() return s:find(p, 1, true) end),
}, "|"))";

std::string answers(lua_State* lua, const std::string& subject, const std::string& pattern, const std::string& by) {
  lua_settop(lua, 0);
  if (luaL_loadstring(lua, kCalls) != LUA_OK) return "?";
  for (const std::string* text : {&subject, &pattern, &by}) lua_pushlstring(lua, text->data(), text->size());
  return lua_pcall(lua, 3, 1, 0) == LUA_OK ? lua_tostring(lua, -1) : std::string("failed: ") + lua_tostring(lua, -1);
}

std::string some(std::minstd_rand& random, const std::vector<std::string>& of, std::size_t most) {
  std::string text;
  for (std::size_t left = random() % (most + 1); left > 0; --left) text += of[random() % of.size()];
  return text;
}

}  // namespace

TEST_CASE("patterns match as in Lua") {
  const std::vector<std::string> letters{"a", "b", "1", " ", "(", ")", "]", "-", "%", ".", "B", "\xc3\xa4", "aa"};
  const std::vector<std::string> parts{
      "a",   "b",     ".",    "%a",     "%d", "%s", "%w", "%W", "[ab]",   "[^a]", "[a-c]", "[%a]",
      "[]]", "[^]a]", "[a-]", "*",      "+",  "-",  "?",  "(",  ")",      "()",   "^",     "$",
      "%1",  "%2",    "%b()", "%f[%w]", "%",  "[",  "%.", "%p", "%x",     "%u",   "%l",    "%c",
      "%g",  "(a)",   "(.-)", "b%b",    "%f", "[%", "[a", "%D", "[%d%s]", "%(a",  "%S",    "-a"};
  const std::vector<std::string> replacements{"x", "%0", "%1", "%%", "%2", "%", "%a", "<%1>"};
  lua_State* const real = luaL_newstate();
  luaL_openlibs(real);
  Sandbox sandbox(1, {});
  std::minstd_rand random(5);
  for (int round = 0; round < 4'000; ++round) {
    const std::string subject = some(random, letters, 10), pattern = some(random, parts, 6);
    const std::string by = some(random, replacements, 3);
    const std::string expected = answers(real, subject, pattern, by);
    std::string got;
    sandbox.begin_call(static_cast<std::uint64_t>(round) * 1'000'000);
    REQUIRE(sandbox.call([&](lua_State* lua) { got = answers(lua, subject, pattern, by); }));
    if (got != expected) FAIL("'", subject, "' '", pattern, "' '", by, "': ", got, " instead of ", expected);
  }
  lua_close(real);
}

TEST_CASE("a match takes no more than its steps") {
  const std::string subject(10'000, 'a');
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "a-";
  pattern += 'b';
  std::int64_t steps = 50'000;
  Pattern match(subject, pattern, steps);
  CHECK(match.match(0) == Pattern::kNone);
  CHECK(match.problem() == std::string("the pattern takes too many steps"));
  CHECK(steps < 0);
  CHECK(steps > -10'000);
}

}  // namespace entente::rules::pattern_test
