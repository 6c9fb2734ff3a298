// Counts the heap allocations of a test program (operator new, all threads). Linking this replaces operator new.
#pragma once

#include <cstddef>

namespace entente::testing {

std::size_t allocations();       ///< so far
std::size_t allocations_here();  ///< of them, those of the calling thread
std::size_t bytes_in_use();      ///< now
std::ptrdiff_t bytes_here();     ///< those that the calling thread has taken, minus those that it has given back
std::size_t most_bytes();        ///< the most in use since the last call

}  // namespace entente::testing
