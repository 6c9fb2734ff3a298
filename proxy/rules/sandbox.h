// A Lua state for one rule in one room. It has the parts of Lua's library that only compute, and counts what the rule
// uses.
// Invariant: a rule cannot reach a file, the network, a clock or another rule; cannot keep more than Limits::memory;
// and is stopped soon after the steps of a call or of a second are used up, whatever it catches.
//
// Lua is the one that was compiled as C++: its errors unwind the stack, so objects in functions that Lua calls are
// destroyed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "proxy/base/fault.h"
#include "proxy/rules/limits.h"
#include "proxy/rules/lua.h"

namespace entente::rules {

class Rule;

class Sandbox {
 public:
  /// `seed`: of math.random.
  Sandbox(std::uint32_t seed, const Limits& limits);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  lua_State* lua() const { return lua_; }
  Rule* rule = nullptr;  ///< for the functions that the rule may call
  /// The sandbox of a state or a coroutine.
  static Sandbox& of(lua_State* lua) { return **static_cast<Sandbox**>(lua_getextraspace(lua)); }

  /// A handler is going to be called. `micros`: the room's time.
  void begin_call(std::uint64_t micros);
  /// The same for the last call, which also a rule gets that has used up its steps.
  void begin_last_call();
  /// Calls `function(lua_State*)`, in which Lua may fail. The stack is empty before and after it. An error says what
  /// went wrong, and where.
  template <class F>
  Outcome<Done> call(F&& function) {
    const auto run = [](lua_State* lua) {
      auto* const its = static_cast<std::remove_reference_t<F>*>(lua_touserdata(lua, 1));
      lua_settop(lua, 0);
      (*its)(lua);
      return 0;
    };
    return call(run, &function);
  }
  /// Takes a compiled or written chunk, and runs it. `name`: for errors, "ready_check.lua".
  Outcome<Done> load(std::string_view chunk, const std::string& name);
  /// Compiles a source, so that load() is cheaper. REQUIRES: load(source) was fine.
  std::string compile(std::string_view source, const std::string& name);

  /// Uses up steps. False: there are none left, and the rule must be stopped.
  bool spend(std::int64_t steps);
  bool is_exhausted() const { return exhausted_ != nullptr; }
  /// The same in a function that Lua calls: an error of Lua if there are none left.
  static void charge(lua_State* lua, std::uint64_t steps);
  /// For reading the arguments from `first` on that are texts; also those that are taken as numbers.
  static void charge_texts(lua_State* lua, int first);
  /// For going through a table: Lua looks at all its places, also at those that are empty.
  static void charge_scan(lua_State* lua);
  std::int64_t& steps_left() { return left_; }
  /// Bytes that it keeps.
  std::size_t memory() const { return used_; }
  /// Steps in all.
  std::uint64_t steps() const { return steps_; }

 private:
  Outcome<Done> call(int (*run)(lua_State*), void* argument);
  Outcome<Done> load_chunk(std::string_view chunk, const std::string& name, const char* mode);
  void note_block(std::size_t size, int more);
  std::size_t largest_block() const;
  static std::int64_t steps_of_arguments(lua_State* lua);
  void charge_collection();
  static void* allocate(void* sandbox, void* block, std::size_t old_size, std::size_t size);
  static void count(lua_State* lua, lua_Debug*);
  [[noreturn]] void stop(lua_State* lua) const;
  void open_library(std::uint32_t seed);

  const Limits limits_;
  std::size_t used_ = 0;
  std::array<int, 65> blocks_{};  // how many it keeps of at most 2^i bytes; not the small ones
  std::uint64_t steps_ = 0;
  std::int64_t left_ = 0;         // of this call
  std::int64_t second_left_ = 0;  // of this second
  std::int64_t given_ = 0;        // to this call
  std::uint64_t called_at_ = 0;   // microseconds
  const char* exhausted_ = nullptr;
  const char* refused_ = nullptr;  // why memory was refused
  lua_State* lua_ = nullptr;
};

/// Replaces what could run for ever, or is no business of a rule. Parts of Sandbox.
void open_base(lua_State* lua);
void open_strings(lua_State* lua);
void open_tables(lua_State* lua);
/// Lua's `pairs`, in the order of the keys, which is also that of `next`. It takes a table as its first argument.
int sorted_pairs(lua_State* lua);
/// Pushes what `tostring` returns. Tables and functions have no address, so that all runs are alike.
void push_text_of(lua_State* lua, int index);

}  // namespace entente::rules
