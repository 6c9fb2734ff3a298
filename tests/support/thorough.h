// How much of a sweep a test does: a sample, or everything if ENTENTE_THOROUGH is set, as by `deploy/test --long`.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace entente::testing {

inline bool thorough() { return std::getenv("ENTENTE_THOROUGH") != nullptr; }

/// The distance between two places of a sweep.
inline std::size_t step(std::size_t quick) { return thorough() ? 1 : quick; }

}  // namespace entente::testing
