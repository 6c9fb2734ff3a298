// What players say passes as far as the rules let it; what has no other place is a line, too.
#include "proxy/core/chat.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace entente::core::chat_test {
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
  CHECK(wide.text() == std::string(253, 'a') + "...");
}

TEST_CASE("who waits is told for what") {
  words::Waiting waiting;
  CHECK(line_of(waiting) == "waiting for the game to begin");
  waiting.set_have(1);
  waiting.set_need(3);
  CHECK(line_of(waiting) == "waiting for players: 1 of 3");
}

TEST_CASE("who was hit is told how much is left, who is well, healed or dead is not") {
  struct Row {
    double before, now, max;
    const char* line;
  };
  const Row rows[] = {{0, 100, 100, ""},
                      {100, 29.6, 0, "hit 30"},
                      {100, 29.6, 100, "hit 30/100"},
                      {INFINITY, 1e300, 100, "hit 1000000/100"},
                      {50, 60, 100, ""},
                      {50, 50, 100, ""},
                      {50, 0, 100, ""}};
  for (const Row& row : rows) {
    words::Health health;
    health.set_now(row.now);
    health.set_max(row.max);
    double known = row.before;
    CHECK(line_of_hit(health, known) == row.line);
    CHECK(known == row.now);
  }
}

TEST_CASE("an action and a command are known by how they are written, and written so again") {
  struct Row {
    const char* written;
    words::Say::Kind kind;
    const char* text;
  };
  const Row rows[] = {{"hello", words::Say::CHAT, "hello"},
                      {"/me waves", words::Say::ACTION, "waves"},
                      {"/mean", words::Say::COMMAND, "/mean"},
                      {"/kick anna", words::Say::COMMAND, "/kick anna"},
                      {"", words::Say::CHAT, ""}};
  for (const Row& row : rows) {
    const words::Say say = say_of(row.written);
    CHECK(say.kind() == row.kind);
    CHECK(say.text() == row.text);
    CHECK(written(say) == row.written);
  }
}

}  // namespace
}  // namespace entente::core::chat_test
