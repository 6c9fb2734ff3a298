#include "tests/lab/plan.h"

#include <cstdio>

#include "proxy/base/hash.h"

namespace entente::lab {

void Plan::tell(const std::string& what) const {
  if (!tells) return;
  const Kernel* const now = Kernel::current();
  std::fprintf(stderr, "%10.3f %s\n", now != nullptr ? static_cast<double>(now->age()) / 1e9 : 0, what.c_str());
}

Draw Plan::draw(const std::string& name) const { return Draw(fnv1a(as_bytes(name), seed_ * 0x9e3779b97f4a7c15)); }

bool Plan::has(const std::string& part, double chance) {
  if (!draw("has " + part).chance(chance) || without_.contains(part)) return false;
  if (told_) told_(part);
  return true;
}

double Plan::often(const std::string& fault, double most, double chance) {
  return has(fault, chance) ? draw(fault).share(most) : 0;
}

Faults some_faults(Plan& plan) {
  Faults faults;
  faults.short_read = plan.often("short reads", 0.9);
  faults.short_write = plan.often("short writes", 0.9);
  faults.switch_thread = plan.often("switches", 0.5);
  faults.reset = plan.often("resets", 0.01);
  faults.refuse = plan.often("refusals", 0.2);
  if (plan.has("delay", 0.8)) faults.delay = plan.draw("delay").time(0, 99);
  if (plan.has("jitter", 0.8)) faults.jitter = plan.draw("jitter").time(0, 199);
  if (plan.has("small windows", 0.8)) faults.window = std::size_t{1} << plan.draw("small windows").number(6, 17);
  return faults;
}

}  // namespace entente::lab
