#include "tests/support/laws.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "adapters/wire/invent.h"
#include "adapters/wire/outline.h"
#include "adapters/wire/print.h"
#include "tests/support/paths.h"

namespace entente {
namespace {

using wire::Frame, wire::Lane, wire::Row, wire::Way;

Frame frame_of(const Row& row, Way way, Bytes bytes) {
  return {way, (row.lanes & 1) != 0 ? Lane::kStream : Lane::kDatagram, row.stage, bytes};
}

/// Calls `with(row, way, frame bytes, codec)` for `rounds` invented messages of every row, way and dialect.
template <class F>
void for_each_invented(const wire::Game& game, unsigned rounds, F&& with) {
  wire::Random random(20261120);
  for (std::size_t dialect = 0; dialect < game.dialects().size(); ++dialect) {
    const auto codec = game.codec(dialect);
    for (const Row& row : codec->rows()) {
      if ((row.dialects >> dialect & 1U) == 0) continue;
      for (const Way way : {Way::kToServer, Way::kToClient}) {
        if ((row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
        for (unsigned i = 0; i < rounds; ++i) {
          invent(row, way, *codec, random);
          Buffer bytes;
          codec->encode(bytes);
          INFO(game.name(), " ", game.dialects()[dialect].name, " ", row.name, " ", text(way), " ", to_hex(bytes));
          with(row, way, bytes, *codec, random);
        }
      }
    }
  }
}

}  // namespace

void check_invented_messages_survive(const wire::Game& game, unsigned rounds) {
  for_each_invented(game, rounds, [](const Row& row, Way way, const Buffer& bytes, wire::Codec& codec, auto&) {
    const auto decoded = codec.decode(frame_of(row, way, bytes));
    if (!decoded) {
      FAIL_CHECK(decoded.error().what, " in ", decoded.error().field, " at ", decoded.error().offset);
      return;
    }
    CHECK((*decoded)->name == row.name);
    Buffer again;
    codec.encode(again);
    CHECK(to_hex(again) == to_hex(bytes));
    std::string line;
    print(**decoded, codec, line);
    CHECK(line.starts_with(row.name));
    CHECK(line.find('\n') == std::string::npos);
  });
}

void check_damaged_messages_are_faults_or_exact(const wire::Game& game, unsigned rounds) {
  for_each_invented(game, rounds, [](const Row& row, Way way, const Buffer& whole, wire::Codec& codec, auto& random) {
    const auto try_it = [&](const Buffer& bytes) {
      const auto decoded = codec.decode(frame_of(row, way, bytes));
      if (!decoded) {
        CHECK(decoded.error().what[0] != '\0');
        CHECK(decoded.error().offset <= bytes.size());
        return;
      }
      // Only the sizes are compared: the damage may be in the envelope, which encode() corrects.
      Buffer again;
      codec.encode(again);
      CHECK(again.size() == bytes.size());
    };
    Buffer cut = whole;
    if (!cut.empty()) cut.resize(random() % cut.size());
    try_it(cut);
    Buffer flipped = whole;
    if (!flipped.empty()) flipped[random() % flipped.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    try_it(flipped);
    Buffer longer = whole;
    longer.push_back(static_cast<std::uint8_t>(random()));
    try_it(longer);
  });
}

void check_format_is_true(const wire::Game& game) {
  const std::string path = testing::source_dir() + "/adapters/" + std::string(game.name()) + "/FORMAT.md";
  const std::string now = outline(game);
  if (std::getenv("ENTENTE_WRITE_FORMAT") != nullptr) std::ofstream(path) << now;
  std::ifstream file(path);
  std::stringstream committed;
  committed << file.rdbuf();
  CHECK_MESSAGE(committed.str() == now,
                path << " does not match the layouts; run this test with ENTENTE_WRITE_FORMAT=1 to write it");
}

}  // namespace entente
