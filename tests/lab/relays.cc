// Relays of the toy game in a simulation.
#include "tests/lab/talks.h"

namespace entente::lab {

void simulate_relays(Plan& plan, Verdict& verdict) {
  Talks talks;
  std::size_t unnamed = 0;
  Kernel simulated(plan.seed(), plan.calm ? Faults{} : some_faults(plan));
  const Nanos began = simulated.now();
  if (const std::size_t left = simulated.run([&] { unnamed = hold_talks(plan, talks, verdict); }); left != 0) {
    verdict.wrong.push_back(std::to_string(left) + " threads are left");
    verdict.leaks = true;
  }
  check_talks(talks, unnamed, simulated.faults.delay + simulated.faults.jitter, verdict);
  if (plan.calm) tell_outcome(talks, verdict);
  if (simulated.open_files() != 0)
    verdict.wrong.push_back(std::to_string(simulated.open_files()) + " descriptors are left");
  verdict.took = simulated.now() - began;
  verdict.hash = simulated.hash();
}

namespace {

constexpr Scenario kScenarios[] = {
    {"relays", simulate_relays}, {"games", simulate_games}, {"program", simulate_program}, {"fleet", simulate_fleet}};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace entente::lab
