#include "adapters/bzflag/front/rules.h"

namespace entente::bzflag {
namespace {

constexpr std::size_t kMostVariableBytes = 1020;

}  // namespace

void Rules::tell(const SetVar& set, FrontOut& out) {
  for (const auto& item : set.variables) variables_.set(item.name, item.value);
  client_.stream(out, set);
}

void Rules::send_variables(FrontOut& out) {
  SetVar set;
  std::size_t bytes = 2;
  const auto add = [&](std::string_view name, std::string_view value) {
    if (name.size() > 255 || value.size() > 255) return;
    const std::size_t size = 2 + name.size() + value.size();
    if (bytes + size > kMostVariableBytes) {
      tell(set, out);
      set.variables.clear();
      bytes = 2;
    }
    bytes += size;
    set.variables.push_back({std::string(name), std::string(value)});
  };
  const auto& rules = out.world().rules();
  for (const auto& [name, value] : rules)
    if (name.starts_with("BZFLAG._") || name.starts_with("BZFLAG.$")) add(std::string_view(name).substr(7), value);
  for (const auto& ruled : ruled_variables()) {
    const auto at = rules.find(ruled.rule);
    if (at != rules.end() && out.world().rule(ruled.rule, 0) > 0 &&
        !rules.contains(std::string("BZFLAG.") + ruled.variable))
      add(ruled.variable, at->second);
  }
  if (!set.variables.empty()) tell(set, out);
}

void Rules::hear(const words::Rule& rule, FrontOut& out) {
  SetVar set;
  const std::string& name = rule.name();
  if (name.starts_with("BZFLAG._") || name.starts_with("BZFLAG.$"))
    set.variables.push_back({name.substr(7), rule.value()});
  for (const auto& ruled : ruled_variables())
    if (name == ruled.rule && out.world().rule(name, 0) > 0 &&
        !out.world().rules().contains(std::string("BZFLAG.") + ruled.variable))
      set.variables.push_back({ruled.variable, rule.value()});
  std::erase_if(set.variables, [](const auto& item) { return item.name.size() > 255 || item.value.size() > 255; });
  if (!set.variables.empty()) tell(set, out);
  if (name != "reload" && name != "refill") return;
  reload_ = 0;  // the client was just sent another value
  tell_reload(out);
}

void Rules::hear(const words::Ammo& ammo, FrontOut& out) {
  if (ammo.player() == out.me()) tell_reload(out);
}

/// Sets the reload time. A tank has no clip, so the last round of a clip takes the time to refill the clip as well.
void Rules::tell_reload(FrontOut& out) {
  const core::PlayerState* me = out.world().player(out.me());
  const double refill = out.world().rule("refill", 0), each = out.world().rule("reload", 0);
  if (!client_.in() || me == nullptr || !(refill > 0)) return;
  const double reload = me->ammo.clip() <= 1 ? refill + each : each;
  if (std::exchange(reload_, reload) == reload) return;
  SetVar set;
  set.variables.push_back({"_reloadTime", shortest(static_cast<float>(reload))});
  tell(set, out);
}

}  // namespace entente::bzflag
