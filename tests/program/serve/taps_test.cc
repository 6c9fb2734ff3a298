#include "proxy/program/serve/taps.h"

#include <doctest/doctest.h>

#include "proxy/program/config/config.h"
#include "tests/program/folder.h"

namespace entente::taps_test {
namespace {

TEST_CASE("two processes that begin a recording in the same second write two files") {
  const Folder folder;
  config::Recording settings = default_config().recording();
  settings.set_directory(folder.path().string());
  Taps old(settings, [] {}), young(settings, [] {});
  const RecordingTarget target{"{game}-{time}.mcap", "panic", 1};
  REQUIRE(old.recording(target, true).ok());
  const auto began = young.recording(target, true);
  REQUIRE_MESSAGE(began.ok(), began.error().text);
  CHECK(folder.names().size() == 2);
  CHECK(old.stop().ok());
  CHECK(young.stop().ok());
  CHECK(folder.names().empty());  // nothing was recorded
}

}  // namespace
}  // namespace entente::taps_test
