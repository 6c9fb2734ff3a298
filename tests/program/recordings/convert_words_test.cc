// How many connections are translated at once, and with which settings.
#include "proxy/program/conversion/convert_words.h"

#include <doctest/doctest.h>

#include "adapters/bzflag/bzflag.h"
#include "tests/support/memory_file.h"

namespace entente::convert_words_test {
namespace {

TEST_CASE("a file in which thousands of sessions are open at once is translated for the last to be heard") {
  Buffer file;
  auto recorder = trace::Recorder::open(std::make_unique<testing::MemorySink>(file), {});
  REQUIRE(recorder.ok());
  ConvertWords words(**recorder, {});
  constexpr std::uint32_t kMore = 100;
  const GameDialect game_dialect{&bzflag::game(), 0};
  constexpr std::uint8_t kHeader[] = {'B', 'Z', 'F', 'L', 'A', 'G', '\r', '\n', '\r', '\n'};
  const wire::Frame header{wire::Way::kToServer, wire::Lane::kStream, wire::Stage::kGreeting, Bytes(kHeader)};
  WallTime time = 1;
  for (std::uint32_t i = 1; i <= ConvertWords::kMostRooms + kMore; ++i) {
    ImportedConnection connection;
    connection.name = "client " + std::to_string(i);
    words.begin(i, i, connection, game_dialect, ++time);
    words.frame(1, header, ++time);  // the first one goes on
  }
  const std::vector<std::string> gaps = words.gaps();
  REQUIRE(gaps.size() == 1);
  CHECK(gaps[0] == "client 2 and 99 more: the words end early: more than 1000 sessions are open at once");
  for (std::uint32_t i = 1; i <= ConvertWords::kMostRooms + kMore; ++i) words.gone(i);
}

TEST_CASE("settings that --set does not give are looked for on this machine, as for a bridge") {
  const core::Setting known[] = {{"maps", "", {.folder = true, .find = [] { return std::string("/found"); }}}};
  CHECK(*back_settings_of({}, known) == Settings{{"maps", "/found"}});
  CHECK(*back_settings_of({"maps=/"}, known) == Settings{{"maps", "/"}});
  CHECK_FALSE(back_settings_of({"map=/"}, known).ok());
}

}  // namespace
}  // namespace entente::convert_words_test
