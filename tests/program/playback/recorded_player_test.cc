// A player of a recording is played to a server, and what the server answers differently is told.
#include "proxy/program/playback/recorded_player.h"

#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "adapters/native/native.h"
#include "proxy/program/bounds.h"
#include "schema/snapshot.pb.h"
#include "tests/program/asked.h"
#include "tests/program/recorded.h"
#include "tests/support/heap.h"
#include "tests/support/listening.h"
#include "tests/support/stage.h"

namespace entente::recorded_player_test {
namespace {

const std::string kEntente = testing::entente_binary();

template <class Word, class Set>
core::Fact fact(Set&& set) {
  Word word;
  set(word);
  return word;
}

/// What a server answers to a player 7 with the unit 70, who dies so many times. A recording has no You.
Answers answers(int deaths, const std::string& last = "", bool recorded = false) {
  Answers heard;
  if (recorded)
    heard.set_me(7);
  else
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
  const Answers before = answers(1, "", true);
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
  const Answers before = answers(1, "", true);
  CHECK(differences(before, lost) == std::vector<std::string>{"did not stay until the end of the recording"});
  CHECK(differences(before, stayed).empty());
  CHECK(differences(answers(1, "be nice", true), kicked).empty());
  CHECK_FALSE(differences(before, kicked).empty());
}

constexpr WallTime kStart = 1'700'000'000'000'000'000;

/// A recording of link 1.
class Tape {
 public:
  explicit Tape(std::string path) : path_(std::move(path)), to_(recorder(path_)) {
    to_->opened(kStart, opening(1, "native", "json"));
  }

  /// Player 7 wishes it.
  void wish(core::Intent word, core::Micros at) {
    word.by = 7;
    write(std::move(word), at, trace::WordKind::kIntent);
  }
  void tell(core::Fact word, core::Micros at) { write(std::move(word), at, trace::WordKind::kFact); }
  void world(std::initializer_list<core::Fact> facts, core::Micros at) {
    trace::Snapshot snapshot;
    snapshot.set_link(1);
    snapshot.set_at_us(at);
    for (const core::Fact& fact : facts) core::to_message(fact, *snapshot.add_facts());
    to_->world(kStart + at * 1000, snapshot);
  }
  std::string close(core::Micros at) {
    REQUIRE(to_->close(kStart + at * 1000).ok());
    return path_;
  }

 private:
  template <class Word>
  void write(Word word, core::Micros at, trace::WordKind kind) {
    word.at = at;
    Buffer bytes;
    core::write(word, bytes);
    to_->word(at < core::kSecond * 10'000 ? kStart + at * 1000 : kStart, 1, kind, bytes);
  }

  const std::string path_;
  const std::unique_ptr<trace::Recorder> to_;
};

Outcome<RecordedPlayer> player_in(const std::string& path) {
  auto file = trace::FileSource::open(path);
  REQUIRE(file.ok());
  Progress quiet(nullptr);
  return RecordedPlayer::read(RecordedSessions::find(std::move(*file), quiet), 1);
}

words::Enter enter(words::Role role = words::PLAY, const char* motto = "") {
  words::Enter word;
  word.set_name("anna");
  word.set_role(role);
  word.set_motto(motto);
  return word;
}

words::Player player_7(words::Role role = words::PLAY) {
  words::Player word;
  word.set_id(7);
  word.set_name("anna");
  word.set_role(role);
  word.set_team(words::RED);
  return word;
}

/// A player who enters, knows the world after a second, and stays for ten minutes.
std::string ten_minutes(const Folder& folder) {
  Tape tape(folder.file("long.mcap"));
  tape.wish(enter(), 0);
  tape.tell(words::Ready(), core::kSecond);
  tape.tell(words::Ready(), 600 * core::kSecond);
  return tape.close(600 * core::kSecond);
}

TEST_CASE("wishes and answers with impossible times are not played: their player would wait for ever") {
  const Folder folder;
  Tape tape(folder.file("late.mcap"));
  constexpr core::Micros kNever = ~core::Micros{0};
  tape.wish(words::Enter(), 0);
  tape.tell(words::Ready(), core::kSecond);
  tape.tell(words::Ready(), kNever);
  tape.wish(words::Say(), 2 * core::kSecond);
  tape.wish(words::Say(), kNever);
  const auto player = player_in(tape.close(2 * core::kSecond));
  REQUIRE(player.ok());
  CHECK(player->wishes.size() == 2);
  CHECK(player->answers.in_order() == std::vector<std::string>{"Ready"});
}

const auto unit_70 = [](auto& it) { it.set_id(70), it.set_owner(7); };

TEST_CASE("the recorded player is known by its wishes, before its first answer") {
  const Folder folder;
  Tape tape(folder.file("a.mcap"));
  tape.tell(player_7(), 0);
  tape.tell(fact<words::Unit>(unit_70), 0);
  tape.tell(fact<words::Spawned>([](auto& it) { it.set_unit(70); }), core::kSecond);
  tape.tell(fact<words::Spawned>([](auto& it) { it.set_unit(90); }), core::kSecond);
  tape.wish(words::Say(), 2 * core::kSecond);
  const auto player = player_in(tape.close(2 * core::kSecond));
  REQUIRE(player.ok());
  CHECK(player->answers.me() == 7);
  CHECK(player->answers.in_order() == std::vector<std::string>{"Player", "Unit", "Spawned"});
  CHECK(player->answers.units_ever() == std::vector<core::Id>{70});
}

TEST_CASE("after a rotation, the recorded player and its units are known by the world that the file begins with") {
  const Folder folder;
  Tape tape(folder.file("a.mcap"));
  tape.world({player_7(words::WATCH), fact<words::Unit>(unit_70), words::Ready()}, 100 * core::kSecond);
  tape.tell(fact<words::Spawned>([](auto& it) { it.set_unit(70); }), 101 * core::kSecond);
  tape.wish(words::Say(), 102 * core::kSecond);
  tape.wish(enter(), 103 * core::kSecond);
  const auto player = player_in(tape.close(104 * core::kSecond));
  REQUIRE(player.ok());
  CHECK(player->answers.me() == 7);
  CHECK(player->answers.in_order() == std::vector<std::string>{"Spawned"});  // a description is no answer
  CHECK(player->answers.units_ever() == std::vector<core::Id>{70});
  CHECK(player->was_in);
  PlayedBack results;
  testing::FrontStage stage(std::make_unique<PlayingBack>(*player, results, 0, "twin"), native::game(), 0,
                            wire::Way::kToClient);
  CHECK(stage.opens() == "says Enter name: \"twin\" team: RED role: WATCH\n");
}

/// What wishes say, played by a front.
struct Played {
  explicit Played(std::vector<RecordedPlayer::Wish> wishes, std::optional<core::Micros> ready = std::nullopt) {
    recorded.wishes = std::move(wishes);
    recorded.last = recorded.wishes.back().at;
    recorded.ready = ready;
    stage = std::make_unique<testing::FrontStage>(std::make_unique<PlayingBack>(recorded, results, 0, "twin"),
                                                  native::game(), 0, wire::Way::kToClient);
  }
  RecordedPlayer recorded;
  PlayedBack results;
  std::unique_ptr<testing::FrontStage> stage;
};

constexpr const char* kEnters = "says Enter name: \"twin\" role: WATCH motto: \"I watch\"\n";

TEST_CASE("a recorded player enters once, as it did, even if it wished for the world first") {
  Played played({{0, words::WantWorld()}, {800'000, enter(words::WATCH, "I watch")}});
  CHECK(played.stage->opens() == "says WantWorld\n");
  CHECK(played.stage->waits(core::kSecond) == kEnters);
}

TEST_CASE("a recorded player who knew the world before it entered does not wait for the world to enter") {
  Played played({{0, words::WantWorld()}, {2'000'000, enter(words::WATCH, "I watch")}, {3'000'000, words::Say()}},
                1'000'000);
  CHECK(played.stage->opens() == "says WantWorld\n");
  CHECK(played.stage->waits(60 * core::kSecond) == kEnters);
  CHECK(played.stage->hears(words::Ready()).empty());
  CHECK(played.stage->waits(2 * core::kSecond) == "says Say\n");
}

TEST_CASE("a recorded player who wishes for no entry enters first") {
  Played played({{0, words::Say()}});
  CHECK(played.stage->opens() == "says Enter name: \"twin\"\nsays Say\n");
}

TEST_CASE("a refusal that the recorded player survived does not end the playing") {
  Played played({{0, enter()}, {2 * core::kSecond, enter()}, {3 * core::kSecond, words::Say()}});
  words::Refused refused;
  refused.set_text("not so fast");
  CHECK(played.stage->opens() == "says Enter name: \"twin\"\n");
  refused.set_may_retry(true);
  CHECK(played.stage->hears(refused).empty());
  CHECK(played.stage->waits(2 * core::kSecond) == "says Enter name: \"twin\"\n");
  CHECK(played.stage->waits(2 * core::kSecond) == "says Say\n");
  CHECK(played.stage->waits(20 * core::kSecond) == "closes: the recording has ended\n");
  played.stage.reset();
  REQUIRE(played.results.players().size() == 1);
  CHECK(played.results.players().front().whole);

  Played last({{0, enter()}, {2 * core::kSecond, words::Say()}});  // it never tried again
  last.stage->opens();
  CHECK(last.stage->hears(refused) == "closes: not so fast\n");
  Played refused_once({{0, enter()}, {2 * core::kSecond, enter()}});
  refused_once.stage->opens();
  refused.set_may_retry(false);
  CHECK(refused_once.stage->hears(refused) == "closes: not so fast\n");
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
  const auto recorded = player_in(file);
  REQUIRE(recorded.ok());
  CHECK(recorded->answers.me() != 0);
  CHECK_FALSE(recorded->answers.units_ever().empty());
  for (const std::string& to : {bzflag, native}) {
    CAPTURE(to);
    const Ended played = run({kEntente, "replay", file, "--to", to, "--as", "twin", "--count", "2"});
    CAPTURE(played.out);
    CAPTURE(played.err);
    CHECK(played.out.starts_with("said "));
    std::uint64_t said = 0;
    std::istringstream(played.out.substr(5)) >> said;
    CHECK_MESSAGE(said > recorded->wishes.size(), "of both players, less than half of the wishes was said");
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

TEST_CASE("what an idle bot did is answered by a new arena as by the recorded one") {
  const Folder folder;
  const std::string file = folder.file("a.mcap");
  const std::vector<std::string> arena = {kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json"};
  const auto url = [](Process& of) {
    return "native://127.0.0.1:" + std::to_string(testing::listening_port(of, "native json")) + "?dialect=json";
  };
  {
    Process first(arena);
    Process relay(
        {kEntente, "proxy", "--listen", "native://127.0.0.1:0?dialect=json", "--to", url(first), "--record", file});
    const auto line = relay.line();
    REQUIRE_MESSAGE(line, relay.err());
    const Ended bot =
        run({kEntente, "bot", "native://127.0.0.1:" + line->substr(line->rfind(':') + 1) + "?dialect=json",
             "--behaviour", "idle", "--seconds", "5"});
    REQUIRE_MESSAGE(bot.code == 0, bot.err);
    relay.signal(SIGTERM);
    CHECK(relay.wait() == 0);
  }
  Process second(arena);
  const Ended played = run({kEntente, "replay", file, "--to", url(second)});
  CHECK_MESSAGE(played.code == 0, played.out << played.err);
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
