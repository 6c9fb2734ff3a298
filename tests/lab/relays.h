// A relay of the toy game in the simulated kernel: clients and servers that talk, fall silent, leave and break off.
// What must hold afterwards is checked; see check() in relays.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/lab/kernel.h"

namespace entente::lab {

struct RelayOutcome {
  std::vector<std::string> faults;    ///< what did not hold; empty: all is well
  std::uint64_t hash = 0;             ///< of all that happened
  std::size_t sessions = 0, cut = 0;  ///< all, and those that did not end as both peers wished
  Nanos took = 0;                     ///< simulated
};

RelayOutcome simulate_relays(std::uint64_t seed);

}  // namespace entente::lab
