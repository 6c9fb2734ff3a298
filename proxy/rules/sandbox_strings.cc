// The functions `string` and `utf8` of Lua. Those that match patterns use Pattern; the others are Lua's own, and are
// charged for what they read. See sandbox.h.
#include <algorithm>
#include <string>
#include <string_view>

#include "proxy/rules/pattern.h"
#include "proxy/rules/sandbox.h"

namespace entente::rules {
namespace {

std::string_view text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* const text = luaL_checklstring(lua, index, &size);
  return {text, size};
}

/// A function of Lua that takes time for each byte, and for each result.
int charged(lua_State* lua) {
  Sandbox::charge(lua, 1);
  Sandbox::charge_texts(lua, 1);
  const int results = lua_tocfunction(lua, lua_upvalueindex(1))(lua);
  Sandbox::charge(lua, static_cast<std::uint64_t>(results));
  return results;
}

/// The same for one that could make a NUL.
int without_nul(lua_State* lua) {
  charged(lua);
  if (text_at(lua, -1).find('\0') != std::string_view::npos) luaL_error(lua, "a string of a rule cannot have a NUL");
  return 1;
}

int safe_format(lua_State* lua) {
  const std::string_view format = text_at(lua, 1);
  for (std::size_t at = format.find('%'); at < format.size(); at = format.find('%', at + 1)) {
    if (++at < format.size() && format[at] == '%') continue;
    const std::size_t letter = format.find_first_not_of("-+# 0123456789.", at);
    if (letter != format.npos && format[letter] == 'p') luaL_error(lua, "a rule cannot use %%p");
  }
  for (int i = 2; i <= lua_gettop(lua); ++i) {
    if (lua_isnoneornil(lua, i) || lua_type(lua, i) <= LUA_TSTRING) continue;
    push_text_of(lua, i);
    lua_replace(lua, i);
  }
  return without_nul(lua);
}

int safe_rep(lua_State* lua) {
  Sandbox::charge_texts(lua, 2);
  const std::uint64_t size = text_at(lua, 1).size() + (lua_isnoneornil(lua, 3) ? 0 : text_at(lua, 3).size());
  const lua_Integer times = luaL_checkinteger(lua, 2);
  if (times > 0) {
    const auto count = static_cast<std::uint64_t>(times);
    Sandbox::charge(lua, count > UINT64_MAX / (size + 1) ? UINT64_MAX : count * (size + 1) / 4);
  }
  return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

// -- Patterns ---------------------------------------------------------------------------------------------------------

std::size_t match_at(lua_State* lua, Pattern& pattern, std::size_t at, std::size_t pattern_at) {
  Sandbox::charge(lua, 1);
  const std::size_t end = pattern.match(at, pattern_at);
  if (pattern.problem() == nullptr) return end;
  Sandbox::charge(lua, 1);  // stops the rule if the steps are used up
  luaL_error(lua, "%s", pattern.problem());
  return Pattern::kNone;
}

void push_capture(lua_State* lua, std::string_view subject, const Pattern& pattern, int i) {
  const Pattern::Capture& capture = pattern.capture(i);
  if (capture.size == Pattern::Capture::kOpen) luaL_error(lua, "'(' without ')' in the pattern");
  if (capture.is_place())
    lua_pushinteger(lua, static_cast<lua_Integer>(capture.begin) + 1);
  else
    lua_pushlstring(lua, subject.data() + capture.begin, capture.size);
}

/// All captures; without any, the whole match if it is wanted.
int push_captures(lua_State* lua, std::string_view subject, const Pattern& pattern, std::size_t begin, std::size_t end,
                  bool whole) {
  const int count = pattern.captures();
  luaL_checkstack(lua, count + 1, "too many captures");
  if (count == 0 && whole) {
    lua_pushlstring(lua, subject.data() + begin, end - begin);
    return 1;
  }
  for (int i = 0; i < count; ++i) push_capture(lua, subject, pattern, i);
  return count;
}

/// The place, from 0, that an argument names; beyond the end: size + 1.
std::size_t place_of(lua_State* lua, int index, std::size_t size) {
  const lua_Integer init = luaL_optinteger(lua, index, 1), all = static_cast<lua_Integer>(size);
  if (init > all + 1) return size + 1;
  if (init > 0) return static_cast<std::size_t>(init - 1);
  return init == 0 || init < -all ? 0 : static_cast<std::size_t>(all + init);
}

int find_or_match(lua_State* lua, bool find) {
  Sandbox::charge_texts(lua, 2);
  const std::string_view subject = text_at(lua, 1), written = text_at(lua, 2);
  std::size_t at = place_of(lua, 3, subject.size());
  if (at > subject.size()) return lua_pushnil(lua), 1;
  const bool plain = lua_toboolean(lua, 4) != 0 || written.find_first_of("^$*+?.([%-") == written.npos;
  if (find && plain) {
    Sandbox::charge(lua, 1 + subject.size() * (written.size() + 1) / 32);
    const std::size_t found = subject.find(written, at);
    if (found == subject.npos) return lua_pushnil(lua), 1;
    lua_pushinteger(lua, static_cast<lua_Integer>(found) + 1);
    lua_pushinteger(lua, static_cast<lua_Integer>(found + written.size()));
    return 2;
  }
  const bool anchored = written.starts_with('^');
  Pattern pattern(subject, written, Sandbox::of(lua).steps_left());
  for (; at <= subject.size(); ++at) {
    const std::size_t end = match_at(lua, pattern, at, anchored ? 1 : 0);
    if (end != Pattern::kNone) {
      if (!find) return push_captures(lua, subject, pattern, at, end, true);
      lua_pushinteger(lua, static_cast<lua_Integer>(at) + 1);
      lua_pushinteger(lua, static_cast<lua_Integer>(end));
      return 2 + push_captures(lua, subject, pattern, at, end, false);
    }
    if (anchored) break;
  }
  lua_pushnil(lua);
  return 1;
}

int safe_find(lua_State* lua) { return find_or_match(lua, true); }
int safe_match(lua_State* lua) { return find_or_match(lua, false); }

/// Upvalues: the subject, the pattern, where to go on, the end of the last match.
int next_match(lua_State* lua) {
  const std::string_view subject = text_at(lua, lua_upvalueindex(1)), written = text_at(lua, lua_upvalueindex(2));
  auto at = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(3)));
  const lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
  Sandbox::charge(lua, written.size() / 16);
  Pattern pattern(subject, written, Sandbox::of(lua).steps_left());
  for (; at <= subject.size(); ++at) {
    const std::size_t end = match_at(lua, pattern, at, 0);
    if (end == Pattern::kNone || static_cast<lua_Integer>(end) == last) continue;
    lua_pushinteger(lua, static_cast<lua_Integer>(end));
    lua_copy(lua, -1, lua_upvalueindex(3));
    lua_replace(lua, lua_upvalueindex(4));
    return push_captures(lua, subject, pattern, at, end, true);
  }
  lua_pushinteger(lua, static_cast<lua_Integer>(subject.size()) + 1);
  lua_replace(lua, lua_upvalueindex(3));
  return 0;
}

int safe_gmatch(lua_State* lua) {
  Sandbox::charge_texts(lua, 2);
  const std::size_t size = text_at(lua, 1).size();
  text_at(lua, 2);
  const std::size_t at = place_of(lua, 3, size);
  lua_settop(lua, 2);
  lua_pushinteger(lua, static_cast<lua_Integer>(at));
  lua_pushinteger(lua, -1);
  lua_pushcclosure(lua, next_match, 4);
  return 1;
}

/// Appends what replaces a match.
void add_replacement(lua_State* lua, std::string_view subject, const Pattern& pattern, std::size_t begin,
                     std::size_t end, std::string& out) {
  const auto push = [&](int i) {
    if (i == 0 && pattern.captures() == 0)
      lua_pushlstring(lua, subject.data() + begin, end - begin);
    else if (i < pattern.captures())
      push_capture(lua, subject, pattern, i);
    else
      luaL_error(lua, "the replacement refers to a capture that is not there");
  };
  const int type = lua_type(lua, 3);
  if (type == LUA_TSTRING || type == LUA_TNUMBER) {
    const std::string_view written = text_at(lua, 3);
    Sandbox::charge(lua, written.size() / 16);
    for (std::size_t at = 0; at < written.size(); ++at) {
      if (written[at] != '%') {
        out += written[at];
        continue;
      }
      const char next = ++at < written.size() ? written[at] : '\0';
      if (next == '%') {
        out += '%';
      } else if (next == '0') {
        out += subject.substr(begin, end - begin);
      } else if (next >= '1' && next <= '9') {
        push(next - '1');
        luaL_tolstring(lua, -1, nullptr);
        out += text_at(lua, -1);
        lua_pop(lua, 2);
      } else {
        luaL_error(lua, "invalid use of '%%' in the replacement");
      }
    }
    return;
  }
  if (type == LUA_TTABLE) {
    push(0);
    lua_gettable(lua, 3);
  } else {
    lua_pushvalue(lua, 3);
    const int count = push_captures(lua, subject, pattern, begin, end, true);
    lua_call(lua, count, 1);
  }
  if (lua_toboolean(lua, -1) == 0)
    out += subject.substr(begin, end - begin);
  else if (lua_isstring(lua, -1) != 0)
    out += text_at(lua, -1);
  else
    luaL_error(lua, "invalid replacement (a %s)", luaL_typename(lua, -1));
  lua_pop(lua, 1);
}

int safe_gsub(lua_State* lua) {
  Sandbox::charge_texts(lua, 1);
  constexpr std::size_t kLongest = std::size_t{64} << 10U;  // a string of this length is refused anyway
  const std::string_view subject = text_at(lua, 1), written = text_at(lua, 2);
  const int type = lua_type(lua, 3);
  luaL_argexpected(lua, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                   "string/function/table");
  const lua_Integer most = luaL_optinteger(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
  lua_settop(lua, 3);
  const bool anchored = written.starts_with('^');
  Pattern pattern(subject, written, Sandbox::of(lua).steps_left());
  std::string out;
  std::size_t at = 0, last = Pattern::kNone;
  lua_Integer count = 0;
  while (count < most) {
    const std::size_t end = match_at(lua, pattern, at, anchored ? 1 : 0);
    if (end != Pattern::kNone && end != last) {
      ++count;
      const std::size_t size = out.size();
      add_replacement(lua, subject, pattern, at, end, out);
      Sandbox::charge(lua, (out.size() - size) / 16);
      at = last = end;
    } else if (at < subject.size()) {
      out += subject[at++];
    } else {
      break;
    }
    if (out.size() > kLongest) luaL_error(lua, "the result of gsub is too long");
    if (anchored) break;
  }
  if (at < subject.size()) out += subject.substr(at);
  lua_pushlstring(lua, out.data(), out.size());
  lua_pushinteger(lua, count);
  return 2;
}

/// math.random has the state of its generator as an upvalue, so it must be called as what it is.
int charged_random(lua_State* lua) {
  Sandbox::charge_texts(lua, 1);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, lua_gettop(lua) - 1, 1);
  return 1;
}

/// The iterator of utf8.codes: it passes over all bytes that continue a character.
int charged_code(lua_State* lua) {
  const std::size_t size = text_at(lua, 1).size();
  const auto before = static_cast<std::size_t>(std::max<lua_Integer>(lua_tointeger(lua, 2), 0));
  if (lua_type(lua, 2) == LUA_TSTRING) Sandbox::charge(lua, lua_rawlen(lua, 2) / 16);
  const int results = lua_tocfunction(lua, lua_upvalueindex(1))(lua);
  const std::size_t after = results == 2 ? static_cast<std::size_t>(lua_tointeger(lua, -2)) : size;
  Sandbox::charge(lua, (after - std::min(before, after)) / 16 + 1);
  return results;
}

int safe_codes(lua_State* lua) {
  const int results = charged(lua);
  lua_pushvalue(lua, -results);
  lua_pushcclosure(lua, charged_code, 1);
  lua_replace(lua, -results - 1);
  return results;
}

void wrap(lua_State* lua, const char* name, lua_CFunction with) {
  lua_getfield(lua, -1, name);
  lua_pushcclosure(lua, with, 1);
  lua_setfield(lua, -2, name);
}

}  // namespace

void open_strings(lua_State* lua) {
  lua_getglobal(lua, LUA_STRLIBNAME);
  for (const char* const name : {"dump", "pack", "packsize", "unpack"}) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  for (const char* const name : {"byte", "lower", "upper", "reverse", "sub"}) wrap(lua, name, charged);
  wrap(lua, "char", without_nul);
  wrap(lua, "format", safe_format);
  wrap(lua, "rep", safe_rep);
  wrap(lua, "find", safe_find);
  wrap(lua, "match", safe_match);
  wrap(lua, "gmatch", safe_gmatch);
  wrap(lua, "gsub", safe_gsub);
  lua_pop(lua, 1);
  lua_getglobal(lua, LUA_UTF8LIBNAME);
  for (const char* const name : {"len", "codepoint", "offset"}) wrap(lua, name, charged);
  wrap(lua, "char", without_nul);
  wrap(lua, "codes", safe_codes);
  lua_pushliteral(lua, "[\x01-\x7F\xC2-\xFD][\x80-\xBF]*");  // Lua's own has a NUL
  lua_setfield(lua, -2, "charpattern");
  lua_pop(lua, 1);
  // Arithmetic, and functions that take numbers, also take texts with numbers.
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  for (const char* const name : {"__add", "__sub", "__mul", "__mod", "__pow", "__div", "__idiv", "__unm"})
    wrap(lua, name, charged);
  lua_pop(lua, 2);
  lua_getglobal(lua, LUA_MATHLIBNAME);
  for (const char* const name : {"abs", "acos", "asin", "atan", "ceil", "cos", "deg",  "exp", "floor",     "fmod",
                                 "log", "max",  "min",  "modf", "rad",  "sin", "sqrt", "tan", "tointeger", "ult"})
    wrap(lua, name, charged);
  wrap(lua, "random", charged_random);
  lua_pop(lua, 1);
}

}  // namespace entente::rules
