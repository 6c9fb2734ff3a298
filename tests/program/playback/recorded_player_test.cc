// A player of a recording is played to a server, and what the server answers differently is told.
#include "proxy/program/playback/recorded_player.h"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

#include "proxy/program/bounds.h"
#include "tests/program/asked.h"
#include "tests/program/recorded.h"
#include "tests/support/heap.h"
#include "tests/support/listening.h"

namespace entente::recorded_player_test {
namespace {

const std::string kEntente = testing::entente_binary();

template <class Word, class Set>
core::Fact fact(Set&& set) {
  Word word;
  set(word);
  return word;
}

/// What a server answers to a player 7 with the unit 70, who dies so many times.
Answers answers(int deaths, const std::string& last = "") {
  Answers heard;
  heard.hear(fact<words::You>([](auto& it) { it.set_player(7); }));
  heard.hear(fact<words::Ready>([](auto&) {}));
  heard.hear(fact<words::Unit>([](auto& it) { it.set_id(70), it.set_owner(7); }));
  heard.hear(fact<words::Spawned>([](auto& it) { it.set_unit(70); }));
  heard.hear(fact<words::Spawned>([](auto& it) { it.set_unit(90); }));  // another player's
  heard.hear(fact<words::Pose>([](auto& it) { it.set_unit(70), it.set_x(3); }));
  for (int i = 0; i < deaths; ++i) heard.hear(fact<words::Died>([](auto& it) { it.set_player(7), it.set_killer(9); }));
  if (!last.empty()) heard.hear(fact<words::Kicked>([&](auto& it) { it.set_text(last); }));
  return heard;
}

TEST_CASE("only what a server answers to the player is compared, by what it says and in its order") {
  const Answers before = answers(1);
  CHECK(before.in_order() == std::vector<std::string>{"Ready", "Unit", "Spawned", "Died"});
  CHECK(differences(before, answers(1)).empty());
  CHECK(differences(before, answers(3)) ==
        std::vector<std::string>{"answer 5: nothing more before, Died now", "Died: 1 before, 3 now"});
  CHECK(differences(before, answers(0, "be nice")) ==
        std::vector<std::string>{"answer 4: Died before, Kicked 'be nice' now", "Died: 1 before, 0 now",
                                 "Kicked 'be nice': 0 before, 1 now"});
}

TEST_CASE("what is kept of a server's answers is bounded, though each has another text") {
  const Bound* const bound = find_bound("answers");
  REQUIRE(bound != nullptr);
  const std::size_t before = testing::bytes_in_use();
  Answers heard;
  heard.hear(fact<words::You>([](auto& it) { it.set_player(7); }));
  constexpr std::size_t kSaid = 2 * Answers::kMost;
  for (std::size_t i = 0; i < kSaid; ++i)
    heard.hear(fact<words::Notice>([&](auto& it) { it.set_text(std::to_string(i) + std::string(100, '\x1b')); }));
  heard.hear(fact<words::Refused>([](auto& it) { it.set_text("full"); }));
  for (core::Id id = 1; id <= 2 * Answers::kMostUnits; ++id)
    heard.hear(fact<words::Unit>([&](auto& it) { it.set_id(id), it.set_owner(7); }));
  CHECK(testing::bytes_in_use() - before <= bound->bytes);
  CHECK(heard.in_order().size() == Answers::kMost);
  CHECK(heard.units().size() == Answers::kMostUnits);
  CHECK(heard.counts().size() == Answers::kMostTexts + 3);  // of the further ones, the names
  CHECK(heard.counts().at("Notice") == kSaid - Answers::kMostTexts);
  CHECK(heard.counts().at("Refused") == 1);
  CHECK(heard.counts().at("Unit") == 2 * Answers::kMostUnits);
}

TEST_CASE("a player whose connection ended early is not answered as in the recording, unless both were sent away") {
  PlayedBack::Player lost, stayed, kicked;
  lost.answers = stayed.answers = answers(1);
  stayed.whole = true;
  kicked.answers = answers(1, "be nice");
  CHECK(differences(answers(1), lost) == std::vector<std::string>{"did not stay until the end of the recording"});
  CHECK(differences(answers(1), stayed).empty());
  CHECK(differences(answers(1, "be nice"), kicked).empty());
  CHECK_FALSE(differences(answers(1), kicked).empty());
}

/// A player who enters, knows the world after a second, and stays for ten minutes.
std::string ten_minutes(const Folder& folder) {
  constexpr WallTime kStart = 1'700'000'000'000'000'000;
  const std::string path = folder.file("long.mcap");
  const auto to = recorder(path);
  to->opened(kStart, opening(1, "native", "json"));
  const auto tell = [&](auto word, core::Micros at, trace::WordKind kind) {
    word.at = at;
    Buffer bytes;
    core::write(word, bytes);
    to->word(kStart + at * 1000, 1, kind, bytes);
  };
  words::Enter enter;
  enter.set_name("anna");
  tell(core::Intent(enter), 0, trace::WordKind::kIntent);
  tell(core::Fact(words::Ready()), core::kSecond, trace::WordKind::kFact);
  tell(core::Fact(words::Ready()), 600 * core::kSecond, trace::WordKind::kFact);
  REQUIRE(to->close(kStart + 600 * core::kSecond * 1000).ok());
  return path;
}

TEST_CASE("wishes and answers with impossible times are not played: their player would wait for ever") {
  constexpr WallTime kStart = 1'700'000'000'000'000'000;
  const Folder folder;
  const std::string path = folder.file("late.mcap");
  const auto to = recorder(path);
  to->opened(kStart, opening(1, "native", "json"));
  const auto tell = [&](auto word, core::Micros at, trace::WordKind kind) {
    word.at = at;
    Buffer bytes;
    core::write(word, bytes);
    to->word(kStart, 1, kind, bytes);
  };
  constexpr core::Micros kNever = ~core::Micros{0};
  tell(core::Intent(words::Enter()), 0, trace::WordKind::kIntent);
  tell(core::Fact(words::Ready()), core::kSecond, trace::WordKind::kFact);
  tell(core::Fact(words::Ready()), kNever, trace::WordKind::kFact);
  tell(core::Intent(words::Say()), 2 * core::kSecond, trace::WordKind::kIntent);
  tell(core::Intent(words::Say()), kNever, trace::WordKind::kIntent);
  REQUIRE(to->close(kStart).ok());
  auto file = trace::FileSource::open(path);
  REQUIRE(file.ok());
  Progress quiet(nullptr);
  const auto player = RecordedPlayer::read(RecordedSessions::find(std::move(*file), quiet), 1);
  REQUIRE(player.ok());
  CHECK(player->wishes.size() == 2);
  CHECK(player->answers.in_order() == std::vector<std::string>{"Ready"});
}

TEST_CASE("a server that ends while a player is played to it has not answered as in the recording") {
  const Folder folder;
  Process arena(
      {kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--control", folder.file("c.sock")});
  const std::string port = std::to_string(testing::listening_port(arena, "native json"));
  Process played({kEntente, "replay", ten_minutes(folder), "--to", "native://127.0.0.1:" + port + "?dialect=json",
                  "--as", "twin"});
  REQUIRE(eventually([&] { return has(answer_of(folder.file("c.sock"), "list"), "twin"); }));
  arena.signal(SIGKILL);
  CHECK(played.wait() == 1);
  CHECK_MESSAGE(has(played.out(), "\n  did not stay until the end of the recording\n"), played.out() << played.err());
}

TEST_CASE("a session of a bridge is played to servers of its game and of another one") {
  const Folder folder;
  const std::string file = folder.file("a.mcap");
  Process arena({kEntente, "arena", "--listen", "bzflag://127.0.0.1:0?dialect=2.4", "--listen",
                 "native://127.0.0.1:0?dialect=json", "--control", folder.file("c.sock")});
  const auto first = arena.line(), second = arena.line();
  REQUIRE_MESSAGE(second, arena.err());
  const auto port = [](const std::string& line) { return line.substr(line.rfind(':') + 1); };
  const bool in_order = has(*first, "bzflag");
  const std::string bzflag = "bzflag://127.0.0.1:" + port(in_order ? *first : *second) + "?dialect=2.4";
  const std::string native = "native://127.0.0.1:" + port(in_order ? *second : *first) + "?dialect=json";
  {
    Process bridge(
        {kEntente, "proxy", "--listen", "native://127.0.0.1:0?dialect=json", "--to", bzflag, "--record", file});
    const auto line = bridge.line();
    REQUIRE_MESSAGE(line, bridge.err());
    const BotEnded bot = run_bot("native://127.0.0.1:" + port(*line) + "?dialect=json");
    REQUIRE_MESSAGE(bot.code == 0, bot.err);
    bridge.signal(SIGTERM);
    CHECK(bridge.wait() == 0);
  }
  for (const std::string& to : {bzflag, native}) {
    CAPTURE(to);
    const Ended played = run({kEntente, "replay", file, "--to", to, "--as", "twin", "--count", "2"});
    CAPTURE(played.out);
    CAPTURE(played.err);
    CHECK(played.out.starts_with("said "));
    CHECK_FALSE(has(played.out, "could not join"));
    CHECK((played.code == 0) == has(played.out, "the server answered as in the recording\n"));
    CHECK(has(played.err, "as twin"));
    const std::string stats = answer_of(folder.file("c.sock"), "stats");
    CHECK_MESSAGE(has(stats, "twin-1"), stats);
  }
  // A server that is not there answers nothing.
  const Ended none = run({kEntente, "replay", file, "--to", "native://127.0.0.1:9?dialect=json", "--as", "twin"});
  CHECK(none.code == 1);
  CHECK(has(none.out, "player 1 could not join: 127.0.0.1:9 cannot be reached\n"));
  CHECK(has(none.out, "0 of 1 players were answered as in the recording\n"));
}

TEST_CASE("replay goes to clients or to a server, not both") {
  const Ended neither = run({kEntente, "replay", "a.mcap"});
  CHECK(neither.code == 2);
  CHECK(has(neither.err, "--listen is required (or --to, to play to a server)"));
  const Ended both =
      run({kEntente, "replay", "a.mcap", "--listen", "native://127.0.0.1:0", "--to", "native://127.0.0.1:1"});
  CHECK(both.code == 2);
  CHECK(has(both.err, "--to does not go with --listen"));
  for (const std::vector<std::string>& more : std::initializer_list<std::vector<std::string>>{
           {"--at", "1:15"}, {"--speed", "2"}, {"--paused"}, {"--loop"}, {"--shared"}}) {
    std::vector<std::string> command = {kEntente, "replay", "a.mcap", "--to", "native://127.0.0.1:1"};
    command.insert(command.end(), more.begin(), more.end());
    const Ended refused = run(command);
    CHECK(refused.code == 2);
    CHECK_MESSAGE(has(refused.err, "--to does not go with " + more.front()), refused.err);
  }
  CHECK(run({kEntente, "replay", "a.mcap", "--listen", "native://127.0.0.1:0", "--as", "x"}).code == 2);
}

}  // namespace
}  // namespace entente::recorded_player_test
