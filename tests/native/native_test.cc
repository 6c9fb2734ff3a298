// The native protocol: words on the wire, and its front and back.
#include "adapters/native/native.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "adapters/native/codec.h"
#include "adapters/native/faces.h"
#include "adapters/native/sent_numbers.h"
#include "tests/support/hex.h"
#include "tests/support/pattern.h"
#include "tests/support/stage.h"

namespace entente::native::native_test {
namespace {

using core::Fact;
using core::Intent;
using testing::BackStage;
using testing::FrontStage;
using wire::Way;

constexpr std::size_t kProtobuf = 0, kJson = 1;

FrontStage front(std::size_t dialect) { return FrontStage(make_front({dialect, {}}), game(), dialect, Way::kToClient); }
BackStage back(std::size_t dialect) { return BackStage(make_back({dialect, {}}), game(), dialect, Way::kToServer); }

template <class Word>
Buffer framed(std::size_t dialect, const Word& word) {
  typename Word::Schema message;
  to_message(word, message);
  Buffer out;
  Envelope{static_cast<Dialect>(dialect), true}.wrap(
      out, [&](Buffer& to) { spell(static_cast<Dialect>(dialect), message, to); });
  return out;
}

Intent enter(const char* name) {
  words::Enter word;
  word.set_name(name);
  return word;
}

Fact you(core::Id player) {
  words::You word;
  word.set_player(player);
  return word;
}

Fact pose(core::Id unit, double x) {
  words::Pose word;
  word.set_unit(unit);
  word.set_x(x);
  return word;
}

TEST_CASE("a client's words reach the room, whole or in pieces") {
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    auto stage = front(dialect);
    stage.opens();
    CHECK(stage.receives(framed(dialect, enter("anna"))) == "says Enter name: \"anna\"\n");
    CHECK(stage.receives_slowly(framed(dialect, enter("ben"))) == "says Enter name: \"ben\"\n");
    Buffer two = framed(dialect, enter("a"));
    append(two, framed(dialect, Intent(words::Spawn())));
    CHECK(stage.receives(two) == "says Enter name: \"a\"\nsays Spawn\n");
  }
}

TEST_CASE("facts reach the client") {
  auto stage = front(kProtobuf);
  stage.opens();
  CHECK(stage.hears(you(1)) == "sends You at_us=0 cause=0 audience=0 to=0 you={player=1 contract=1 newest=2}\n");
}

TEST_CASE("a line of JSON may be written by hand, in any spelling") {
  auto stage = front(kJson);
  stage.opens();
  CHECK(stage.receives(as_bytes("{ \"toward\": {\"x\": 3.5, \"newer_field\": 1} }\n")) == "says Toward x: 3.5\n");
  CHECK(stage.receives(as_bytes("{\"say\":{\"text\":\"hi\\nyou\"}}\r\n")) == "says Say text: \"hi\\nyou\"\n");
}

TEST_CASE("an unknown kind of a later schema is dropped, and the next message is read") {
  auto in_json = front(kJson);
  in_json.opens();
  CHECK(in_json.receives(as_bytes("{\"dance\":{\"high\":true}}\n{\"spawn\":{}}\n")) ==
        "loses a message: a kind of intent that this version does not know\nsays Spawn\n");
  auto in_protobuf = front(kProtobuf);
  in_protobuf.opens();
  Buffer both = from_hex("00000003 c23e00");  // field 1000
  append(both, framed(kProtobuf, Intent(words::Spawn())));
  CHECK(in_protobuf.receives(both) ==
        "loses a message: a kind of intent that this version does not know\nsays Spawn\n");
}

TEST_CASE("a client's invalid message is refused with its position, and ends the session") {
  const auto by = [](std::size_t dialect, Bytes bytes) {
    auto stage = front(dialect);
    stage.opens();
    return stage.receives(bytes);
  };
  const auto told = [](const std::string& why, const std::string& fault) {
    return "sends Refused at_us=0 cause=0 audience=1 to=1 refused={code=0 text=\"" + why +
           "\" may_retry=0}\nfails: " + fault + "\n";
  };
  const std::string in_json = "not a message of the schema in JSON ";
  CHECK(by(kJson, as_bytes("{\"enter\":\n")) ==
        told("message 1: expected a value at byte 9, the end", in_json + "word 9"));
  CHECK(by(kJson, as_bytes("{\"spawn\":{}}\n{\"enter\":{\"name\" \"anna\"}}\n")) ==
        "says Spawn\n" + told("message 2: expected ':' at byte 17, before: \\\"anna\\\"}}", in_json + "word 17"));
  CHECK(by(kJson, as_bytes("{\"toward\":{\"x\":\"abc\"}}\n")) ==
        told("message 1: Toward.x: expected a number at byte 15, before: \\\"abc\\\"}}", in_json + "Toward.x 15"));
  CHECK(by(kJson, as_bytes("{\"spawn\":{},\"leave\":{}}\n")) ==
        told("message 1: Intent.leave: a second value where only one may be at byte 20, before: {}}",
             in_json + "Intent.leave 20"));
  CHECK(by(kJson, as_bytes("{\"say\":{\"text\":\"\xff\"}}\n")) ==
        told("message 1: expected UTF-8 at byte 16, before: \\xef\\xbf\\xbd\\\"}}", in_json + "word 16"));
  CHECK(by(kProtobuf, as_bytes(std::string_view("\0\0\0\2\xff\xff", 6))) ==
        told("message 1: not a message Intent of schema/game.proto at byte 0", "not a message of the schema word 4"));
  CHECK(by(kProtobuf, from_hex("00000008 820305 2203 61ff62")) ==
        told("message 1: Say.text: expected UTF-8 at byte 6", "text that is not UTF-8 Say.text 10"));
  CHECK(by(kProtobuf, as_bytes(std::string_view("\x7f\0\0\0", 4))) == "cannot be cut: oversize frame length\n");
  CHECK(by(kJson, Buffer(kLargestIntent + 1, 'x')) == "cannot be cut: oversize frame line\n");
}

TEST_CASE("an unknown name of an enum value is a fault; a number or an unknown field is not") {
  const auto by = [](const std::string& line) {
    auto stage = front(kJson);
    stage.opens();
    return stage.receives(as_bytes(line + "\n"));
  };
  CHECK(by(R"({"enter":{"name":"a","role":"WATCH"}})") == "says Enter name: \"a\" role: WATCH\n");
  CHECK(by(R"({"enter":{"name":"a","role":1}})") == "says Enter name: \"a\" role: WATCH\n");
  CHECK(by(R"({"enter":{"name":"a","role":"1","newer":"PLY"}})") == "says Enter name: \"a\" role: WATCH\n");
  for (const char* line : {R"({"enter":{"name":"a","role":"PLY"}})", R"({"enter":{"role":"PLY","newer":1}})"}) {
    const std::string said = by(line);
    CHECK(said.find("text=\"message 1: Enter.role: 'PLY' is not a Role; it is one of PLAY, WATCH, ROBOT\"") !=
          std::string::npos);
    CHECK(said.ends_with("fails: unknown name of an enum value Enter.role " +
                         std::to_string(std::string_view(line).find("\"PLY\"")) + "\n"));
  }
  CHECK(by(R"({"watch":{"mode":"FOLLOW"}})").ends_with("fails: unknown name of an enum value Watch.mode 17\n"));
  CHECK(by(R"({"hitClaim":{"victim":2,"part":"TOE"}})").ends_with("HitClaim.part 31\n"));
}

TEST_CASE("an unknown enum value from a server of a later schema is left out") {
  auto stage = back(kJson);
  stage.opens();
  CHECK(stage.receives(as_bytes("{\"you\":{\"player\":1}}\n{\"player\":{\"id\":1,\"role\":\"JUDGE\"}}\n"))
            .ends_with("says Player id: 1\n"));
}

TEST_CASE("a client with the largest map waiting is not disconnected") {
  for (const wire::Game* one : {&game(), game().over_web()}) CHECK(one->largest_burst() >= one->largest_frame());
}

TEST_CASE("a slow client misses poses but no shots; its session disconnects a client that never reads") {
  auto stage = front(kProtobuf);
  stage.opens();
  stage.set_waiting(300 * 1024);
  CHECK(stage.hears(pose(7, 1)) == "loses Pose: the client reads too slowly\n");
  CHECK(stage.hears(words::Shot()).starts_with("sends Shot"));
  CHECK(stage.hears(words::Ready()).starts_with("sends Ready"));
  stage.set_waiting(5 * 1024 * 1024);
  CHECK(stage.hears(words::Ready()).starts_with("sends Ready"));
}

TEST_CASE("a back gives up on a server that says nothing at all") {
  auto stage = back(kJson);
  stage.hears(enter("anna"));
  stage.opens();
  CHECK(stage.waits(89 * core::kSecond) == "");
  CHECK(stage.waits(2 * core::kSecond) ==
        "says Refused code: SERVER_GONE text: \"the server does not answer\"\ncloses: the server does not answer\n");
}

TEST_CASE("a client that waits for the world is told every 5 s to wait on, until the world is complete") {
  auto stage = front(kProtobuf);
  stage.opens();
  CHECK(stage.waits(20 * core::kSecond) == "");
  stage.receives(framed(kProtobuf, enter("anna")));
  CHECK(stage.waits(4 * core::kSecond) == "");
  for (int i = 0; i < 20; ++i) {
    const std::string said = stage.waits(5 * core::kSecond);
    CHECK(said.starts_with("sends WorldProgress "));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  }
  stage.hears(words::Ready());
  CHECK(stage.waits(60 * core::kSecond) == "");
}

TEST_CASE("a client that wants only the world is told to wait on, too, however often it asks") {
  auto stage = front(kProtobuf);
  stage.opens();
  const Buffer wish = framed(kProtobuf, Intent(words::WantWorld()));
  CHECK(stage.receives(wish) == "says WantWorld\n");
  for (int i = 0; i < 20; ++i) {
    std::string said = stage.waits(3 * core::kSecond);
    stage.receives(wish);
    said += stage.waits(2 * core::kSecond);
    CHECK(said.starts_with("sends WorldProgress "));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  }
  stage.hears(words::Ready());
  stage.receives(wish);
  CHECK(stage.waits(60 * core::kSecond) == "");
}

/// A back to which the server has said who its player is.
BackStage greeted_back(std::size_t dialect) {
  auto stage = back(dialect);
  stage.opens();
  stage.receives(framed(dialect, you(40)));
  return stage;
}

TEST_CASE("a fact that is too long for its kind ends the session") {
  words::Board board;
  for (int i = 0; i < 500'000; ++i) board.add_rows();
  words::Said said;
  said.set_text(std::string(1024 * 1024, 'x'));
  words::Timeline moments;
  for (int i = 0; i < 300'000; ++i) moments.add_moments();
  words::World solids;
  for (int i = 0; i < 300'000; ++i) solids.add_solids();
  CHECK(greeted_back(kProtobuf).receives(framed(kProtobuf, Fact(board))) ==
        "fails: too long for its kind Fact.board 4\n");
  CHECK(
      greeted_back(kJson).receives(framed(kJson, Fact(board))).starts_with("fails: too long for its kind Fact.board "));
  CHECK(greeted_back(kJson).receives(framed(kJson, Fact(said))).starts_with("fails: too long for its kind Fact.said "));
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    CAPTURE(dialect);
    const std::string many = "fails: too many messages inside it ";
    CHECK(greeted_back(dialect).receives(framed(dialect, Fact(moments))).starts_with(many + "Timeline.moments "));
    CHECK(greeted_back(dialect).receives(framed(dialect, Fact(solids))).starts_with(many + "World.solids "));
  }
}

TEST_CASE("a map of many solids and a timeline are read, however long they are") {
  words::World map;
  map.set_hash("many solids");
  for (int i = 0; i < 20'000; ++i) map.add_solids()->set_x(i);
  words::Timeline moments;
  for (int i = 0; i < 20'000; ++i) moments.add_moments()->set_us(1'000'000'000'000);
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    CAPTURE(dialect);
    auto stage = greeted_back(dialect);
    CHECK(stage.receives(framed(dialect, Fact(map))).starts_with("says World hash: \"many solids\" solids "));
    CHECK(stage.receives(framed(dialect, Fact(moments))).starts_with("says Timeline moments "));
  }
}

TEST_CASE("what a server says is cut to what a room keeps, and that is counted") {
  const std::string lost = "loses a message: the end of a text that is too long\n";
  words::Player player;
  player.set_id(40);
  player.set_name(std::string(60'000, 'n'));
  words::Rule rule;
  rule.set_name("motd");
  rule.set_value(std::string(60'000, 'v'));
  words::Board board;
  for (int i = 0; i < 200; ++i) {
    board.add_rows()->set_name(std::string(100, 'r'));
    board.add_slices(1);
    board.add_lines("l");
  }
  words::Board fits;
  for (int i = 0; i < 100; ++i) fits.add_rows()->set_name(std::string(64, 'r'));
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    CAPTURE(dialect);
    auto stage = greeted_back(dialect);
    CHECK(stage.receives(framed(dialect, Fact(player))) ==
          lost + "says Player id: 1 name: \"" + std::string(61, 'n') + "...\"\n");
    CHECK(stage.receives(framed(dialect, Fact(rule))) ==
          lost + "says Rule name: \"motd\" value: \"" + std::string(4093, 'v') + "...\"\n");
    const std::string said = stage.receives(framed(dialect, Fact(board)));
    CHECK(testing::all_matches(said, "loses Board: more rows than a board can have\n").size() == 3);
    CHECK(testing::all_matches(said, "slices: 1").size() == 100);
    CHECK(testing::all_matches(said, "lines: ").size() == 100);
    CHECK(testing::all_matches(said, "name: \"r{61}\\.\\.\\.\"").size() == 100);
    CHECK(stage.receives(framed(dialect, Fact(fits))).starts_with("says Board rows "));
  }
}

TEST_CASE("a map to which its server gives no hash gets one") {
  auto stage = greeted_back(kProtobuf);
  words::World map;
  map.set_east(5);
  const std::string said = stage.receives(framed(kProtobuf, Fact(map)));
  CHECK(said.starts_with("says World hash: \"bytes-"));
  map.set_hash("its own");
  CHECK(stage.receives(framed(kProtobuf, Fact(map))) == "says World hash: \"its own\" east: 5\n");
}

TEST_CASE("a client that was refused and may retry is told why its session ends later") {
  words::Refused refused;
  refused.set_code(words::Refused::FULL);
  for (const bool may_retry : {true, false}) {
    CAPTURE(may_retry);
    refused.set_may_retry(may_retry);
    auto stage = front(kJson);
    stage.opens();
    stage.receives(framed(kJson, enter("anna")));
    CHECK(stage.hears(refused).starts_with("sends Refused "));
    CHECK(stage.waits(20 * core::kSecond) == "");
    const std::string said = stage.session_ends("the time is over");
    CHECK((said.find("kicked={text=\"the time is over\"") != std::string::npos) == may_retry);
    CHECK(said.ends_with("closes: the time is over\n"));
  }
}

TEST_CASE("a client that was refused for now, and whose session ends at once, is told only that it may retry") {
  words::Refused refused;
  refused.set_code(words::Refused::FULL);
  refused.set_may_retry(true);
  auto stage = front(kJson);
  stage.opens();
  stage.receives(framed(kJson, enter("anna")));
  stage.hears(refused);
  CHECK(stage.session_ends("the server is full") == "closes: the server is full\n");
}

TEST_CASE("a back whose server refuses its player for now reports when that server leaves") {
  words::Refused refused;
  refused.set_code(words::Refused::FULL);
  for (const bool may_retry : {true, false}) {
    CAPTURE(may_retry);
    refused.set_may_retry(may_retry);
    auto stage = back(kProtobuf);
    stage.opens();
    stage.receives(framed(kProtobuf, you(40)));
    CHECK(stage.receives(framed(kProtobuf, Fact(refused))).starts_with("says Refused "));
    CHECK(stage.ends("the server left") ==
          (may_retry ? "says Refused code: SERVER_GONE text: \"the server left\"\n" : ""));
  }
}

TEST_CASE("a back waits on while its server says that it waits itself") {
  auto stage = back(kProtobuf);
  stage.hears(enter("anna"));
  stage.opens();
  for (int i = 0; i < 5; ++i) {
    CHECK(stage.waits(89 * core::kSecond) == "");
    CHECK(stage.receives(framed(kProtobuf, Fact(words::WorldProgress()))) == "says WorldProgress\n");
  }
  CHECK(stage.waits(89 * core::kSecond) == "");
  CHECK(stage.waits(2 * core::kSecond).starts_with("says Refused code: SERVER_GONE "));
}

TEST_CASE("a back waits for the server's first word, and translates the ids of both sides") {
  auto stage = back(kProtobuf);
  CHECK(stage.hears(enter("anna")) == "");
  stage.opens();
  CHECK(stage.receives(framed(kProtobuf, you(40))).starts_with("sends Enter at_us=0 by=40 "));
  words::Unit unit;
  unit.set_id(41);
  unit.set_owner(40);
  unit.mutable_pose()->set_unit(41);
  CHECK(stage.receives(framed(kProtobuf, Fact(unit))) == "says Unit id: 101 owner: 1 pose { unit: 101 }\n");
  CHECK(stage.receives_slowly(framed(kProtobuf, pose(41, 2))) == "says Pose unit: 101 x: 2\n");
  words::Select select;
  select.set_unit(101);
  CHECK(stage.hears(select).find("select={unit=41}") != std::string::npos);
  words::Select unknown;
  unknown.set_unit(555);
  CHECK(stage.hears(unknown).find("select={unit=0}") != std::string::npos);
  Fact told(40, words::Ready());
  CHECK(stage.receives(framed(kProtobuf, told)) == "says Ready (to 1)\n");
}

TEST_CASE("a server answers by its own count of the intents, and the player is told its own") {
  const auto numbered = [](Intent intent, std::uint32_t number) {
    intent.number = number;
    return intent;
  };
  const auto answer = [](std::uint32_t cause, core::Id to) {
    Fact fact(to, words::ClaimRefused());
    fact.cause = cause;
    return framed(kProtobuf, fact);
  };
  auto stage = back(kProtobuf);
  stage.hears(numbered(enter("anna"), 2));
  stage.opens();
  stage.receives(framed(kProtobuf, you(40)));
  stage.hears(numbered(words::Spawn(), 0));  // by the room
  stage.hears(numbered(words::Spawn(), 5));
  CHECK(stage.receives(answer(1, 40)) == "says ClaimRefused (to 1) (answers intent 2)\n");
  CHECK(stage.receives(answer(3, 40)) == "says ClaimRefused (to 1) (answers intent 5)\n");
  for (const std::uint32_t unknown : {0U, 2U, 4U, 4'000'000'000U})
    CHECK(stage.receives(answer(unknown, 40)) == "says ClaimRefused (to 1)\n");
  Fact to_all{words::ClaimRefused()};
  to_all.cause = 3;
  CHECK(stage.receives(framed(kProtobuf, to_all)) == "says ClaimRefused\n");
}

TEST_CASE("the numbers of sent intents are known by runs, of which the last ones are kept") {
  SentNumbers sent;
  CHECK(sent.here(1) == 0);
  for (std::uint32_t number = 1; number <= 100'000; ++number) sent.add(number);  // one run
  CHECK(sent.here(1) == 1);
  CHECK(sent.here(100'000) == 100'000);
  CHECK(sent.here(100'001) == 0);
  for (int i = 0; i < 3; ++i) sent.add(0);
  sent.add(100'007);
  for (const std::uint32_t there : {100'001U, 100'003U}) CHECK(sent.here(there) == 0);
  CHECK(sent.here(100'004) == 100'007);
  sent.clear();
  CHECK(sent.here(1) == 0);
  constexpr std::uint32_t kMost = SentNumbers::kMostRuns;
  for (std::uint32_t there = 1; there <= kMost + 1; ++there) sent.add(2 * there);
  CHECK(sent.here(1) == 0);
  CHECK(sent.here(2) == 4);
  CHECK(sent.here(kMost + 1) == 2 * kMost + 2);
}

TEST_CASE("only clients that ask for version 2 get its words and may send them") {
  words::Playback wish;
  wish.set_by_s(-10);
  words::Timeline timeline;
  timeline.add_moments()->set_us(5);
  for (const std::size_t dialect : {kProtobuf, kJson}) {
    for (const std::uint32_t asked : {0U, 1U, 2U, 9U}) {
      CAPTURE(asked);
      auto stage = front(dialect);
      stage.opens();
      words::Enter word;
      word.set_name("anna");
      word.set_contract(asked);
      stage.receives(framed(dialect, Intent(word)));
      const std::string said = stage.receives(framed(dialect, Intent(wish))), heard = stage.hears(Fact(timeline));
      if (asked < 2) {
        CHECK(said == "loses Playback: the client has not asked for version 2 of native\n");
        CHECK(heard.empty());
      } else {
        CHECK(said == "says Playback by_s: -10\n");
        CHECK(heard.find("us=5") != std::string::npos);
      }
    }
  }
}

TEST_CASE("a server of a later version is refused with the reason") {
  words::You later;
  later.set_player(1);
  later.set_contract(kContract + 1);
  auto stage = back(kProtobuf);
  stage.opens();
  CHECK(stage.receives(framed(kProtobuf, Fact(later))) ==
        "says Refused code: WRONG_VERSION text: \"the server speaks version 3 of native; Entente supports 2\"\n"
        "closes: the server speaks version 3 of native; Entente supports 2\n");
}

TEST_CASE("an id that is used again after Gone is another unit") {
  auto stage = back(kProtobuf);
  stage.opens();
  stage.receives(framed(kProtobuf, you(1)));
  CHECK(stage.receives(framed(kProtobuf, pose(9, 0))) == "says Pose unit: 101\n");
  words::Gone gone;
  gone.set_unit(9);
  CHECK(stage.receives(framed(kProtobuf, Fact(gone))) == "says Gone unit: 101\n");
  CHECK(stage.receives(framed(kProtobuf, pose(9, 0))) == "says Pose unit: 102\n");
}

TEST_CASE("two native hops in a row change only ids") {
  auto first = front(kJson);
  first.opens();
  auto second = back(kProtobuf);
  second.opens();
  second.receives(framed(kProtobuf, you(1)));
  words::Fire fire;
  fire.set_shot(3);
  fire.set_vx(0.1);
  fire.set_life(3.5);
  REQUIRE(first.receives(framed(kJson, Intent(fire))) == "says Fire shot: 3 vx: 0.1 life: 3.5\n");
  CHECK(second.hears(fire).find(" shot=3 ") != std::string::npos);
}

}  // namespace
}  // namespace entente::native::native_test
