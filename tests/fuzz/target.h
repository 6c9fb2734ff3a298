// A fuzz target. With libFuzzer, each target is a program; without it, corpus.cc runs the seeds and corpora of all
// targets as tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/fuzz/mutate/mutate.h"
#include "tests/fuzz/watch.h"

namespace entente::fuzz {

struct Target {
  std::string name;
  std::function<int(const std::uint8_t* data, std::size_t size)> run;  ///< ends the process if it finds a fault
  std::function<Format(Bytes input)> format{};                         ///< empty: its inputs are no conversations
};

/// All targets of this program.
inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

struct Registered {
  Registered(const char* name, int (*run)(const std::uint8_t*, std::size_t)) { targets().push_back({name, run}); }
  explicit Registered(Format (*format)(Bytes)) { targets().back().format = format; }
};

}  // namespace entente::fuzz

/// ENTENTE_FUZZ_TARGET is the head of a target's function: its body has `data` and `size`, and returns 0. Each input is
/// watched(). ENTENTE_FUZZ_FORMAT follows if the inputs are conversations: its body has `input`, and returns their
/// Format.
#ifdef ENTENTE_LIBFUZZER
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

#define ENTENTE_FUZZ_TARGET(name)                                                     \
  static int run_##name(const std::uint8_t* data, std::size_t size);                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    return entente::fuzz::watched(#name, run_##name, data, size);                     \
  }                                                                                   \
  static int run_##name(const std::uint8_t* data, std::size_t size)

#define ENTENTE_FUZZ_FORMAT(name)                                                                                  \
  static entente::fuzz::Format format_of_##name(entente::Bytes input);                                             \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,           \
                                                 unsigned seed) {                                                  \
    return entente::fuzz::mutate(format_of_##name({data, size}), LLVMFuzzerMutate, data, size, most, seed);        \
  }                                                                                                                \
  extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t size,                      \
                                                   const std::uint8_t* other, std::size_t other_size,              \
                                                   std::uint8_t* out, std::size_t most, unsigned seed) {           \
    return entente::fuzz::cross(format_of_##name({one, size}), {one, size}, {other, other_size}, out, most, seed); \
  }                                                                                                                \
  static entente::fuzz::Format format_of_##name([[maybe_unused]] entente::Bytes input)
#else
#define ENTENTE_FUZZ_TARGET(name)                                          \
  static int run_##name(const std::uint8_t* data, std::size_t size);       \
  static const entente::fuzz::Registered name##_target(#name, run_##name); \
  static int run_##name(const std::uint8_t* data, std::size_t size)

#define ENTENTE_FUZZ_FORMAT(name)                                         \
  static entente::fuzz::Format format_of_##name(entente::Bytes input);    \
  static const entente::fuzz::Registered name##_format(format_of_##name); \
  static entente::fuzz::Format format_of_##name([[maybe_unused]] entente::Bytes input)
#endif
