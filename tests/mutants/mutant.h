// Included before every file of the build with the mutants.
#pragma once

#ifdef __cplusplus
#include <cstdlib>

inline const int entente_chosen_mutant = [] {
  const char* const number = std::getenv("ENTENTE_MUTANT");
  return number != nullptr ? std::atoi(number) : 0;
}();

/// Whether this process runs with mutant `number`, from 1.
inline bool entente_mutant(int number) { return number == entente_chosen_mutant; }
#endif
