// The game's variables (MsgSetVar), whose values are expressions over other variables ("_shotRange / _shotSpeed"), and
// the rules that carry some of them in words.
// Law: they are computed in f32, as real programs do, because servers compare some results bit by bit.
#pragma once

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
  /// Starts with the defaults of 2.4 releases.
  Variables();

  /// Ignores new names if there are already more than any server has.
  void set(std::string_view name, std::string_view value);
  /// The value; nothing if the name is unknown, or its value is not a number.
  std::optional<float> find(std::string_view name) const;
  /// The value. A variable that a server has set to something other than a number has its default. REQUIRES: `name` has
  /// a default.
  float operator[](std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  mutable std::map<std::string, std::optional<float>, std::less<>> known_;  // computed since the last set()
};

/// Whether released servers have a variable of this name. Other names are made up by operators.
bool is_stock_variable(std::string_view name);

/// A finite number as text that reads back as the same f32.
std::string shortest(float value);

}  // namespace entente::bzflag
