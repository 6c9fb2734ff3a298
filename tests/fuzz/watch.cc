#include "tests/fuzz/watch.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "proxy/program/bounds.h"
#include "tests/support/heap.h"
#include "tests/support/steps.h"

namespace entente::fuzz {
namespace {

struct Worst {
  std::uint64_t most = 0;
  std::size_t size = 0;
  void see(std::uint64_t count, std::size_t of) {
    if (count > most) most = count, size = of;
  }
};
Worst worst_steps, worst_bytes;

void hold(std::string_view target, const char* what, std::uint64_t count, std::uint64_t most, std::size_t size) {
  if (count <= most) return;
  std::fprintf(stderr, "%.*s: %llu %s for an input of %zu bytes; its row in proxy/program/bounds.cc allows %llu\n",
               static_cast<int>(target.size()), target.data(), static_cast<unsigned long long>(count), what, size,
               static_cast<unsigned long long>(most));
  std::abort();
}

}  // namespace

int watched(std::string_view target, const std::function<int(const std::uint8_t*, std::size_t)>& run,
            const std::uint8_t* data, std::size_t size) {
  static const Bound* bound = nullptr;
  if (bound == nullptr || bound->part != target) bound = find_bound(target);
  if (bound == nullptr) {
    std::fprintf(stderr, "%.*s has no row in proxy/program/bounds.cc\n", static_cast<int>(target.size()),
                 target.data());
    std::abort();
  }
  (void)testing::most_bytes();
  const std::size_t kept = testing::bytes_in_use();
  const std::uint64_t began = testing::steps();
  const int result = run(data, size);
  const std::uint64_t steps = testing::steps() - began;
  const std::size_t most = testing::most_bytes(), bytes = most > kept ? most - kept : 0;
  worst_steps.see(steps, size);
  worst_bytes.see(bytes, size);
  hold(target, "steps", steps, bound->most_steps(size), size);
  hold(target, "bytes of memory", bytes, bound->most_bytes(size), size);
  return result;
}

void print_worst() {
  std::printf("most steps: %llu for %zu bytes; most memory: %llu bytes for %zu\n",
              static_cast<unsigned long long>(worst_steps.most), worst_steps.size,
              static_cast<unsigned long long>(worst_bytes.most), worst_bytes.size);
}

}  // namespace entente::fuzz
