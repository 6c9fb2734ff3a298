// The game's variables (MsgSetVar), whose values are expressions over other variables ("_shotRange / _shotSpeed"), and
// the rules that carry some of them in words.
// Invariant: they are computed in f32, as real programs do, because servers compare some results bit by bit. All values
// together read at most kReadAtOnce characters of expressions, and kReadPerByte more for each byte that set() was
// given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace entente::bzflag {

/// A rule and the variable with the same meaning and unit.
struct RuledVariable {
  const char* rule;
  const char* variable;
};
std::span<const RuledVariable> ruled_variables();

/// Not thread-safe, not even for reading.
class Variables {
 public:
  static constexpr std::size_t kMost = 1'000;              ///< names; a server has about 200
  static constexpr std::uint64_t kReadAtOnce = 64 * 1024;  ///< characters of expressions; all of a server are 2,000
  static constexpr std::uint64_t kReadPerByte = 16;        ///< characters of expressions, for a byte of set()

  /// Starts with the defaults of 2.4 releases.
  Variables();

  /// Ignores new names if there are kMost.
  void set(std::string_view name, std::string_view value);
  /// The value; nothing if the name is unknown, its value is not a number, refers to itself, is nested too deeply, or
  /// the server has sent too much to compute (see the law).
  std::optional<float> find(std::string_view name) const;
  /// The value, or the default if find() has none. REQUIRES: `name` has a default.
  float operator[](std::string_view name) const;

  /// Characters of expressions that were read so far.
  std::uint64_t read() const { return read_; }

 private:
  class Expression;
  struct Variable {
    std::string text = {};
    std::uint64_t computed = 0;  // at this change; what follows is true then
    bool being_computed = false;
    int height = 0;  // levels of names and brackets
    std::optional<float> value = {};
  };

  const Variable* compute(std::string_view name, int depth) const;

  mutable std::map<std::string, Variable, std::less<>> variables_;
  std::uint64_t changes_ = 1;
  mutable std::uint64_t may_read_ = kReadAtOnce, read_ = 0;
};

/// Whether released servers have a variable of this name. Other names are made up by operators.
bool is_stock_variable(std::string_view name);

/// A finite number as text that reads back as the same f32.
std::string shortest(float value);

}  // namespace entente::bzflag
