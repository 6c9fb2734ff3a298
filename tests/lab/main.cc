// lab [--seed N] [--count N]: simulates relays from one seed, or from several in a row. Prints what did not hold. The
// last line is the hash of all that happened: the same seed and commit give the same one.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "proxy/base/hash.h"
#include "tests/lab/relays.h"

int main(int count, char** arguments) {
  std::uint64_t seed = 1, seeds = 1;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::uint64_t number = std::strtoull(arguments[i + 1], nullptr, 10);
    if (std::strcmp(arguments[i], "--seed") == 0) seed = number;
    if (std::strcmp(arguments[i], "--count") == 0) seeds = number;
  }
  if (entente::lab::simulate_relays(seed).hash != entente::lab::simulate_relays(seed).hash) {
    std::printf("seed %llu: two runs differ\n", static_cast<unsigned long long>(seed));
    return 1;
  }
  std::uint64_t hash = 0;
  std::size_t sessions = 0, cut = 0, failed = 0;
  double seconds = 0;
  for (std::uint64_t end = seed + seeds; seed < end; ++seed) {
    const auto outcome = entente::lab::simulate_relays(seed);
    for (const auto& fault : outcome.faults)
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), fault.c_str());
    failed += outcome.faults.empty() ? 0 : 1;
    sessions += outcome.sessions;
    cut += outcome.cut;
    seconds += static_cast<double>(outcome.took) / 1e9;
    hash = hash * 31 + outcome.hash;
  }
  std::printf("%zu sessions, %zu of them cut, in %.0f simulated seconds\n", sessions, cut, seconds);
  std::printf("%llu passed, %zu failed\n", static_cast<unsigned long long>(seeds) - failed, failed);
  std::printf("%s\n", entente::hex_of(hash).c_str());
  return failed == 0 ? 0 : 1;
}
