// Included before every file that has mutants.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstddef>
#include <cstdlib>
#include <type_traits>

namespace entente_mutants {

/// The number of the mutant that this process runs with, from 1, or 0. One for the program and its libraries.
[[gnu::visibility("default")]] inline int chosen = [] {
  const char* const number = std::getenv("ENTENTE_MUTANT");
  return number != nullptr ? std::atoi(number) : 0;
}();

/// A byte for each mutant of the file that ENTENTE_REACHED names, 1 for those that were reached; null if it names none.
[[gnu::visibility("default")]] inline char* const reached = []() -> char* {
  constexpr std::size_t kMutants = 1 << 16;
  const char* const file = std::getenv("ENTENTE_REACHED");
  const int opened = file != nullptr ? ::open(file, O_RDWR | O_CLOEXEC) : -1;
  if (opened < 0) return nullptr;
  void* const at = ::mmap(nullptr, kMutants, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  ::close(opened);
  return at != MAP_FAILED ? static_cast<char*>(at) : nullptr;
}();

[[gnu::visibility("default"), gnu::noinline]] inline bool is_chosen(int number) {
  if (reached != nullptr) __atomic_store_n(reached + number, char{1}, __ATOMIC_RELAXED);
  return number == chosen;
}

}  // namespace entente_mutants

/// Whether this process runs with mutant `number`. What the compiler computes has no mutants.
constexpr bool entente_mutant(int number) { return !std::is_constant_evaluated() && entente_mutants::is_chosen(number); }
