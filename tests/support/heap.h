// Counts what a test program takes from the heap (operator new, all threads). Whoever links this has its operator new.
#pragma once

#include <cstddef>

namespace entente::testing {

std::size_t allocations();       ///< so far
std::size_t allocations_here();  ///< of them, those of the thread that asks
std::size_t bytes_in_use();      ///< now
std::size_t most_bytes();        ///< the most since the last call of this

}  // namespace entente::testing
