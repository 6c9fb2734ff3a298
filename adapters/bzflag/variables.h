// The game's variables (MsgSetVar): names and expressions over other names ("_shotRange / _shotSpeed"), and those of
// them that words have a rule for.
// Law: computed in f32, as real programs do, because servers compare some of the results bit by bit.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace entente::bzflag {

/// A rule of the words and the variable that says it. The same units.
struct RuledVariable {
  const char* rule;
  const char* variable;
};
std::span<const RuledVariable> ruled_variables();

/// For one thread, also to be looked at.
class Variables {
 public:
  /// As releases of 2.4 set them out.
  Variables();

  /// More names than any server has are not kept.
  void set(std::string_view name, std::string_view value);
  /// Nothing: unknown, or no number.
  std::optional<float> find(std::string_view name) const;
  /// REQUIRES: one of the defaults, which always have a value: what a server sets to no number keeps its default.
  float operator[](std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  mutable std::map<std::string, std::optional<float>, std::less<>> known_;  // computed since the last set()
};

/// A finite number as text that reads back as the same f32.
std::string shortest(float value);

}  // namespace entente::bzflag
