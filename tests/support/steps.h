// Counts steps of our code, so that tests bound work without a clock. A step is a basic block that ran, in a floor that
// is compiled with ENTENTE_COUNT_STEPS (CMakeLists.txt). Test programs themselves are not counted.
#pragma once

#include <cstdint>

namespace entente::testing {

/// Whether this build counts.
bool counts_steps();
/// Of the calling thread so far; always 0 if the build does not count.
std::uint64_t steps();

}  // namespace entente::testing
