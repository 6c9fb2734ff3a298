// A fuzz target. With libFuzzer, each target is a program; without it, corpus.cc runs the seeds and corpora of all
// targets as tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/fuzz/watch.h"

namespace entente::fuzz {

struct Target {
  std::string name;
  std::function<int(const std::uint8_t* data, std::size_t size)> run;  ///< ends the process if it finds a fault
};

/// All targets of this program.
std::vector<Target>& targets();

struct Registered {
  Registered(const char* name, int (*run)(const std::uint8_t*, std::size_t)) { targets().push_back({name, run}); }
};

}  // namespace entente::fuzz

/// The head of a target's function: its body has `data` and `size`, and returns 0. Each input is watched().
#ifdef ENTENTE_LIBFUZZER
#define ENTENTE_FUZZ_TARGET(name)                                                     \
  static int run_##name(const std::uint8_t* data, std::size_t size);                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    return entente::fuzz::watched(#name, run_##name, data, size);                     \
  }                                                                                   \
  static int run_##name(const std::uint8_t* data, std::size_t size)
#else
#define ENTENTE_FUZZ_TARGET(name)                                          \
  static int run_##name(const std::uint8_t* data, std::size_t size);       \
  static const entente::fuzz::Registered name##_target(#name, run_##name); \
  static int run_##name(const std::uint8_t* data, std::size_t size)
#endif
