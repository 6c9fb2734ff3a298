// Runs simulations, each in a process of its own, and makes a failing one smaller.
// Invariant: a simulation that crashes or does not end is one that failed; it does not harm others.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "tests/lab/plan.h"

namespace entente::lab {

struct Trial {
  std::uint64_t seed = 1;
  std::string scenario;             ///< empty: it follows from the seed
  std::set<std::string> without{};  ///< parts that are left out
  bool quiet = false;               ///< what the program prints is dropped
  bool tells = false;               ///< what happens is printed
  bool calm = false;                ///< Plan::calm

  const Scenario& kind() const;
  /// The arguments that run it again, with a space before each. A shell reads them.
  std::string arguments() const;
};

/// Null: there is none of this name.
const Scenario* find_scenario(const std::string& name);

Verdict run(const Trial& trial);

/// Runs trials side by side, `jobs` at once. `next`: the next trial; false: there is none. `done`: called with each, in
/// the order of their starts; false: no more are to begin.
void run_all(std::size_t jobs, const std::function<bool(Trial&)>& next,
             const std::function<bool(const Trial&, Verdict)>& done);

/// Leaves out parts of a trial that fails, as long as it fails. Runs at most `most` trials.
Trial shrunk(Trial trial, const Verdict& verdict, std::size_t most = 150);

}  // namespace entente::lab
