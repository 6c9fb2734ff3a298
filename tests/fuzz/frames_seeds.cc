// The seeds of the frames targets. In the libFuzzer build, a program that writes them to <folder>/frames_<game>/.
#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/invent.h"
#include "tests/fuzz/frames.h"

namespace entente::fuzz {
namespace {

using wire::Lane, wire::Way;

// Some games begin with a greeting. It comes first, or the cutter would take the message for a greeting.
Buffer greeting(wire::Codec& codec, std::size_t dialect, Way way, wire::Random& random) {
  Buffer bytes;
  for (const wire::Row& row : codec.rows()) {
    if (row.stage != wire::Stage::kGreeting || (row.dialects >> dialect & 1U) == 0) continue;
    if ((row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
    invent(row, way, codec, random);
    codec.encode(bytes);
    break;
  }
  return bytes;
}

Seed seed(const wire::Game& game, wire::Codec& codec, std::size_t dialect, const wire::Row& row, Way way,
          wire::Random& random) {
  const Lane lane = (row.lanes & static_cast<std::uint8_t>(Lane::kStream)) != 0 ? Lane::kStream : Lane::kDatagram;
  const auto put = [&](const Buffer& from, Buffer& to) {
    fuzz::in_messages(game, lane) ? fuzz::put_message(from, to) : append(to, from);
  };
  Buffer bytes, message;
  fuzz::write_head(dialect, way, lane, bytes);
  const Buffer before = greeting(codec, dialect, way, random);
  if (lane == Lane::kStream && row.stage == wire::Stage::kPlay && !before.empty()) put(before, bytes);
  invent(row, way, codec, random, 128);
  codec.encode(message);
  put(message, bytes);
  return {std::string(row.name) + '-' + std::to_string(dialect) + '-' + text(way), bytes};
}

}  // namespace

std::vector<Seed> frame_seeds(const wire::Game& game) {
  std::vector<Seed> seeds;
  wire::Random random(20261120);
  for (std::size_t dialect = 0; dialect < game.dialects().size(); ++dialect) {
    const auto codec = game.codec(dialect);
    for (const wire::Row& row : codec->rows())
      for (const Way way : {Way::kToServer, Way::kToClient})
        if ((row.dialects >> dialect & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way)) != 0)
          seeds.push_back(seed(game, *codec, dialect, row, way, random));
  }
  return seeds;
}

}  // namespace entente::fuzz

#ifdef ENTENTE_LIBFUZZER
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const entente::wire::Game* game : entente::games()) {
    const auto folder = std::filesystem::path(argv[1]) / ("frames_" + std::string(game->name()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const auto& seed : entente::fuzz::frame_seeds(*game))
      std::ofstream(folder / seed.name, std::ios::binary)
          .write(reinterpret_cast<const char*>(seed.bytes.data()), static_cast<std::streamsize>(seed.bytes.size()));
  }
  return 0;
}
#endif
