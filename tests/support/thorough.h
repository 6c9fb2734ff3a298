// How much of a sweep a test does. The quick run takes a sample; `deploy/test --long` sets ENTENTE_THOROUGH and takes
// all.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace entente::testing {

inline bool thorough() { return std::getenv("ENTENTE_THOROUGH") != nullptr; }

/// From one place of a sweep to the next.
inline std::size_t step(std::size_t quick) { return thorough() ? 1 : quick; }

}  // namespace entente::testing
