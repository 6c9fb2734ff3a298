// The compiler calls __sanitizer_cov_trace_pc() at the begin of each basic block of the counted floors. Of a libFuzzer
// program, the linker leads these calls to the function named __wrap_…, because libFuzzer has one of the first name.
#include "tests/support/steps.h"

namespace {

// Without a call in a shared library: this runs as often as all of our code.
__attribute__((tls_model("initial-exec"))) thread_local std::uint64_t counted = 0;

}  // namespace

#ifdef ENTENTE_COUNT_STEPS
// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
extern "C" void __sanitizer_cov_trace_pc();
extern "C" void __wrap___sanitizer_cov_trace_pc();
#ifndef ENTENTE_LIBFUZZER
void __sanitizer_cov_trace_pc() { ++counted; }
#endif
void __wrap___sanitizer_cov_trace_pc() { ++counted; }
// NOLINTEND(bugprone-reserved-identifier)
#endif

namespace entente::testing {

bool counts_steps() {
#ifdef ENTENTE_COUNT_STEPS
  return true;
#else
  return false;
#endif
}

std::uint64_t steps() { return counted; }

}  // namespace entente::testing
