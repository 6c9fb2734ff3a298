// What one simulation has: faults, peers and actions, each a part with a name. It follows from the seed.
// Invariant: a part is the same whether or not others are left out, so that a failing simulation can be shrunk.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/lab/kernel/kernel.h"

namespace entente::lab {

/// Numbers for one part.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  /// A number from `least` to `most`.
  std::uint64_t number(std::uint64_t least, std::uint64_t most) { return least + random_() % (most - least + 1); }
  /// A time in milliseconds, as nanoseconds.
  Nanos time(std::uint64_t least_ms, std::uint64_t most_ms) { return number(least_ms, most_ms) * kMilli; }
  bool chance(double of) { return share(1) < of; }
  /// A number from 0 to `most`.
  double share(double most) { return most * static_cast<double>(random_() >> 11U) * 0x1p-53; }
  template <class Range>
  const auto& one_of(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(number(0, std::size(range) - 1)));
  }

 private:
  std::mt19937_64 random_;
};

class Plan {
 public:
  /// `without`: parts that are left out. `told`: called with each part that is in.
  explicit Plan(std::uint64_t seed, std::set<std::string> without = {},
                std::function<void(const std::string&)> told = nullptr)
      : seed_(seed), without_(std::move(without)), told_(std::move(told)) {}

  std::uint64_t seed() const { return seed_; }
  /// What happens is printed, with its time.
  bool tells = false;
  /// There are no faults, and nothing whose outcome depends on time.
  bool calm = false;
  void tell(const std::string& what) const;
  /// Numbers that do not belong to a part, by a name of their own.
  Draw draw(const std::string& name) const;
  /// Whether this part is in: with this chance, unless it is left out.
  bool has(const std::string& part, double chance = 1);
  /// The share of calls that have this fault: 0 if it is not in.
  double often(const std::string& fault, double most, double chance = 0.5);

 private:
  const std::uint64_t seed_;
  const std::set<std::string> without_;
  const std::function<void(const std::string&)> told_;
};

/// What came of one simulation.
struct Verdict {
  std::vector<std::string> wrong;     ///< what did not hold; empty: all is well
  std::vector<std::string> parts;     ///< of the plan
  std::vector<std::string> outcome;   ///< of a calm plan: what became of each session, in words
  std::uint64_t hash = 0;             ///< of all that happened
  std::size_t sessions = 0, cut = 0;  ///< all, and those that did not end as both peers wished
  Nanos took = 0;                     ///< simulated
  bool leaks = false;                 ///< a program was killed: its memory is lost
};

/// A kind of simulation.
struct Scenario {
  const char* name;
  void (*simulate)(Plan& plan, Verdict& verdict);
};

void simulate_relays(Plan& plan, Verdict& verdict);
void simulate_games(Plan& plan, Verdict& verdict);
void simulate_program(Plan& plan, Verdict& verdict);
void simulate_fleet(Plan& plan, Verdict& verdict);

/// Those that this program has.
std::span<const Scenario> scenarios();

/// Faults of the network and of the system that any simulation may have.
Faults some_faults(Plan& plan);

}  // namespace entente::lab
