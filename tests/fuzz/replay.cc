// Runs a fuzz target without libFuzzer: noise, and every file of the folders it is given as it is, cut, with bits
// flipped; so many variants of each: [--variants N] FOLDER... Law: the same runs every time, so that a failure can be
// repeated; a target that finds something ends the process.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;
int variants = 200;

void run(const Input& input) { LLVMFuzzerTestOneInput(input.data(), input.size()); }

void run_variants(const Input& input, std::mt19937_64& random) {
  run(input);
  if (input.empty()) return;
  for (int i = 0; i < variants; ++i) {
    Input variant = input;
    if (i % 4 == 0) variant.resize(random() % variant.size());
    for (std::uint64_t flips = random() % 4; flips > 0 && !variant.empty(); --flips)
      variant[random() % variant.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    run(variant);
  }
}

void run_noise(std::mt19937_64& random) {
  for (int i = 0; i < variants; ++i) {
    Input noise(random() % 300);
    for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
    run(noise);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(20261120);
  int inputs = 0, first = 1;
  if (argc > 2 && std::string_view(argv[1]) == "--variants") {
    variants = std::atoi(argv[2]);
    first = 3;
  }
  run_noise(random);
  for (int i = first; i < argc; ++i) {
    if (!std::filesystem::exists(argv[i])) continue;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      run_variants(Input(std::istreambuf_iterator<char>(file), {}), random);
      ++inputs;
    }
  }
  std::printf("%d inputs and %d variants of each\n", inputs, variants);
  return 0;
}
