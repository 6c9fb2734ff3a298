// An operator's announcement on a relay is a message that the clients of each game can read.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "adapters/registry.h"
#include "adapters/wire/codec.h"

namespace entente::announcement_test {
namespace {

/// The printable ASCII characters in the frames, also those of 16-bit text.
std::string ascii(const std::vector<Buffer>& frames) {
  std::string text;
  for (const Buffer& frame : frames)
    for (const std::uint8_t byte : frame)
      if (byte >= ' ' && byte < 0x7f) text += static_cast<char>(byte);
  return text;
}

TEST_CASE("an announcement decodes in every dialect, whatever its length") {
  const std::string long_text = "hear! " + std::string(150, 'x') + " " + std::string(150, 'y') + " \xc3\xa4 end";
  std::set<std::string_view> speechless;
  for (const wire::Game* known : games())
    for (const wire::Game* game : {known, known->over_web()}) {
      if (game == nullptr) continue;
      for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect)
        for (const std::string& text : {std::string("hear!"), long_text}) {
          CAPTURE(game->name());
          CAPTURE(dialect);
          const auto frames = game->announcement(dialect, text);
          if (frames.empty()) speechless.insert(game->name());
          if (frames.empty()) continue;
          const auto codec = game->codec(dialect);
          for (const Buffer& frame : frames)
            CHECK(codec->decode({wire::Way::kToClient, wire::Lane::kStream, wire::Stage::kPlay, frame}).ok());
          CHECK(ascii(frames).find("hear!") != std::string::npos);
          if (text == long_text) CHECK(ascii(frames).find("end") != std::string::npos);
        }
    }
  CHECK(speechless == std::set<std::string_view>{"bzdraft", "panic"});
}

}  // namespace
}  // namespace entente::announcement_test
