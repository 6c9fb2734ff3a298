#include "adapters/bzflag/wire/variables.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

namespace entente::bzflag {
namespace {

constexpr int kDeepestExpression = 16;  // nested names and brackets; more is an attack

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
    {"_endShotDetection", "5"},
    {"_explodeTime", "5.0"},
    {"_gravity", "-9.8"},
    {"_jumpVelocity", "19.0"},
    {"_maxBumpHeight", "0.33"},
    {"_worldSize", "800.0"},
    {"_wallHeight", "3.0*_tankHeight"},
    {"_boxHeight", "6.0*_muzzleHeight"},
    {"_rFireAdRate", "2.0"},
    {"_rFireAdVel", "1.5"},
    {"_rFireAdLife", "1.0 / _rFireAdRate"},
    {"_mGunAdRate", "10.0"},
    {"_mGunAdVel", "1.5"},
    {"_mGunAdLife", "1.0 / _mGunAdRate"},
    {"_laserAdRate", "0.5"},
    {"_laserAdVel", "1000.0"},
    {"_laserAdLife", "0.1"},
    {"_thiefAdRate", "12.0"},
    {"_thiefAdShotVel", "8.0"},
    {"_thiefAdLife", "0.05"},
    {"_thiefVelAd", "1.67"},
    {"_thiefTinyFactor", "0.5"},
    {"_gmAdLife", "0.95"},
    {"_gmTurnAngle", "0.628319"},
    {"_gmActivationTime", "0.5"},
    {"_shockAdLife", "0.2"},
    {"_shockInRadius", "_tankLength"},
    {"_shockOutRadius", "60.0"},
    {"_srRadiusMult", "2.0"},
    {"_velocityAd", "1.5"},
    {"_angularAd", "1.5"},
    {"_obeseFactor", "2.5"},
    {"_tinyFactor", "0.4"},
    {"_burrowDepth", "-1.32"},
    {"_burrowSpeedAd", "0.80"},
    {"_burrowAngularAd", "0.55"},
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
  for (const auto& [name, value] : kDefaults) variables_[std::string(name)].text = value;
}

void Variables::set(std::string_view name, std::string_view value) {
  may_read_ = std::min(kReadAtOnce, may_read_ + kReadPerByte * (name.size() + value.size()));
  auto at = variables_.find(name);
  if (at == variables_.end()) {
    if (variables_.size() >= kMost) return;
    at = variables_.emplace(name, Variable()).first;
  } else if (at->second.text == value) {
    return;
  }
  at->second.text = value;
  ++changes_;
}

/// sum = product {(+|-) product}; product = factor {(*|/) factor}; factor = [-] (number | name | "(" sum ")").
class Variables::Expression {
 public:
  Expression(const Variables& variables, std::string_view text, int depth)
      : variables_(variables), text_(text), depth_(depth), deepest_(depth) {}

  std::optional<float> value() {
    const auto value = sum();
    skip_blanks();
    return text_.empty() && value && std::isfinite(*value) ? value : std::nullopt;
  }
  /// The deepest level that value() reached.
  int deepest() const { return deepest_; }

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
    if (!reach(++depth_)) return std::nullopt;
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
    const Variable* variable = variables_.compute(name, depth_);
    return variable != nullptr && reach(depth_ + variable->height) ? variable->value : std::nullopt;
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
  bool reach(int depth) {
    deepest_ = std::max(deepest_, depth);
    return depth <= kDeepestExpression;
  }

  const Variables& variables_;
  std::string_view text_;
  int depth_, deepest_;
};

/// The variable, computed; null if it has no value at this depth. A variable without a value leaves none to those that
/// refer to it, so the first one ends the computation.
const Variables::Variable* Variables::compute(std::string_view name, int depth) const {
  const auto at = variables_.find(name);
  if (at == variables_.end()) return nullptr;
  Variable& variable = at->second;
  if (variable.computed == changes_) return variable.value ? &variable : nullptr;
  if (variable.being_computed) return nullptr;  // it refers to itself
  if (variable.text.size() > may_read_) return nullptr;
  may_read_ -= variable.text.size();
  read_ += variable.text.size();
  variable.being_computed = true;
  Expression expression(*this, variable.text, depth);
  variable.value = expression.value();
  variable.being_computed = false;
  variable.height = expression.deepest() - depth;
  // Without a value here, it may have one at another depth.
  if (variable.value || depth == 0) variable.computed = changes_;
  return variable.value ? &variable : nullptr;
}

std::optional<float> Variables::find(std::string_view name) const {
  const Variable* variable = compute(name, 0);
  return variable != nullptr ? variable->value : std::nullopt;
}

float Variables::operator[](std::string_view name) const {
  static const auto defaults = [] {
    const Variables stock;
    std::map<std::string_view, float> values;
    for (const auto& [known, text] : kDefaults) values[known] = *stock.find(known);
    return values;
  }();
  if (const auto value = find(name)) return *value;
  const auto otherwise = defaults.find(name);
  assert(otherwise != defaults.end());
  return otherwise->second;
}

std::string shortest(float value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

}  // namespace entente::bzflag
