// Writes the seeds of the frames targets: <folder>/frames_<game>/, an invented message of every row, dialect and way.
#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/invent.h"
#include "tests/fuzz/frames.h"

namespace {

using namespace entente;
using wire::Lane, wire::Way;

// A game greets before it plays: what its cutter expects first goes first, or the message would be cut as a greeting.
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

void write(const std::filesystem::path& folder, const std::string& name, const Buffer& bytes) {
  std::ofstream(folder / name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void write_seed(const wire::Game& game, wire::Codec& codec, std::size_t dialect, const wire::Row& row, Way way,
                const std::filesystem::path& folder, wire::Random& random) {
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
  write(folder, std::string(row.name) + '-' + std::to_string(dialect) + '-' + text(way), bytes);
}

void write_seeds(const wire::Game& game, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  wire::Random random(20261120);
  for (std::size_t dialect = 0; dialect < game.dialects().size(); ++dialect) {
    const auto codec = game.codec(dialect);
    for (const wire::Row& row : codec->rows())
      for (const Way way : {Way::kToServer, Way::kToClient})
        if ((row.dialects >> dialect & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way)) != 0)
          write_seed(game, *codec, dialect, row, way, folder, random);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const wire::Game* game : games())
    write_seeds(*game, std::filesystem::path(argv[1]) / ("frames_" + std::string(game->name())));
  return 0;
}
