// Included before every file of the build with the mutants.
#pragma once

#ifdef __cplusplus
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdlib>

inline const int entente_chosen_mutant = [] {
  const char* const number = std::getenv("ENTENTE_MUTANT");
  return number != nullptr ? std::atoi(number) : 0;
}();

/// A byte for each mutant of the file that ENTENTE_REACHED names, 1 for those that were reached; null if it names none.
inline char* const entente_reached = []() -> char* {
  constexpr std::size_t kMutants = 1 << 16;
  const char* const file = std::getenv("ENTENTE_REACHED");
  const int opened = file != nullptr ? ::open(file, O_RDWR | O_CLOEXEC) : -1;
  if (opened < 0) return nullptr;
  void* const at = ::mmap(nullptr, kMutants, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  ::close(opened);
  return at != MAP_FAILED ? static_cast<char*>(at) : nullptr;
}();

/// Whether this process runs with mutant `number`, from 1.
inline bool entente_mutant(int number) {
  if (entente_reached != nullptr) entente_reached[number] = 1;
  return number == entente_chosen_mutant;
}
#endif
