// The wall clock as the whole process of a test sees it (defined in clips/clip_test.cc).
#pragma once

#include <atomic>
#include <cstdint>

namespace entente {

/// By how much it is set, in seconds.
extern std::atomic<std::int64_t> clock_set_by;

}  // namespace entente
