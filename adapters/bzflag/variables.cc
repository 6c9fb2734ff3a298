#include "adapters/bzflag/variables.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace entente::bzflag {
namespace {

constexpr std::size_t kMost = 5000;     // a server has about 200
constexpr int kDeepestExpression = 16;  // nested names and brackets; more is a loop or an attack

/// The defaults of 2.4 servers, for the variables that we compute with.
constexpr std::pair<std::string_view, std::string_view> kDefaults[] = {
    {"_tankSpeed", "25.0"},
    {"_tankAngVel", "0.785398"},
    {"_tankLength", "6.0"},
    {"_tankWidth", "2.8"},
    {"_tankHeight", "2.05"},
    {"_tankRadius", "0.72 * _tankLength"},
    {"_muzzleFront", "_tankRadius + 0.1"},
    {"_muzzleHeight", "1.57"},
    {"_shotSpeed", "100.0"},
    {"_shotRange", "350.0"},
    {"_shotRadius", "0.5"},
    {"_reloadTime", "_shotRange / _shotSpeed"},
    {"_explodeTime", "5.0"},
    {"_gravity", "-9.8"},
    {"_jumpVelocity", "19.0"},
    {"_maxBumpHeight", "0.33"},
    {"_worldSize", "800.0"},
    {"_wallHeight", "3.0*_tankHeight"},
    {"_boxHeight", "6.0*_muzzleHeight"},
};

}  // namespace

std::span<const RuledVariable> ruled_variables() {
  static constexpr RuledVariable kRuled[] = {
      {"speed", "_tankSpeed"},      {"turn_rate", "_tankAngVel"}, {"reload", "_reloadTime"},
      {"shot_speed", "_shotSpeed"}, {"shot_range", "_shotRange"}, {"respawn", "_explodeTime"},
      {"explode", "_explodeTime"},
  };
  return kRuled;
}

Variables::Variables() {
  for (const auto& [name, value] : kDefaults) values_.emplace(name, value);
}

void Variables::set(std::string_view name, std::string_view value) {
  if (values_.size() >= kMost && !values_.contains(name)) return;
  values_[std::string(name)] = value;
  known_.clear();
}

namespace {

using Values = std::map<std::string, std::string, std::less<>>;

std::optional<float> evaluate(const Values& values, std::string_view name, int depth);

/// sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = [-] (number | name | "(" sum ")").
class Parser {
 public:
  Parser(const Values& values, std::string_view text, int depth) : values_(values), text_(text), depth_(depth) {}

  std::optional<float> all() {
    const auto value = sum();
    skip_blanks();
    return text_.empty() ? value : std::nullopt;
  }

 private:
  std::optional<float> sum() {
    auto value = product();
    while (value) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const auto more = product();
      if (!more) return std::nullopt;
      value = plus ? *value + *more : *value - *more;
    }
    return value;
  }
  std::optional<float> product() {
    auto value = factor();
    while (value) {
      const bool times = take('*');
      if (!times && !take('/')) break;
      const auto more = factor();
      if (!more) return std::nullopt;
      value = times ? *value * *more : *value / *more;
    }
    return value;
  }
  std::optional<float> factor() {
    if (++depth_ > kDeepestExpression) return std::nullopt;
    std::optional<float> value;
    if (take('-')) {
      value = factor();
      if (value) value = -*value;
    } else if (take('(')) {
      value = sum();
      if (!take(')')) value.reset();
    } else {
      skip_blanks();
      const bool named = !text_.empty() && (text_.front() == '_' || text_.front() == '$');
      value = named ? named_value() : number();
    }
    --depth_;
    return value;
  }
  std::optional<float> named_value() {
    const auto end = std::min(text_.find_first_of(" +-*/()"), text_.size());
    const auto name = text_.substr(0, end);
    text_.remove_prefix(end);
    return evaluate(values_, name, depth_);
  }
  std::optional<float> number() {
    float value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  void skip_blanks() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  const Values& values_;
  std::string_view text_;
  int depth_;
};

std::optional<float> evaluate(const Values& values, std::string_view name, int depth) {
  const auto at = values.find(name);
  if (at == values.end() || depth > kDeepestExpression) return std::nullopt;
  const auto value = Parser(values, at->second, depth + 1).all();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

std::optional<float> Variables::find(std::string_view name) const {
  if (const auto at = known_.find(name); at != known_.end()) return at->second;
  const auto value = evaluate(values_, name, 0);
  if (values_.contains(name)) known_.emplace(name, value);
  return value;
}

float Variables::operator[](std::string_view name) const {
  if (const auto value = find(name)) return *value;
  const auto otherwise = Variables().find(name);
  assert(otherwise);
  return *otherwise;
}

std::string shortest(float value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

}  // namespace entente::bzflag
