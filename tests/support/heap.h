// Counts the heap allocations of a test program (operator new, all threads). Linking this replaces operator new.
#pragma once

#include <cstddef>

namespace entente::testing {

std::size_t allocations();       ///< so far
std::size_t allocations_here();  ///< of them, those of the calling thread
std::size_t bytes_in_use();      ///< now
std::size_t most_bytes();        ///< the most in use since the last call

}  // namespace entente::testing
