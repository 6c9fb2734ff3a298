#include "proxy/rules/sandbox.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <utility>

namespace entente::rules {
namespace {

constexpr int kHookEvery = 100;             // instructions
constexpr std::int64_t kBytesPerStep = 64;  // of memory that is asked for
constexpr std::int64_t kBytesPerStepOfCollection = 256;
constexpr int kCollectAt = 400;  // percent of the memory that was left by the last collection; Lua's default is 200
constexpr std::size_t kSmallBlock = 1'024;       // bytes
constexpr std::size_t kBlockBytesPerStep = 256;  // of a table that is gone through: 16 to 32 places
constexpr std::int64_t kLoadCalls = 5;           // a file may take as many steps as so many calls

int append(lua_State*, const void* bytes, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return 0;
}

/// Rules have no NUL in their strings: comparing such strings takes long.
bool has_nul(std::string_view source) {
  if (source.find('\0') != source.npos) return true;
  for (std::size_t at = source.find('\\'); at != source.npos; at = source.find('\\', at + 2)) {
    const std::string_view rest = source.substr(at + 1);
    std::size_t digits = 0;
    while (digits < 3 && digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
    if (digits != 0 && rest.substr(0, digits).find_first_not_of('0') == rest.npos) return true;
    if (rest.starts_with("x00")) return true;
    if (!rest.starts_with("u{")) continue;
    const std::string_view number = rest.substr(2, rest.find('}') - 2);
    if (number.find_first_not_of('0') == number.npos) return true;
  }
  return false;
}

}  // namespace

Sandbox::Sandbox(std::uint32_t seed, const Limits& limits)
    : limits_(limits), left_(limits.call_steps * kLoadCalls), second_left_(limits.second_steps), given_(left_) {
  lua_ = lua_newstate(&Sandbox::allocate, this);
  if (lua_ == nullptr) return;
  *static_cast<Sandbox**>(lua_getextraspace(lua_)) = this;
  const auto opened = call([&](lua_State*) { open_library(seed); });
  if (!opened) lua_close(std::exchange(lua_, nullptr));
}

Sandbox::~Sandbox() {
  if (lua_ != nullptr) lua_close(lua_);
}

void Sandbox::open_library(std::uint32_t seed) {
  const luaL_Reg parts[] = {{LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
                            {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
                            {LUA_UTF8LIBNAME, luaopen_utf8},  {LUA_COLIBNAME, luaopen_coroutine}};
  for (const luaL_Reg& part : parts) {
    luaL_requiref(lua_, part.name, part.func, 1);
    lua_pop(lua_, 1);
  }
  lua_getglobal(lua_, LUA_MATHLIBNAME);
  lua_getfield(lua_, -1, "randomseed");
  lua_pushinteger(lua_, seed);
  lua_call(lua_, 1, 0);
  lua_pushnil(lua_);
  lua_setfield(lua_, -2, "randomseed");
  lua_pop(lua_, 1);
  open_base(lua_);
  open_strings(lua_);
  open_tables(lua_);
  // The loaded modules would lead to what was removed.
  lua_pushnil(lua_);
  lua_setfield(lua_, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  // Rules keep little, and make many values that they forget soon.
  lua_gc(lua_, LUA_GCINC, kCollectAt, 0, 0);
  lua_sethook(lua_, &Sandbox::count, LUA_MASKCOUNT, kHookEvery);
}

// -- Memory -----------------------------------------------------------------------------------------------------------

void Sandbox::note_block(std::size_t size, int more) {
  if (size > kSmallBlock) blocks_[static_cast<std::size_t>(std::bit_width(size - 1))] += more;
}

/// No table has more bytes in its list or in its hash; at least kSmallBlock.
std::size_t Sandbox::largest_block() const {
  for (std::size_t i = sizeof(std::size_t) * 8 - 1; i > 0; --i)
    if (blocks_[i] != 0) return std::size_t{1} << i;
  return kSmallBlock;
}

/// Lua looks at all of its memory when it is refused more.
void Sandbox::charge_collection() { spend(static_cast<std::int64_t>(used_) / kBytesPerStepOfCollection); }

/// Lua says the kind of a new object by `old_size`.
void* Sandbox::allocate(void* sandbox, void* block, std::size_t old_size, std::size_t size) {
  Sandbox& self = *static_cast<Sandbox*>(sandbox);
  const std::size_t before = block != nullptr ? old_size : 0;
  if (size == 0) {
    self.used_ -= before;
    self.note_block(before, -1);
    std::free(block);
    return nullptr;
  }
  if (size > before) {
    constexpr std::size_t kHeader = 64;  // of a string, at most
    if (block == nullptr && old_size == LUA_TSTRING && size > self.limits_.text + kHeader) {
      self.charge_collection();
      self.refused_ = "a string of more than 16 KiB";
      return nullptr;
    }
    if (self.used_ - before + size > self.limits_.memory) {
      self.charge_collection();
      self.refused_ = "more than 4 MiB of memory";
      return nullptr;
    }
    self.spend(static_cast<std::int64_t>(size - before) / kBytesPerStep);  // the hook stops it
  }
  void* const made = std::realloc(block, size);
  if (made == nullptr) return nullptr;
  self.used_ += size - before;
  self.note_block(before, -1);
  self.note_block(size, 1);
  return made;
}

// -- Steps ------------------------------------------------------------------------------------------------------------

void Sandbox::begin_call(std::uint64_t micros) {
  constexpr std::uint64_t kSecond = 1'000'000;
  const std::uint64_t passed = std::min(micros - std::min(micros, called_at_), kSecond);
  called_at_ = std::max(called_at_, micros);
  second_left_ = std::min(
      limits_.second_steps,
      second_left_ + static_cast<std::int64_t>(static_cast<std::uint64_t>(limits_.second_steps) * passed / kSecond));
  left_ = given_ = limits_.call_steps;
  refused_ = nullptr;
}

void Sandbox::begin_last_call() {
  exhausted_ = nullptr;
  second_left_ = limits_.second_steps;
  begin_call(called_at_);
}

bool Sandbox::spend(std::int64_t steps) {
  if (exhausted_ != nullptr) return false;
  left_ -= std::min(steps, std::numeric_limits<std::int64_t>::max() / 2);
  if (left_ >= 0) return true;
  exhausted_ = "too many steps in one call";
  return false;
}

void Sandbox::charge(lua_State* lua, std::uint64_t steps) {
  Sandbox& self = of(lua);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60U;
  if (!self.spend(static_cast<std::int64_t>(std::min(steps, kMost)))) self.stop(lua);
}

void Sandbox::charge_texts(lua_State* lua, int first) {
  std::uint64_t bytes = 0;
  for (int i = first; i <= lua_gettop(lua); ++i)
    if (lua_type(lua, i) == LUA_TSTRING) bytes += lua_rawlen(lua, i);
  charge(lua, bytes / 16);
}

void Sandbox::charge_scan(lua_State* lua) { charge(lua, of(lua).largest_block() / kBlockBytesPerStep); }

/// For the last kHookEvery instructions: each may have copied all arguments ("...") of a function that runs.
std::int64_t Sandbox::steps_of_arguments(lua_State* lua) {
  constexpr int kMany = 512, kPerStep = 16;
  constexpr std::size_t kLeast = 16'384;    // bytes of a stack with so many
  constexpr int kDeepest = kHookEvery / 2;  // a call takes two instructions
  if (of(lua).largest_block() < kLeast) return 0;
  int most = 0;
  lua_Debug function;
  for (int level = 0; level < kDeepest && lua_getstack(lua, level, &function) != 0; ++level)
    for (int n = std::max(kMany, 2 * most); lua_getlocal(lua, &function, -n) != nullptr; n *= 2) {
      lua_pop(lua, 1);
      most = n;
    }
  return std::int64_t{most} * kHookEvery / kPerStep;
}

void Sandbox::count(lua_State* lua, lua_Debug*) {
  Sandbox& self = of(lua);
  if (!self.spend(kHookEvery + steps_of_arguments(lua))) self.stop(lua);
}

void Sandbox::stop(lua_State* lua) const {
  luaL_error(lua, "%s", exhausted_);
  std::abort();  // luaL_error does not return
}

// -- Calls ------------------------------------------------------------------------------------------------------------

/// Nothing but the pcall itself is called without protection, and that asks for no memory.
Outcome<Done> Sandbox::call(int (*run)(lua_State*), void* argument) {
  if (lua_ == nullptr) return Error{"there is no memory for it"};
  lua_pushcfunction(lua_, run);
  lua_pushlightuserdata(lua_, argument);
  const int status = lua_pcall(lua_, 1, 0, 0);
  const std::int64_t used = given_ - left_;
  steps_ += static_cast<std::uint64_t>(std::clamp<std::int64_t>(used, 0, limits_.call_steps * kLoadCalls));
  second_left_ -= std::min(used, limits_.call_steps);
  given_ = left_;
  std::string why;
  if (exhausted_ != nullptr) {
    why = exhausted_;
  } else if (status != LUA_OK && refused_ != nullptr && status == LUA_ERRMEM) {
    why = refused_;
  } else if (status != LUA_OK) {
    // What the rule threw may be a table whose __tostring would run.
    std::size_t size = 0;
    const char* const text = lua_type(lua_, -1) == LUA_TSTRING ? lua_tolstring(lua_, -1, &size) : nullptr;
    constexpr std::size_t kLongest = 300;
    why = text != nullptr ? std::string(text, std::min(size, kLongest)) : "an error that is not a text";
  } else if (second_left_ < 0) {
    why = exhausted_ = "too many steps in one second";
  }
  lua_settop(lua_, 0);
  if (why.empty()) return Done{};
  return Error{std::move(why)};
}

Outcome<Done> Sandbox::load(std::string_view chunk, const std::string& name) {
  const bool compiled = chunk.starts_with(LUA_SIGNATURE);
  if (!compiled && has_nul(chunk)) return Error{name + ": a string of a rule cannot have a NUL"};
  return load_chunk(chunk, name, compiled ? "b" : "t");
}

Outcome<Done> Sandbox::load_chunk(std::string_view chunk, const std::string& name, const char* mode) {
  const std::string shown = "=" + name;
  return call([&](lua_State* lua) {
    if (luaL_loadbufferx(lua, chunk.data(), chunk.size(), shown.c_str(), mode) != LUA_OK) lua_error(lua);
    lua_call(lua, 0, 0);
  });
}

std::string Sandbox::compile(std::string_view source, const std::string& name) {
  std::string compiled;
  const std::string shown = "=" + name;
  (void)call([&](lua_State* lua) {
    if (luaL_loadbufferx(lua, source.data(), source.size(), shown.c_str(), "t") != LUA_OK) lua_error(lua);
    lua_dump(lua, append, &compiled, 0);
  });
  return compiled;
}

}  // namespace entente::rules
