// What players say passes as far as the rules let it; what has no other place is a line, too.
#include "proxy/core/chat.h"

#include <doctest/doctest.h>

#include <string>

namespace entente::core {
namespace {

TEST_CASE("chat that would be a command elsewhere is defused, and floods are stopped") {
  Chat chat(ChatRules{});
  words::Say say;
  say.set_text("/kick\x07 anna\n");
  CHECK(chat.filter(say, 1, 0) == nullptr);
  CHECK(say.text() == " /kick anna");
  words::Say command;
  command.set_kind(words::Say::COMMAND);
  command.set_text("/kick");
  CHECK(std::string(chat.filter(command, 1, 0)) == "commands are not passed to another game");
  words::Say blank;
  blank.set_text("  \t");
  CHECK(std::string(chat.filter(blank, 1, 0)) == "nothing was said");
  words::Say line;
  line.set_text("x");
  int passed = 1;
  for (int i = 0; i < 20; ++i) passed += chat.filter(line, 1, 0) == nullptr;
  CHECK(passed == 5);
  CHECK(chat.filter(line, 1, 2 * kSecond) == nullptr);
  CHECK(chat.filter(line, 2, 0) == nullptr);  // another's
  words::Say wide;
  wide.set_text(std::string(255, 'a') + "\u00e9");
  CHECK(chat.filter(wide, 3, 0) == nullptr);
  CHECK(wide.text().size() == 255);
}

TEST_CASE("who waits is told for what, and who was hit how much is left") {
  words::Waiting waiting;
  CHECK(line_of(waiting) == "waiting for the game to begin");
  waiting.set_have(1);
  waiting.set_need(3);
  CHECK(line_of(waiting) == "waiting for players: 1 of 3");
  words::Health health;
  health.set_now(29.6);
  CHECK(line_of(health) == "hit 30");
  health.set_max(100);
  CHECK(line_of(health) == "hit 30/100");
  health.set_now(1e300);
  CHECK(line_of(health) == "hit 1000000/100");
}

}  // namespace
}  // namespace entente::core
