// The mutator of conversations, on the inputs of every target that has a format.
#include "tests/fuzz/mutate/mutate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "adapters/registry.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"

namespace entente::mutate_test {
namespace {

using fuzz::Format, fuzz::Understood;

struct Case {
  std::string name;
  std::function<Format(Bytes)> format;
  std::vector<Buffer> inputs;
};

std::size_t flip(std::uint8_t* data, std::size_t size, std::size_t) {
  if (size > 0) data[size / 2] ^= 1;
  return size;
}

Buffer mutated(const Case& test, const Buffer& input, std::size_t most, unsigned seed) {
  Buffer bytes = input;
  bytes.resize(std::max(input.size(), most));
  bytes.resize(fuzz::mutate(test.format(input), flip, bytes.data(), input.size(), most, seed));
  return bytes;
}

/// An input that mutations make of nothing: of several mutants, the one with the most messages is kept.
Buffer grown(const Case& test) {
  Buffer best;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Buffer next = mutated(test, best, 2000, seed);
    if (fuzz::understood(test.format(next), next).frames > fuzz::understood(test.format(best), best).frames)
      best = next;
  }
  return best;
}

/// Every target with a format, its corpus and its seeds, or an input that has grown from nothing.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const fuzz::Target& target : fuzz::targets()) {
    if (!target.format) continue;
    all.push_back({target.name, target.format, {}});
    all.back().inputs.push_back(grown(all.back()));
    const std::filesystem::path folder = testing::source_dir() + "/tests/fuzz/corpus/" + target.name;
    if (!std::filesystem::exists(folder)) continue;
    std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
    std::sort(files.begin(), files.end());
    for (const auto& path : files) {
      std::ifstream file(path, std::ios::binary);
      all.back().inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  for (const wire::Game* game : games()) {
    all.push_back({"frames_" + std::string(game->name()),
                   [game](Bytes input) { return fuzz::format_of_frames(*game, input); },
                   {}});
    for (const fuzz::Seed& seed : fuzz::frame_seeds(*game)) all.back().inputs.push_back(seed.bytes);
  }
  return all;
}

TEST_CASE("the same input and seed give the same mutant, which is never too large") {
  const auto all = cases();
  CHECK(all.size() >= 13);
  for (const Case& test : all) {
    CAPTURE(test.name);
    std::size_t others = 0, made = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
      const Buffer& input = test.inputs[seed % test.inputs.size()];
      for (const std::size_t most : {std::size_t{3}, input.size(), input.size() + 200}) {
        const Buffer mutant = mutated(test, input, most, seed);
        REQUIRE(mutant.size() <= most);
        REQUIRE(mutant == mutated(test, input, most, seed));
        Buffer crossed(most);
        const Buffer& other = test.inputs[seed * 7U % test.inputs.size()];
        REQUIRE(fuzz::cross(test.format(input), input, other, crossed.data(), most, seed) <= most);
      }
      ++made;
      if (mutated(test, input, input.size() + 200, seed) != input) ++others;
    }
    CHECK(others * 10 >= made * 9);
  }
}

TEST_CASE("most messages of mutants decode, and conversations grow from nothing") {
  for (const Case& test : cases()) {
    CAPTURE(test.name);
    Understood all;
    for (unsigned seed = 0; seed < 300; ++seed) {
      const Buffer& input = test.inputs[seed % test.inputs.size()];
      const Buffer mutant = mutated(test, input, input.size() + 500, seed);
      const Understood some = fuzz::understood(test.format(mutant), mutant);
      all.frames += some.frames;
      all.of += some.of;
    }
    CHECK(all.frames > 300);
    CHECK(all.frames * 2 >= all.of);
    const Buffer from_nothing = grown(test);
    CHECK(fuzz::understood(test.format(from_nothing), from_nothing).frames >= 5);
  }
}

}  // namespace
}  // namespace entente::mutate_test
