// Runs fuzz targets without libFuzzer: TARGET [--variants N] [FOLDER...]. An input is noise, a conversation of invented
// messages (mutate/mutate.h), a seed, or a file in the folders; each is run unchanged, truncated, with bits flipped,
// and with other messages (mutate/mutate.h), in N variants. Invariant: all runs are the same every time, so that a
// failure can be repeated; a target that finds a fault ends the process.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>

#include "adapters/registry.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/target.h"
#include "tests/fuzz/watch.h"

namespace entente::fuzz {
namespace {

class Runner {
 public:
  Runner(const Target& target, int variants) : target_(target), variants_(variants) {}

  void noise() {
    for (int i = 0; i < variants_; ++i) {
      Buffer noise(random_() % 300);
      for (auto& byte : noise) byte = static_cast<std::uint8_t>(random_());
      run(noise);
    }
  }

  /// Conversations that grow from nothing.
  void talk() {
    if (!target_.format) return;
    Buffer said;
    for (int i = 0; i < variants_; ++i) {
      said = mutated(said);
      run(said);
      if (said.size() > 4000) said.clear();
    }
  }

  void input(const Buffer& input) {
    ++inputs_;
    run(input);
    if (input.empty()) return;
    for (int i = 0; i < variants_; ++i) {
      Buffer variant = input;
      if (target_.format && i % 2 == 1) {
        variant = mutated(input);
        run(variant);
        continue;
      }
      if (i % 4 == 0) variant.resize(random_() % variant.size());
      for (std::uint64_t flips = random_() % 4; flips > 0 && !variant.empty(); --flips)
        variant[random_() % variant.size()] ^= static_cast<std::uint8_t>(1U << random_() % 8);
      run(variant);
    }
  }

  /// The files of a folder, by name; none if the folder does not exist.
  void folder(const std::filesystem::path& folder) {
    if (!std::filesystem::exists(folder)) return;
    std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
    std::sort(files.begin(), files.end());
    for (const auto& path : files) {
      std::ifstream file(path, std::ios::binary);
      input(Buffer(std::istreambuf_iterator<char>(file), {}));
    }
  }

  int inputs() const { return inputs_; }

 private:
  Buffer mutated(const Buffer& input) {
    Buffer bytes = input;
    bytes.resize(input.size() + 1000);
    const auto flip = [&](std::uint8_t* data, std::size_t size, std::size_t) {
      if (size > 0) data[random_() % size] ^= static_cast<std::uint8_t>(1U << random_() % 8);
      return size;
    };
    bytes.resize(mutate(target_.format(input), flip, bytes.data(), input.size(), bytes.size(),
                        static_cast<unsigned>(random_())));
    return bytes;
  }
  void run(const Buffer& input) { watched(target_.name, target_.run, input.data(), input.size()); }

  const Target& target_;
  int variants_, inputs_ = 0;
  std::mt19937_64 random_{20261120};
};

int run(int argc, char** argv) {
  for (const wire::Game* game : games())
    targets().push_back(
        {"frames_" + std::string(game->name()),
         [game](const std::uint8_t* data, std::size_t size) { return run_frames(*game, Bytes(data, size)); },
         [game](Bytes input) { return format_of_frames(*game, input); }});
  const std::string_view name = argc > 1 ? argv[1] : "";
  const auto target =
      std::find_if(targets().begin(), targets().end(), [&](const Target& one) { return one.name == name; });
  if (target == targets().end()) {
    std::fprintf(stderr, "usage: fuzz_corpus TARGET [--variants N] [FOLDER...]; the targets are:\n");
    for (const Target& one : targets()) std::fprintf(stderr, "  %s\n", one.name.c_str());
    return 2;
  }
  int variants = 200, folder = 2;
  if (argc > 3 && std::string_view(argv[2]) == "--variants") {
    variants = std::atoi(argv[3]);
    folder = 4;
  }
  Runner runner(*target, variants);
  runner.noise();
  runner.talk();
  for (const wire::Game* game : games())
    if (name == "frames_" + std::string(game->name()))
      for (const Seed& seed : frame_seeds(*game)) runner.input(seed.bytes);
  for (; folder < argc; ++folder) runner.folder(argv[folder]);
  std::printf("%d inputs and %d variants of each\n", runner.inputs(), variants);
  print_worst();
  return 0;
}

}  // namespace

}  // namespace entente::fuzz

int main(int argc, char** argv) { return entente::fuzz::run(argc, argv); }
