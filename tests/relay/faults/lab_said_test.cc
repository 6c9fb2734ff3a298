// A lab that does something to messages by what they say, in all games.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/aos/aos.h"
#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzflag/bzflag.h"
#include "adapters/native/native.h"
#include "adapters/ogar/ogar.h"
#include "adapters/panic/panic.h"
#include "adapters/wire/invent.h"
#include "proxy/net/web/websocket.h"
#include "proxy/relay/faults/session_lab.h"
#include "tests/relay/running.h"

namespace entente::testing::lab_said_test {
namespace {

using relay::LabFault, relay::LabLine, relay::LabPlan, relay::LabReader, relay::LabSaid, relay::LabUnit, relay::lab_tag;
using wire::Lane, wire::Stage, wire::Way;

Outcome<std::vector<std::string>> same_name(std::string_view name) {
  return std::vector<std::string>{std::string(name)};
}

std::shared_ptr<const LabPlan> plan(std::string_view text) {
  auto made = LabPlan::parse(text, same_name);
  REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text));
  return std::make_shared<const LabPlan>(std::move(*made));
}

/// A line of messages of this game from servers.
struct Said final : LabLine::User {
  Said(LabLine::Of of, const wire::Game& game, std::size_t dialect, std::string_view text) {
    info.game = &game;
    info.dialect = dialect;
    line.emplace(loop, *this, of, Way::kToClient, info, 1, LabLine::Counted{counts, route}, 1U << 20U);
    line->follow({plan(text), loop.now()});
  }
  ~Said() override {
    line.reset();
    loop.run();
  }
  void lab_passes(LabLine&, const LabUnit& unit) override {
    passed.emplace_back(unit.bytes.begin(), unit.bytes.end());
    made.push_back(unit.made);
  }
  void lab_keeps(LabLine&, Bytes unit, std::uint32_t, bool is_altered) override {
    (is_altered ? altered : kept).emplace_back(unit.begin(), unit.end());
  }
  void lab_resets(LabLine&) override {}
  void lab_has_room(LabLine&) override {}
  void lab_has_ended(LabLine&) override {}
  std::uint64_t count(LabFault fault) const { return counts.at(Way::kToClient, fault); }

  net::Loop loop;
  relay::LinkInfo info;
  relay::LabCountsOf<std::uint64_t> counts;
  relay::LabCountsOf<relay::Count> route;
  std::optional<LabLine> line;
  std::vector<Buffer> passed, kept, altered;
  std::vector<bool> made;
};

/// A message of a server of BZFlag 2.4: length, code, content.
Buffer bzflag_message(std::string_view code, std::string_view content = "") {
  Buffer all{0, static_cast<std::uint8_t>(content.size())};
  append(all, as_bytes(code));
  append(all, as_bytes(content));
  return all;
}

TEST_CASE("messages are dropped, doubled and delayed by their names; all others pass as they came") {
  const Buffer message = bzflag_message("mg", std::string("\x01\x02\x00hello\0", 9)),
               lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Said it(LabLine::Of::kStream, bzflag::game(), 0, "drop MsgLagPing, duplicate MsgSuperKill, delay MsgMessage 30ms");
  for (const Buffer* one : {&message, &lag, &over}) it.line->put(*one, 1);
  it.loop.run();
  CHECK(it.passed == std::vector<Buffer>{over, over, message});
  CHECK(it.made == std::vector<bool>{false, true, false});
  CHECK(it.kept == std::vector<Buffer>{lag});
  CHECK(it.count(LabFault::kDrop) == 1);
  CHECK(it.count(LabFault::kDuplicate) == 1);
  CHECK(it.count(LabFault::kHold) == 1);
}

TEST_CASE("a share of the messages is dropped, by the seed") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Said it(LabLine::Of::kStream, bzflag::game(), 0, "drop MsgLagPing 30%; seed=9");
  Said again(LabLine::Of::kStream, bzflag::game(), 0, "drop MsgLagPing 30%; seed=9");
  for (int i = 0; i < 500; ++i)
    for (Said* one : {&it, &again}) {
      one->line->put(lag, 1);
      one->line->put(over, 1);
    }
  CHECK(it.count(LabFault::kDrop) > 100);
  CHECK(it.count(LabFault::kDrop) < 200);
  CHECK(it.passed == again.passed);
}

TEST_CASE("one field of any message of any game is changed, and the message is otherwise as it came") {
  wire::Random random(4);
  std::size_t messages = 0, decoded = 0;
  for (const wire::Game* game : std::initializer_list<const wire::Game*>{
           &aos::game(), &bzdraft::game(), &bzflag::game(), &native::game(), &ogar::game(), &panic::game()})
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      const auto codec = game->codec(dialect);
      LabReader reader(*game, dialect, nullptr);
      for (const wire::Row& row : codec->rows()) {
        if ((row.dialects >> dialect & 1U) == 0 || (row.ways & static_cast<std::uint8_t>(Way::kToClient)) == 0)
          continue;
        const Lane lane = (row.lanes & static_cast<std::uint8_t>(Lane::kStream)) != 0 ? Lane::kStream : Lane::kDatagram;
        for (int i = 0; i < 20; ++i) {
          wire::invent(row, Way::kToClient, *codec, random);
          Buffer bytes;
          codec->encode(bytes);
          const wire::Frame frame{Way::kToClient, lane, row.stage, bytes};
          const wire::Row* const found = codec->find(frame);
          if (found == nullptr || !codec->decode(frame)) continue;
          CAPTURE(game->name());
          CAPTURE(found->name);
          CHECK(reader.means({.name = "", .messages = {found->name}}, frame));
          CHECK_FALSE(reader.means({.name = "", .messages = {"another"}}, frame));
          ++messages;
          const std::uint64_t roll = random();
          const auto changed = reader.corrupted(frame, roll);
          if (!changed) continue;
          CHECK(reader.corrupted(frame, roll) == changed);
          const auto again = codec->decode({Way::kToClient, lane, row.stage, *changed});
          decoded += again && *changed != bytes ? 1 : 0;
        }
      }
    }
  CHECK(messages > 2'000);
  CHECK(decoded > messages / 2);
}

TEST_CASE("a corrupted message is passed on instead of what came, which is told") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Said it(LabLine::Of::kStream, bzflag::game(), 0, "corrupt one field of MsgLagPing");
  it.line->put(lag, 1);
  it.line->put(over, 1);
  REQUIRE(it.passed.size() == 2);
  CHECK(it.passed[0] != lag);
  CHECK(it.passed[0].size() == lag.size());
  CHECK(std::equal(lag.begin(), lag.begin() + 4, it.passed[0].begin()));
  CHECK(it.passed[1] == over);
  CHECK(it.altered == std::vector<Buffer>{lag});
  CHECK(it.made == std::vector<bool>{true, false});
  CHECK(it.count(LabFault::kCorrupt) == 1);
}

TEST_CASE("a datagram with several messages loses only the one that is dropped") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Buffer both = over;
  append(both, lag);
  append(both, over);
  Buffer left = over;
  append(left, over);
  Said it(LabLine::Of::kDatagrams, bzflag::game(), 0, "drop MsgLagPing");
  it.line->put(both, 0);
  it.line->put(lag, 0);
  const bool apart = it.passed.size() == 1 && it.passed[0] == left;  // the codec knows such datagrams
  CHECK(apart);
  CHECK(it.kept == std::vector<Buffer>{lag, lag});
}

/// The same of a stream that is cut, as a session puts it in.
struct Streamed final : LabLine::User {
  explicit Streamed(std::string_view text) {
    info.game = &bzflag::game();
    lab.emplace(loop, *this, LabLine::Of::kStream, info, 1, route, 1U << 20U);
    auto cutter = bzflag::game().cutter(Way::kToClient, 0);
    cutter->skip_greeting();
    lab->cut_with(nullptr, std::move(cutter));
    follow(text);
  }
  ~Streamed() override {
    lab.reset();
    loop.run();
  }
  void follow(std::string_view text) { lab->lines().follow({plan(text), loop.now()}); }
  void put(Bytes frame) { lab->put_frames(Way::kToClient, frame, 0, 1); }
  /// The beginning of a frame is late, and then its rest.
  void put_in_two(Bytes frame, std::size_t first) {
    lab->put_frames(Way::kToClient, frame.first(first), 0, 0);
    lab->put_frames(Way::kToClient, frame, first, 1);
  }
  void lab_passes(LabLine&, const LabUnit& unit) override { append(passed, unit.bytes); }
  void lab_keeps(LabLine&, Bytes, std::uint32_t, bool) override {}

  net::Loop loop;
  relay::LinkInfo info;
  relay::LabCountsOf<relay::Count> route;
  std::optional<relay::SessionLab> lab;
  Buffer passed;
};

TEST_CASE("the parts of a frame are no messages, and stay together") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  const Buffer message = bzflag_message("mg", std::string("\x01\x02\x00hello\0", 9));
  for (const char* const text : {"drop MsgLagPing", "delay MsgLagPing 30ms", "duplicate MsgLagPing"})
    for (const std::size_t first : {1U, 4U, 5U}) {
      CAPTURE(text);
      CAPTURE(first);
      Streamed it(text);
      it.put_in_two(lag, first);
      it.put(over);
      it.loop.run();
      Buffer both = lag;
      append(both, over);
      CHECK(it.passed == both);
    }
  // Nothing that was held back comes between them, whether the plan goes on or not.
  for (const char* const then : {"delay MsgMessage 50ms", "delay=1ms", ""}) {
    CAPTURE(then);
    Streamed it("delay MsgMessage 50ms");
    it.put(message);
    if (*then != '\0')
      it.follow(then);
    else
      it.lab->lines().follow({});
    it.put_in_two(lag, 5);
    it.put(over);
    it.loop.run();
    Buffer all = message;
    append(all, lag);
    append(all, over);
    CHECK(it.passed == all);
  }
}

TEST_CASE("in a WebSocket, pings are no messages") {
  Said it(LabLine::Of::kMessages, ogar::game(), 0, "drop ViewArea");
  const Buffer ping{0x40};
  it.line->put(ping, static_cast<std::uint32_t>(net::Opcode::kPing));
  CHECK(it.passed == std::vector<Buffer>{ping});
}

TEST_CASE("a message is changed once, however many rules are about it, and its delay is for what it has become") {
  const Buffer lag = bzflag_message("pi", "\x01\x02");
  Said it(LabLine::Of::kStream, bzflag::game(), 0, "seed=1; loss=0%");
  auto both = LabPlan::parse("corrupt MsgLagPing, corrupt pings, delay MsgLagPing 10ms, drop MsgSuperKill",
                             [](std::string_view name) -> Outcome<std::vector<std::string>> {
                               if (name == "pings") return std::vector<std::string>{"MsgSuperKill", "MsgLagPing"};
                               return std::vector{std::string(name)};
                             });
  REQUIRE(both.ok());
  it.line->follow({std::make_shared<const LabPlan>(std::move(*both)), it.loop.now()});
  it.line->put(lag, 1);
  CHECK(it.passed.empty());
  it.loop.run();
  REQUIRE(it.passed.size() == 1);
  CHECK(it.passed[0] != lag);
  CHECK(it.made == std::vector<bool>{true});
  CHECK(it.altered == std::vector<Buffer>{lag});
  CHECK(it.kept.empty());
  CHECK(it.count(LabFault::kCorrupt) == 1);
  CHECK(it.count(LabFault::kHold) == 1);
}

TEST_CASE("what a message says makes no difference to one that is lost, nor a loss to one that is dropped") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Said it(LabLine::Of::kPackets, bzflag::game(), 0, "loss=100%, drop MsgLagPing");
  it.line->put(lag, lab_tag({0, wire::EnetDelivery::kReliable}));
  it.line->put(over, lab_tag({0, wire::EnetDelivery::kReliable}));
  CHECK(it.passed.empty());
  CHECK(it.kept == std::vector<Buffer>{lag, over});
  CHECK(it.count(LabFault::kDrop) == 1);
  CHECK(it.count(LabFault::kLoss) == 1);
}

TEST_CASE("of a datagram with several messages, the copies and the late ones go apart, after the rest") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Buffer both = lag;
  append(both, over);
  Said copied(LabLine::Of::kDatagrams, bzflag::game(), 0, "duplicate MsgLagPing");
  copied.line->put(both, 0);
  CHECK(copied.passed == std::vector<Buffer>{both, lag});
  CHECK(copied.made == std::vector<bool>{false, true});
  Said late(LabLine::Of::kDatagrams, bzflag::game(), 0, "delay MsgLagPing 10ms");
  late.line->put(both, 0);
  CHECK(late.passed == std::vector<Buffer>{over});
  CHECK(late.made == std::vector<bool>{true});  // it did not come alone
  late.loop.run();
  CHECK(late.passed == std::vector<Buffer>{over, lag});
  CHECK(late.kept.empty());
}

TEST_CASE("the copies of a message come after its own unit, and after no other") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Said it(LabLine::Of::kDatagrams, bzflag::game(), 0, "duplicate MsgLagPing");
  for (const Buffer* one : {&lag, &over, &over, &lag}) it.line->put(*one, 0);
  CHECK(it.passed == std::vector<Buffer>{lag, lag, over, over, lag, lag});
  CHECK(it.made == std::vector<bool>{false, true, false, false, false, true});
}

TEST_CASE("what is left of a datagram has nothing of those before it") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Buffer both = over;
  append(both, lag);
  Said it(LabLine::Of::kDatagrams, bzflag::game(), 0, "drop MsgLagPing");
  for (int i = 0; i < 3; ++i) it.line->put(both, 0);
  CHECK(it.passed == std::vector<Buffer>{over, over, over});
}

TEST_CASE(
    "what becomes of the messages in a datagram follows from its number, not from how many were in those before") {
  const Buffer lag = bzflag_message("pi", "\x01\x02"), over = bzflag_message("sk");
  Buffer many = over;
  for (int i = 0; i < 4; ++i) append(many, lag);
  constexpr const char* kPlan = "drop MsgLagPing 50%; seed=3";
  Said before(LabLine::Of::kDatagrams, bzflag::game(), 0, kPlan),
      alone(LabLine::Of::kDatagrams, bzflag::game(), 0, kPlan);
  for (int i = 0; i < 10; ++i) {
    before.line->put(i % 2 == 0 ? many : over, 0);  // one message or five
    alone.line->put(i == 8 ? many : over, 0);
  }
  CHECK(before.passed.at(8) == alone.passed.at(8));
  CHECK(before.passed.at(8) != many);
}

TEST_CASE("whatever the roll, one field of a message changes: a text keeps its length, a list its entries") {
  const auto codec = bzflag::game().codec(0);
  LabReader reader(bzflag::game(), 0, nullptr);
  std::string player(1 + 5 * 2, '\x01');
  player += std::string(32, 'n') + std::string(128, 'm');
  const Buffer messages[] = {bzflag_message("mg", std::string("\x01\x02\x00hello\0", 9)), bzflag_message("ap", player),
                             bzflag_message("pb", std::string("\x02\x01\x00\x02\x01", 5)),
                             bzflag_message("pi", "\x01\x03")};
  for (const Buffer& message : messages) {
    CAPTURE(to_hex(message));
    const wire::Frame frame{Way::kToClient, Lane::kStream, Stage::kPlay, message};
    REQUIRE(codec->decode(frame).ok());
    for (std::uint64_t roll = 0; roll < 2'000; ++roll) {
      CAPTURE(roll);
      const auto changed = reader.corrupted(frame, roll);
      REQUIRE(changed);
      REQUIRE(changed->size() == message.size());
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < message.size(); ++i)
        if ((*changed)[i] != message[i]) places.push_back(i);
      REQUIRE_FALSE(places.empty());
      CHECK(places.back() - places.front() <= 1);  // the largest number has two bytes
      CHECK(codec->decode({Way::kToClient, Lane::kStream, Stage::kPlay, *changed}).ok());
    }
  }
}

TEST_CASE("a number that changes does not become 0, which could end a list; an empty text stays empty") {
  LabReader reader(bzflag::game(), 0, nullptr);
  const Buffer lag = bzflag_message("pi", "\x01\x03"), all = bzflag_message("pi", "\xFF\xFF");
  CHECK(reader.corrupted({Way::kToClient, Lane::kStream, Stage::kPlay, lag}, 0x0103) == all);
  const Buffer empty = bzflag_message("mg", std::string("\x01\x02\0", 3));
  for (std::uint64_t roll = 0; roll < 100; ++roll) {
    const auto changed = reader.corrupted({Way::kToClient, Lane::kStream, Stage::kPlay, empty}, roll);
    REQUIRE(changed);
    CHECK(changed->size() == empty.size());
  }
}

TEST_CASE("a message that is to be corrupted, and does not decode, passes as it came, and is not counted") {
  const Buffer cut = bzflag_message("pi", "\x01");
  Said it(LabLine::Of::kStream, bzflag::game(), 0, "corrupt one field of MsgLagPing");
  it.line->put(cut, 1);
  CHECK(it.passed == std::vector<Buffer>{cut});
  CHECK(it.altered.empty());
  CHECK(it.count(LabFault::kCorrupt) == 0);
}

TEST_CASE("a message that two rules are to corrupt is corrupted once") {
  const Buffer lag = bzflag_message("pi", "\x01\x02");
  Said it(LabLine::Of::kStream, bzflag::game(), 0, "corrupt one field of MsgLagPing, corrupt one field of MsgLagPing");
  it.line->put(lag, 1);
  CHECK(it.passed.size() == 1);
  CHECK(it.altered == std::vector<Buffer>{lag});
  CHECK(it.count(LabFault::kCorrupt) == 1);
}

}  // namespace
}  // namespace entente::testing::lab_said_test
