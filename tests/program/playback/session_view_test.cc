// The ids that a session's units have while another session is played.
#include "proxy/program/playback/session_view.h"

#include <doctest/doctest.h>

#include <memory>

#include "tests/support/memory_file.h"

namespace entente::session_view_test {
namespace {

TEST_CASE("a session's unit that is forgotten takes no id from the later unit that has it") {
  RecordedSessions none;
  none.file = std::make_shared<testing::MemorySource>(Bytes());
  SessionView view(none, {}, 0);
  view.set_known(1, 7);
  view.set_known(2, 7);
  view.forget(1);
  CHECK(view.known(1) == nullptr);
  CHECK(view.own(7) == 2);
  REQUIRE(view.known(2) != nullptr);
  CHECK(view.known(2)->id == 7);
  view.set_known(2, 8);  // told anew
  CHECK(view.own(7) == 0);
  CHECK(view.own(8) == 2);
  view.forget(2);
  CHECK(view.own(8) == 0);
}

}  // namespace
}  // namespace entente::session_view_test
