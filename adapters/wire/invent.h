// Makes random legal messages, for round-trip tests, fuzz seeds and benchmarks.
// Invariant: a message is legal in its dialect, and the same seed gives the same message.
#pragma once

#include <cstdint>
#include <random>

#include "adapters/wire/codec.h"

namespace entente::wire {

using Random = std::mt19937_64;

/// `budget`: bytes. REQUIRES: `row` exists in the codec's dialect. Sets the codec's kept message to a random one of
/// `row`, small enough for `budget` bytes in nearly all cases.
void invent(const Row& row, Way way, Codec& codec, Random& random, std::size_t budget = 512);

}  // namespace entente::wire
