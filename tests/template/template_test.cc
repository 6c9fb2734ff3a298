// The template of a game obeys the laws of every game, and its front and back work.
#include "adapters/template/template.h"

#include <doctest/doctest.h>

#include "tests/support/hex.h"
#include "tests/support/laws.h"
#include "tests/support/stage.h"

namespace entente::sample::template_test {
namespace {

using testing::BackStage, testing::FrontStage;
using wire::Way;

const Buffer kHello = from_hex("0401 616e6e61"), kChat = from_hex("0303 00 6869");

TEST_CASE("invented messages survive, and damaged ones are faults or exact") {
  check_invented_messages_survive(game(), 200);
  check_damaged_messages_are_faults_or_exact(game(), 200);
}

TEST_CASE("FORMAT.md matches the layouts") { check_format_is_true(game()); }

TEST_CASE("a front passes its client's messages to the room, and the room's facts to its client") {
  FrontStage front(faces().front({}), game(), 0, Way::kToClient);
  CHECK(front.receives_slowly(kHello) == "says Enter name: \"anna\"\n");
  CHECK(front.hears(core::Fact{words::Ready()}) == "sends Welcome player=" + std::to_string(front.me()) + "\n");
  CHECK(front.receives(kChat) == "says Say text: \"hi\"\n");
  words::Said said;
  said.set_from(7);
  said.set_text("hi");
  CHECK(front.hears(core::Fact{said}) == "sends Chat player=7 text=\"hi\"\n");
  CHECK(front.receives(kHello) == "loses Hello: the player has already entered\n");
  CHECK(front.hears(core::Fact{words::Score()}) == "loses Score: the game has only chat\n");
  CHECK(front.receives(from_hex("00 09")) == "fails: unknown message code 0\n");
}

TEST_CASE("a back enters, passes its player's intents to the server, and the server's messages to the room") {
  BackStage back(faces().back({}), game(), 0, Way::kToServer);
  words::Enter enter;
  enter.set_name("anna");
  CHECK(back.hears(core::Intent{enter}) == "");
  CHECK(back.opens() == "sends Hello name=\"anna\"\n");
  CHECK(back.receives(from_hex("0102 05")) == "says Ready\n");
  words::Say say;
  say.set_text("hi");
  CHECK(back.hears(core::Intent{say}) == "sends Chat player=0 text=\"hi\"\n");
  CHECK(back.receives(kChat) == "says Said text: \"hi\"\n");
  CHECK(back.hears(core::Intent{words::Fire()}) == "loses Fire: the game has only chat\n");
  CHECK(back.hears(core::Intent{words::Leave()}) == "closes: the player left\n");
}

}  // namespace
}  // namespace entente::sample::template_test
