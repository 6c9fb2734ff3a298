// Chat passes within the rules. Messages without a field in a game are shown as chat lines.
#include "proxy/core/chat.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "proxy/base/even_line.h"
#include "proxy/base/text.h"
#include "proxy/core/world.h"

namespace entente::core::chat_test {
namespace {

words::Say line(const std::string& text, words::Say::Kind kind = words::Say::CHAT) {
  words::Say say;
  say.set_text(text);
  say.set_kind(kind);
  return say;
}

TEST_CASE("control characters are removed, long lines are cut between characters, and floods are stopped") {
  Chat chat(ChatRules{});
  words::Say say = line("hi\x07 anna\n\u009b");
  CHECK_FALSE(chat.filter(say, 1, 0));
  CHECK(say.text() == "hi anna");
  words::Say blank = line("  \t");
  CHECK(chat.filter(blank, 2, 0).why == &drops::kNothingSaid);
  words::Say short_line = line("x");
  int passed = 1, told = 0;
  for (int i = 0; i < 20; ++i) {
    const auto refusal = chat.filter(short_line, 1, 0);
    passed += !refusal;
    told += refusal.tell;
  }
  CHECK(passed == 5);
  CHECK(told == 1);
  CHECK_FALSE(chat.filter(short_line, 1, kSecond / 2).tell);
  CHECK_FALSE(chat.filter(short_line, 1, 2 * kSecond));
  CHECK_FALSE(chat.filter(short_line, 1, 2 * kSecond));
  CHECK(chat.filter(short_line, 1, 2 * kSecond).tell);  // more than a second after the last notice
  CHECK_FALSE(chat.filter(short_line, 3, 0));           // from another player
  words::Say wide = line(std::string(255, 'a') + "\u00e9");
  CHECK_FALSE(chat.filter(wide, 4, 0));
  CHECK(wide.text() == std::string(253, 'a') + "...");
}

TEST_CASE("a player who is too fast is told so once a second, and a new player with the same id is not the old one") {
  Chat chat({.burst = 1, .every = 10 * kSecond});
  words::Say said = line("x");
  CHECK_FALSE(chat.filter(said, 1, kSecond));
  CHECK(chat.filter(said, 1, kSecond).tell);
  CHECK_FALSE(chat.filter(said, 1, 2 * kSecond - 1).tell);
  CHECK(chat.filter(said, 1, 2 * kSecond).tell);
  chat.forget(1);
  CHECK_FALSE(chat.filter(said, 1, 2 * kSecond));
  CHECK(chat.filter(said, 1, 2 * kSecond).tell);
}

TEST_CASE("commands that are passed on do not count as chat") {
  Chat chat({.commands = true}), other(ChatRules{});
  const auto passes = [](Chat& here, const std::string& text, words::Say::Kind kind) {
    words::Say said = line(text, kind);
    return here.filter(said, 1, 0).why != &drops::kChatTooFast;
  };
  for (int i = 0; i < 100; ++i) CHECK(passes(chat, "/seek +10", i % 2 ? words::Say::COMMAND : words::Say::CHAT));
  for (int i = 0; i < 5; ++i) CHECK(passes(chat, "x", words::Say::CHAT));
  CHECK_FALSE(passes(chat, "x", words::Say::CHAT));
  CHECK_FALSE(passes(chat, "/seek +10", words::Say::ACTION));
  CHECK(passes(chat, "/seek +10", words::Say::CHAT));
  for (int i = 0; i < 5; ++i) CHECK(passes(other, "/seek +10", words::Say::COMMAND));
  CHECK_FALSE(passes(other, "/seek +10", words::Say::COMMAND));  // they are refused there, each with an answer
}

TEST_CASE("a line that is sent in several is cut into about equal ones") {
  CHECK(even_line(0, 127) == 127);
  CHECK(even_line(127, 127) == 127);
  CHECK(even_line(128, 127) == 80);
  for (std::size_t length = 1; length < 1000; ++length) {
    std::vector<std::string> lines;
    send_lines(words::Say::CHAT, std::string(length, 'a'), even_line(length, 127), CutAt::kBlank,
               [&](std::string_view one) { lines.emplace_back(one); });
    CAPTURE(length);
    CHECK(lines.size() == (length + 126) / 127);
    CHECK((lines.size() == 1 || lines.back().size() >= 32));
  }
}

TEST_CASE("a command is not passed to another game, in any spelling, and its player is told") {
  Chat chat({.burst = 1000});
  const auto refused = [&](words::Say say) {
    const auto refusal = chat.filter(say, 1, 0);
    return refusal.tell && refusal.why == &drops::kCommandElsewhere;
  };
  for (const char* text : {"/password sesame", " /password sesame", "\t/password sesame", "\x01/password sesame",
                           "\u00a0/password sesame", "\u3000 /password sesame", "\ufeff/password sesame",
                           "\u200b/password sesame", "/", "/kick\x07 anna", "!login sesame", " !login sesame"}) {
    CAPTURE(text);
    CHECK(refused(line(text)));
    CHECK(refused(line(text, words::Say::ACTION)));
    CHECK(refused(line(text, words::Say::COMMAND)));
  }
  CHECK(refused(line("password sesame", words::Say::COMMAND)));
  for (const char* text : {"and/or", "!!!", "! no", "a /password b", "1/2"}) {
    words::Say say = line(text);
    CHECK_FALSE(chat.filter(say, 1, 0));
    CHECK(say.text() == text);
    CHECK(say.kind() == words::Say::CHAT);
  }
}

TEST_CASE("a command goes to a server of its own game unchanged, or not at all") {
  Chat chat({.commands = true, .burst = 1000});
  words::Say whole = line("/password  sesame ");
  CHECK_FALSE(chat.filter(whole, 1, 0));
  CHECK(whole.kind() == words::Say::COMMAND);
  CHECK(whole.text() == "/password  sesame ");
  const auto inexact = [&](const std::string& text, words::Say::Kind kind = words::Say::CHAT) {
    words::Say say = line(text, kind);
    return chat.filter(say, 1, 0).tell;
  };
  CHECK(inexact("/password se\x07same"));
  CHECK(inexact("/password s\xef\xbf\xbdsame"));  // replaces invalid bytes
  CHECK(inexact("/password " + std::string(250, 'x')));
  CHECK(inexact("\x01/password sesame"));  // would become a command
  CHECK(inexact("password sesame", words::Say::COMMAND));
}

TEST_CASE("a command may be as long as the game allows, and not a byte longer") {
  Chat chat({.commands = true, .most_bytes = 20});
  words::Say longest = line("/password 0123456789");
  REQUIRE(longest.text().size() == 20);
  CHECK_FALSE(chat.filter(longest, 1, 0));
  CHECK(longest.text() == "/password 0123456789");
  words::Say longer = line("/password 0123456789x");
  CHECK(chat.filter(longer, 1, 0).why == &drops::kCommandNotExact);
}

TEST_CASE("a long chat text is split into lines, and no line of it begins as a command") {
  std::string sent;
  const auto send = [&](words::Say::Kind kind, std::string_view text) {
    sent.clear();
    return send_lines(kind, text, 10, CutAt::kBlank, [&](std::string_view one) { sent += std::string(one) + "|"; });
  };
  CHECK(send(words::Say::CHAT, "one two three") == nullptr);
  CHECK(sent == "one two |three|");
  CHECK(send(words::Say::CHAT, "some text /kick anna") == nullptr);
  CHECK(sent == "some text |- /kick |anna|");
  CHECK(send(words::Say::COMMAND, "/kick anna") == nullptr);
  CHECK(sent == "/kick anna|");
  CHECK(send(words::Say::COMMAND, "/kick anna now") != nullptr);
  CHECK(sent.empty());
}

TEST_CASE("a server's last line is the reason of an end that follows in time; a welcome is none") {
  struct Row {
    Micros heard, ended;
    bool is_reason;
  };
  constexpr Micros kIn = 10 * kSecond, kOne = 1;  // let in at kIn
  const Row rows[] = {{kIn, kIn + 50 * kMillisecond, true},
                      {kIn, kIn + 50 * kMillisecond + kOne, false},
                      {kIn + 2 * kSecond - kOne, kIn + 2 * kSecond + 50 * kMillisecond, false},
                      {kIn + 2 * kSecond, kIn + 5 * kSecond, true},
                      {kIn + 2 * kSecond, kIn + 5 * kSecond + kOne, false}};
  for (const Row& row : rows) {
    CAPTURE(row.heard);
    CAPTURE(row.ended);
    LastServerLine last;
    last.let_in(kIn);
    last.heard("be nice", row.heard);
    CHECK(last.why(row.ended, "it is gone") == (row.is_reason ? "be nice" : "it is gone"));
  }
  LastServerLine last;
  CHECK(last.why(0, "it is gone") == "it is gone");
  last.heard("first", kSecond);  // the player is not in yet
  last.heard("second", kSecond);
  CHECK(last.why(kSecond + 50 * kMillisecond, "it is gone") == "second");
  CHECK(last.why(kSecond + 50 * kMillisecond + kOne, "it is gone") == "it is gone");
  last.heard(" reason given : be nice", kSecond);
  CHECK(last.why(kSecond, "it is gone") == "be nice");
}

TEST_CASE("a waiting player is told what the wait is for") {
  words::Waiting waiting;
  CHECK(line_of(waiting) == "waiting for the game to begin");
  waiting.set_have(1);
  waiting.set_need(3);
  CHECK(line_of(waiting) == "waiting for players: 1 of 3");
}

TEST_CASE("players are told who has won a round: a player, a side, or nobody") {
  WorldState world;
  words::Player anna;
  anna.set_id(1);
  anna.set_name("anna");
  world.fold(anna);
  words::Round round;
  CHECK(line_of(round, world) == "the round is over");
  round.set_winning_team(words::RED);
  CHECK(line_of(round, world) == "the round is over: red has won");
  round.set_winner(2);  // nobody
  CHECK(line_of(round, world) == "the round is over: red has won");
  round.set_winner(1);
  CHECK(line_of(round, world) == "the round is over: anna has won");
  round.clear_winning_team();
  CHECK(line_of(round, world) == "the round is over: anna has won");
}

TEST_CASE("a player that lost health is told how much is left; others are not") {
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

TEST_CASE("actions and commands are recognized by their text, and written the same way") {
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

TEST_CASE(
    "a player may say five lines at once, then one for each second that has passed, and saves no more than five") {
  Chat chat(ChatRules{});
  words::Say said = line("x");
  const auto passed = [&](Micros now) {
    int count = 0;
    for (int i = 0; i < 10; ++i) count += chat.filter(said, 1, now) ? 0 : 1;
    return count;
  };
  CHECK(passed(10 * kSecond) == 5);
  CHECK(passed(11 * kSecond - 1) == 0);
  CHECK(passed(11 * kSecond) == 1);
  CHECK(passed(13 * kSecond) == 2);
  CHECK(passed(60 * kSecond) == 5);
}

TEST_CASE("lines that are refused for what they say count as said, too") {
  Chat chat(ChatRules{});
  for (int i = 0; i < 5; ++i) {
    words::Say empty = line("");
    CHECK(chat.filter(empty, 1, 0).why == &drops::kNothingSaid);
  }
  words::Say said = line("x");
  CHECK(chat.filter(said, 1, 0).why == &drops::kChatTooFast);
}

TEST_CASE("a player who is too fast in a room's first moment is told so once") {
  Chat chat({.burst = 1});
  words::Say said = line("x");
  CHECK_FALSE(chat.filter(said, 1, 0));
  CHECK(chat.filter(said, 1, 0).tell);
  CHECK_FALSE(chat.filter(said, 1, 1).tell);
}

TEST_CASE("forgetting a player does not forget how fast the others were") {
  Chat chat({.burst = 1});
  words::Say said = line("x");
  CHECK_FALSE(chat.filter(said, 1, 0));
  CHECK(chat.filter(said, 1, 0).tell);
  chat.forget(2);
  CHECK(chat.filter(said, 1, 0).why == &drops::kChatTooFast);
  CHECK_FALSE(chat.filter(said, 1, 0).tell);
}

TEST_CASE("a line that says nothing is not told to its player; a command that is none is") {
  Chat chat({.commands = true, .burst = 100});
  words::Say blank = line("  \x07 "), none = line("kick anna", words::Say::COMMAND);
  CHECK_FALSE(chat.filter(blank, 1, 0).tell);
  CHECK(chat.filter(blank, 1, 0).why == &drops::kNothingSaid);
  CHECK(chat.filter(none, 1, 0).tell);
  CHECK(chat.filter(none, 1, 0).why == &drops::kCommandWithoutSlash);
}

TEST_CASE("an action may begin with a slash where commands pass, as it was written or not at all") {
  Chat chat({.commands = true, .most_bytes = 10, .burst = 100});
  words::Say short_one = line("/waves", words::Say::ACTION), long_one = line("/waves and waves", words::Say::ACTION),
             plain = line("waves and waves", words::Say::ACTION);
  CHECK_FALSE(chat.filter(short_one, 1, 0));
  CHECK(short_one.kind() == words::Say::ACTION);
  CHECK(chat.filter(long_one, 1, 0).why == &drops::kCommandNotExact);
  CHECK_FALSE(chat.filter(plain, 1, 0));
  CHECK(plain.text() == "waves a...");
  CHECK(plain.kind() == words::Say::ACTION);
}

TEST_CASE("a script's command is an exclamation mark and a letter, of either case") {
  Chat chat({.burst = 100});
  for (const char* text : {"!a", "!z", "!A", "!Z", "  !help"}) {
    words::Say say = line(text);
    CAPTURE(text);
    CHECK(chat.filter(say, 1, 0).why == &drops::kCommandElsewhere);
  }
  for (const char* text : {"!", "!1", "!@", "!{", "!`", "![", "a!b"}) {
    words::Say say = line(text);
    CAPTURE(text);
    CHECK_FALSE(chat.filter(say, 1, 0));
  }
  Chat own({.commands = true});
  words::Say help = line("!help");
  CHECK_FALSE(own.filter(help, 1, 0));
}

TEST_CASE(
    "a line that fills a field is sent whole, and one more byte begins another; both may be as long as the field") {
  std::vector<std::string> sent;
  const auto lines = [&](const std::string& text, CutAt cut) {
    sent.clear();
    CHECK(send_lines(words::Say::CHAT, text, 6, cut, [&](std::string_view one) { sent.emplace_back(one); }) == nullptr);
    return sent;
  };
  CHECK(lines("abcdef", CutAt::kCharacter) == std::vector<std::string>{"abcdef"});
  CHECK(lines("abcdefg", CutAt::kCharacter) == std::vector<std::string>{"abcdef", "g"});
  CHECK(lines("", CutAt::kCharacter).empty());
  CHECK(lines("abcdef/kick", CutAt::kCharacter) == std::vector<std::string>{"abcdef", "- /kic", "k"});
  CHECK(lines("abcde  /x", CutAt::kCharacter) == std::vector<std::string>{"abcde ", "-  /x"});
}

TEST_CASE("a command as long as the field is sent, and a longer one is not") {
  std::string sent;
  const auto send = [&](std::string_view text) {
    return send_lines(words::Say::COMMAND, text, 5, CutAt::kBlank, [&](std::string_view one) { sent += one; });
  };
  CHECK(send("/kick") == nullptr);
  CHECK(sent == "/kick");
  CHECK(send("/kicks") == &drops::kCommandTooLong);
  CHECK(sent == "/kick");
}

TEST_CASE("only a line that begins with the given reason is one, and then the text after the colon is the reason") {
  struct Row {
    const char *heard, *why;
  };
  for (const Row& row : {Row{"Reason given : be nice", "be nice"},
                         {" reason given: a: b", "a: b"},
                         {"reason given", "reason given"},
                         {"reason given : ", "reason given : "},
                         {"no reason given : be nice", "no reason given : be nice"},
                         {"be nice: please", "be nice: please"},
                         {"", "it is gone"}}) {
    CAPTURE(row.heard);
    LastServerLine last;
    last.heard(row.heard, kSecond);
    CHECK(last.why(kSecond, "it is gone") == row.why);
  }
}

TEST_CASE("a unit whose health is told for the first time, or that is healed, is not hit; the next loss is seen") {
  double known = 0;
  const auto told = [&](double now) {
    words::Health health;
    health.set_now(now);
    health.set_max(100);
    return line_of_hit(health, known);
  };
  CHECK(told(80).empty());
  CHECK(told(90).empty());
  CHECK(told(70) == "hit 70/100");
  CHECK(told(0).empty());
  CHECK(told(0.4).empty());  // it lives again
  CHECK(told(0.2) == "hit 0/100");
}

}  // namespace
}  // namespace entente::core::chat_test
