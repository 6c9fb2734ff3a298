// One direction in the lab, without a network: which faults follow from a seed, what waits, and in which order it goes.
#include "proxy/relay/faults/lab_line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/toy_game.h"

namespace entente::lab_line_test {
namespace {

using relay::LabDice, relay::LabFault, relay::LabLine, relay::LabPlan, relay::LabUnit;
using wire::Lane, wire::Way;

constexpr std::size_t kMostWaiting = 64 * 1024;

/// A line and what it does, on a loop that the test runs.
struct Lined final : LabLine::User {
  explicit Lined(LabLine::Of of, std::string_view text = "", std::uint64_t session = 1) {
    info.game = &toy::game();
    line.emplace(loop, *this, of, Way::kToServer, info, session, LabLine::Counted{counts, route}, kMostWaiting);
    if (!text.empty()) follow(text);
  }
  ~Lined() override {
    line.reset();
    loop.run();
  }
  void follow(std::string_view text) {
    auto plan = LabPlan::parse(text, nullptr);
    REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().text));
    line->follow({std::make_shared<const LabPlan>(std::move(*plan)), loop.now()});
  }
  void put(std::string_view unit) { line->put(as_bytes(unit), static_cast<std::uint32_t>(++tags)); }
  /// Until nothing waits.
  void run() { loop.run(); }
  std::uint64_t count(LabFault fault) const { return counts.at(Way::kToServer, fault); }

  void lab_passes(LabLine&, const LabUnit& unit) override {
    passed.emplace_back(as_text(unit.bytes));
    made += unit.made ? 1 : 0;
    frames += unit.tag;
    longest = std::max(longest, unit.held);
    held.push_back(unit.held);
  }
  void lab_keeps(LabLine&, Bytes unit, std::uint32_t, bool) override { kept.emplace_back(as_text(unit)); }
  void lab_resets(LabLine&) override { ++resets; }
  void lab_has_room(LabLine&) override {}
  void lab_has_ended(LabLine& it) override {
    CHECK(it.empty());
    ++ends;
  }

  net::Loop loop;
  relay::LinkInfo info;
  relay::LabCountsOf<std::uint64_t> counts;
  relay::LabCountsOf<relay::Count> route;
  std::optional<LabLine> line;
  std::vector<std::string> passed, kept;
  std::size_t tags = 0, made = 0, resets = 0, ends = 0;
  std::uint64_t frames = 0, longest = 0;
  std::vector<std::uint64_t> held;
};

std::string all(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& one : parts) text += one;
  return text;
}

TEST_CASE("the dice give the same on every machine") {
  const LabDice dice(7, 1, Way::kToServer, Lane::kDatagram);
  CHECK(dice.roll(1, LabFault::kLoss) == dice.roll(1, LabFault::kLoss));
  // Other sessions, ways, lanes, units and faults have other throws.
  CHECK(dice.roll(1, LabFault::kLoss) != dice.roll(2, LabFault::kLoss));
  CHECK(dice.roll(1, LabFault::kLoss) != dice.roll(1, LabFault::kDup));
  CHECK(dice.roll(1, LabFault::kLoss) != LabDice(8, 1, Way::kToServer, Lane::kDatagram).roll(1, LabFault::kLoss));
  CHECK(dice.roll(1, LabFault::kLoss) != LabDice(7, 2, Way::kToServer, Lane::kDatagram).roll(1, LabFault::kLoss));
  CHECK(dice.roll(1, LabFault::kLoss) != LabDice(7, 1, Way::kToClient, Lane::kDatagram).roll(1, LabFault::kLoss));
  CHECK(dice.roll(1, LabFault::kLoss) != LabDice(7, 1, Way::kToServer, Lane::kStream).roll(1, LabFault::kLoss));
  std::uint64_t sum = 0, hits = 0;
  for (std::uint64_t unit = 0; unit < 100'000; ++unit) {
    sum ^= dice.roll(unit, LabFault::kLoss);
    hits += dice.hits(20'000, unit, LabFault::kLoss) ? 1 : 0;
  }
  CHECK(hits == 2'113);
  CHECK(sum == 0x0a7c87312495e26cULL);
}

TEST_CASE("of datagrams and packets, the seed decides which are lost and which come twice; of a stream, none is lost") {
  for (const LabLine::Of of : {LabLine::Of::kDatagrams, LabLine::Of::kPackets}) {
    Lined it(of, "loss=10%, dup=5%; seed=42", 3), again(of, "loss=10%, dup=5%; seed=42", 3),
        other(of, "loss=10%, dup=5%; seed=43", 3);
    std::vector<std::string> expected;
    const LabDice dice(42, 3, Way::kToServer, of == LabLine::Of::kDatagrams ? Lane::kDatagram : Lane::kStream);
    for (std::uint64_t unit = 1; unit <= 1'000; ++unit) {
      const std::string text = std::to_string(unit);
      for (Lined* one : {&it, &again, &other}) one->put(text);
      if (dice.hits(100'000, unit, LabFault::kLoss)) continue;
      expected.push_back(text);
      if (dice.hits(50'000, unit, LabFault::kDup)) expected.push_back(text);
    }
    CHECK(it.passed == expected);
    CHECK(again.passed == it.passed);
    CHECK(other.passed != it.passed);
    CHECK(it.count(LabFault::kLoss) == it.kept.size());
    CHECK(it.count(LabFault::kDup) == it.made);
    CHECK(it.made > 20);
    CHECK(it.passed.size() == 1'000 - it.kept.size() + it.made);
    CHECK(it.route.at(Way::kToServer, LabFault::kLoss).read() == it.kept.size());
  }
  Lined stream(LabLine::Of::kStream, "loss=100%");
  for (const char* frame : {"a", "b", "c"}) stream.put(frame);
  CHECK(stream.passed.empty());
  stream.run();
  CHECK(all(stream.passed) == "abc");
  CHECK(stream.frames == 1 + 2 + 3);
  CHECK(stream.count(LabFault::kLoss) == 3);
  CHECK(stream.longest >= 199'000'000);
}

TEST_CASE("what is reordered is overtaken by the next one, or passes a little later if none comes") {
  Lined it(LabLine::Of::kDatagrams, "reorder=100%");
  for (const char* one : {"1", "2", "3", "4", "5"}) it.put(one);
  CHECK(all(it.passed) == "2143");
  it.run();
  CHECK(all(it.passed) == "21435");
  CHECK(it.count(LabFault::kReorder) == 3);
}

TEST_CASE("a delay keeps the order of all but datagrams, and nothing passes before its time") {
  for (const LabLine::Of of : {LabLine::Of::kStream, LabLine::Of::kMessages, LabLine::Of::kPackets}) {
    Lined it(of, "delay=30ms+-30ms");
    std::string sent;
    for (int i = 0; i < 50; ++i) {
      const std::string one(1, static_cast<char>('A' + i));
      it.put(one);
      sent += one;
    }
    it.run();
    CHECK(all(it.passed) == sent);
    CHECK(it.count(LabFault::kDelay) == 50);
  }
  Lined datagrams(LabLine::Of::kDatagrams, "delay=30ms+-30ms");
  std::string sent;
  for (int i = 0; i < 50; ++i) {
    sent += static_cast<char>('A' + i);
    datagrams.put(sent.substr(sent.size() - 1));
  }
  datagrams.run();
  std::string got = all(datagrams.passed);
  CHECK(got != sent);
  std::sort(got.begin(), got.end());
  CHECK(got == sent);

  Lined late(LabLine::Of::kDatagrams, "delay=20ms");
  late.put("x");
  CHECK(late.passed.empty());
  late.run();
  CHECK(late.passed.size() == 1);
  CHECK(late.longest >= 19'000'000);
}

TEST_CASE("a stream in slices has all of its bytes, in order; a frame counts with its last piece") {
  Lined it(LabLine::Of::kStream, "slice=1-7");
  std::string sent;
  for (int i = 0; i < 10; ++i) {
    const std::string frame(20, static_cast<char>('a' + i));
    it.line->put(as_bytes(frame), 1);
    if (i == 0) CHECK(it.passed.size() == 1);
    sent += frame;
  }
  CHECK(it.line->end_after());
  it.run();
  CHECK(all(it.passed) == sent);
  CHECK(it.frames == 10);
  CHECK(it.ends == 1);
  CHECK(it.count(LabFault::kSlice) == 10);
  for (const std::string& one : it.passed) CHECK(one.size() <= 7);
}

TEST_CASE("a packet, a message and a datagram stay whole") {
  for (const LabLine::Of of : {LabLine::Of::kPackets, LabLine::Of::kMessages, LabLine::Of::kDatagrams}) {
    Lined it(of, "slice=1");
    it.put("whole");
    CHECK(it.passed == std::vector<std::string>{"whole"});
  }
}

TEST_CASE("what waits is bounded: more datagrams are dropped and counted, and a stream asks not to be read") {
  const std::string unit(1'000, 'x');
  for (const LabLine::Of of : {LabLine::Of::kDatagrams, LabLine::Of::kPackets}) {
    Lined it(of, "rate=1kbit");
    for (int i = 0; i < 1'000; ++i) {
      it.put(unit);
      REQUIRE(it.line->waiting() <= kMostWaiting);
    }
    CHECK(it.count(LabFault::kFull) > 900);
    CHECK(it.kept.size() == it.count(LabFault::kFull));
    it.line->clear();
    // Many small ones are bounded, too.
    for (int i = 0; i < 10'000; ++i) it.put("");
    CHECK(it.line->waiting() <= kMostWaiting);
    it.line->clear();
  }
  // What is read at once may be more than may wait: even in small frames, it takes little memory.
  Lined read_at_once(LabLine::Of::kStream, "rate=1kbit");
  for (int i = 0; i < 32'768; ++i) read_at_once.put("ab");
  CHECK(read_at_once.line->waiting() <= kMostWaiting + 3 * 65'536 + 1'000);
  read_at_once.line->flush();
  CHECK(all(read_at_once.passed).size() == 65'536);

  Lined stream(LabLine::Of::kStream, "rate=1kbit");
  int taken = 0;
  while (!stream.line->waits_too_much()) stream.put(unit), ++taken;
  CHECK(taken <= 66);
  CHECK(stream.count(LabFault::kFull) == 0);
  stream.line->flush();
  CHECK(all(stream.passed).size() == static_cast<std::size_t>(taken) * 1'000);
  CHECK(stream.line->waiting() == 0);
}

TEST_CASE("without a plan, everything passes at once, after what still waits") {
  Lined it(LabLine::Of::kStream);
  it.put("a");
  CHECK(all(it.passed) == "a");
  it.follow("delay=20ms");
  it.put("b");
  it.line->follow({});
  it.put("c");
  CHECK(all(it.passed) == "a");
  it.run();
  CHECK(all(it.passed) == "abc");
  it.put("d");
  CHECK(all(it.passed) == "abcd");
}

TEST_CASE("how long a frame was held is counted from when it came, also if another one is due at the same time") {
  Lined it(LabLine::Of::kStream, "delay=60ms");
  it.put("a");
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  it.follow("delay=1ms");  // it is not to overtake the first one
  it.put("b");
  it.run();
  CHECK(all(it.passed) == "ab");
  REQUIRE(it.held.size() == 2);
  CHECK(it.held[0] >= it.held[1] + 5'000'000);
}

TEST_CASE("a reset is called for, of streams and messages") {
  Lined it(LabLine::Of::kStream, "reset=100%");
  it.put("a");
  CHECK(it.resets == 1);
  CHECK(it.passed.empty());
  CHECK(it.count(LabFault::kReset) == 1);
  CHECK(it.kept == std::vector<std::string>{"a"});
}

TEST_CASE("a reset keeps each frame that waited, unless a piece of it has passed") {
  for (const LabLine::Of of : {LabLine::Of::kStream, LabLine::Of::kMessages}) {
    Lined it(of, "delay=30s");
    for (const char* const one : {"first", "second", "third"}) it.put(one);
    it.follow("reset=100%");
    it.put("last");
    CHECK(it.passed.empty());
    CHECK(it.kept == std::vector<std::string>{"first", "second", "third", "last"});
    CHECK(it.line->empty());
  }
  Lined sliced(LabLine::Of::kStream, "slice=2");
  for (const char* const one : {"pieces", "whole"}) sliced.put(one);
  sliced.line->clear();
  CHECK(sliced.passed == std::vector<std::string>{"pi"});
  CHECK(sliced.kept == std::vector<std::string>{"whole"});
}

TEST_CASE("while the schedule cuts the server off, datagrams are lost, and a stream waits") {
  constexpr const char* kCut = "at 0s cut the server for 400ms";
  Lined datagrams(LabLine::Of::kDatagrams, kCut);
  datagrams.put("x");
  CHECK(datagrams.passed.empty());
  CHECK(datagrams.kept.size() == 1);
  CHECK(datagrams.count(LabFault::kCut) == 1);
  Lined stream(LabLine::Of::kStream, kCut);
  stream.put("a");
  stream.put("b");
  CHECK(stream.passed.empty());
  stream.run();
  CHECK(all(stream.passed) == "ab");
  CHECK(stream.longest >= 100'000'000);
  CHECK(stream.count(LabFault::kCut) == 2);
  Lined forever(LabLine::Of::kStream, "at 0s cut the server");
  forever.put("a");
  forever.run();
  CHECK(forever.passed.empty());
  forever.line->follow({});
  CHECK(all(forever.passed) == "a");
}

TEST_CASE("a stall holds up all that comes after it") {
  Lined it(LabLine::Of::kDatagrams, "stall=100%:30ms");
  it.put("a");
  CHECK(it.passed.empty());
  it.run();
  CHECK(it.passed.size() == 1);
  CHECK(it.longest >= 29'000'000);
  CHECK(it.count(LabFault::kStall) == 1);
}

/// All that a line tells of what passes and what does not, in order.
struct Told final : LabLine::User {
  struct Unit {
    std::string bytes;
    std::uint32_t tag = 0;
    bool made = false, inserted = false, part = false;
  };
  struct Kept {
    std::string bytes;
    std::uint32_t tag = 0;
    bool altered = false;
  };
  Told(LabLine::Of of, Way way = Way::kToServer, std::size_t most = kMostWaiting) {
    info.game = &toy::game();
    line.emplace(loop, *this, of, way, info, 1, LabLine::Counted{counts, route}, most);
  }
  ~Told() override {
    line.reset();
    loop.run();
  }
  /// `earlier`: so many milliseconds ago, the plan was put on.
  void follow(std::string_view text, Millis earlier = 0) {
    auto plan = LabPlan::parse(text, [](std::string_view name) -> Outcome<std::vector<std::string>> {
      return std::vector{std::string(name)};
    });
    REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().text));
    line->follow({std::make_shared<const LabPlan>(std::move(*plan)), loop.now() - earlier});
  }
  void put(std::string_view unit, std::uint32_t tag = 1, bool is_part = false) {
    line->put(as_bytes(unit), tag, wire::Stage::kPlay, is_part);
  }
  std::string all() const {
    std::string text;
    for (const Unit& one : passed) text += one.bytes;
    return text;
  }

  void lab_passes(LabLine& it, const LabUnit& unit) override {
    CHECK(&it == &*line);
    passed.push_back({std::string(as_text(unit.bytes)), unit.tag, unit.made, unit.inserted, unit.part});
    held.push_back(unit.held);
  }
  void lab_keeps(LabLine&, Bytes unit, std::uint32_t tag, bool altered) override {
    kept.push_back({std::string(as_text(unit)), tag, altered});
  }
  void lab_resets(LabLine& it) override {
    CHECK(it.empty());
    ++resets;
  }
  void lab_has_room(LabLine&) override { ++rooms; }
  void lab_has_ended(LabLine&) override { ++ends; }

  net::Loop loop;
  relay::LinkInfo info;
  relay::LabCountsOf<std::uint64_t> counts;
  relay::LabCountsOf<relay::Count> route;
  std::optional<LabLine> line;
  std::vector<Unit> passed;
  std::vector<Kept> kept;
  std::vector<std::uint64_t> held;
  std::size_t resets = 0, rooms = 0, ends = 0;
};

/// Lets only what it is told to.
struct OneJudge final : LabLine::Judge {
  bool lets(LabLine::Of of, Way way, Bytes unit, std::uint32_t tag, wire::Stage stage) override {
    CHECK(of == LabLine::Of::kStream);
    CHECK(way == Way::kToServer);
    CHECK(stage == wire::Stage::kPlay);
    tags.push_back(tag);
    return as_text(unit) != "no";
  }
  std::vector<std::uint32_t> tags;
};

TEST_CASE("a judge hears each unit first, with and without a plan, and what it keeps back is told") {
  for (const bool with_plan : {false, true}) {
    Told it(LabLine::Of::kStream);
    OneJudge judge;
    it.line->judge_by(&judge);
    if (with_plan) it.follow("dup=1%");
    it.put("yes", 3);
    it.put("no", 2);
    it.put("part", 1, true);
    CHECK(it.all() == "yespart");
    CHECK(judge.tags == std::vector<std::uint32_t>{3, 2, 0});
    REQUIRE(it.kept.size() == 1);
    CHECK(it.kept[0].bytes == "no");
    CHECK(it.kept[0].tag == 2);
    CHECK_FALSE(it.kept[0].altered);
    it.line->judge_by(nullptr);
    it.put("no");
    CHECK(it.all() == "yespartno");
  }
}

TEST_CASE("what a judge keeps back is no unit of the plan: the faults of all others are the same without it") {
  OneJudge judge;
  Told with(LabLine::Of::kStream), without(LabLine::Of::kStream);
  with.line->judge_by(&judge);
  for (Told* one : {&with, &without}) one->follow("reset=30%; seed=4");
  std::vector<std::size_t> resets, expected;
  for (int i = 0; i < 50; ++i) {
    with.put("no");
    with.put("yes");
    without.put("yes");
    resets.push_back(with.resets);
    expected.push_back(without.resets);
  }
  CHECK(resets == expected);
  CHECK(expected.back() > 5);
}

TEST_CASE("a plan that is put on again counts its units anew") {
  Told it(LabLine::Of::kDatagrams);
  std::vector<std::vector<std::string>> lost;
  for (int times = 0; times < 2; ++times) {
    it.follow("loss=30%; seed=11");
    it.kept.clear();
    for (int i = 0; i < 60; ++i) it.put(std::to_string(i));
    auto& its = lost.emplace_back();
    for (const Told::Kept& one : it.kept) its.push_back(one.bytes);
  }
  CHECK(lost[0].size() > 5);
  CHECK(lost[0] == lost[1]);
}

TEST_CASE("a new plan knows nothing of the rate and the stall of the one before") {
  for (const char* const before : {"rate=1kbit", "stall=100%:60s"}) {
    CAPTURE(before);
    Told it(LabLine::Of::kDatagrams);
    it.follow(before);
    it.put(std::string(1'000, 'x'));
    CHECK(it.passed.empty());
    it.follow("dup=100%");
    it.put("new");
    CHECK(it.all() == "newnew");
    it.follow("rate=1kbit");  // what it delays begins with its own units
    it.put("");
    CHECK(it.passed.size() == 3);
    it.line->clear();
  }
}

TEST_CASE("what a rate delays follows from its bytes: each unit waits for those before it") {
  Told it(LabLine::Of::kDatagrams);
  it.follow("rate=80kbit");
  for (int i = 0; i < 3; ++i) it.put(std::string(100, 'x'));  // 10 ms each
  CHECK(it.passed.empty());
  it.loop.run();
  REQUIRE(it.held.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(it.held[i] + 1'000'000 >= (i + 1) * 10'000'000);
  CHECK(it.counts.at(Way::kToServer, LabFault::kDelay) == 3);
}

TEST_CASE("a datagram that waits while the server is cut off is lost when it is due") {
  Told it(LabLine::Of::kDatagrams, Way::kToClient);
  it.follow("delay=20ms");
  it.put("late", 7);
  it.follow("at 0s cut the server");
  it.loop.run();
  CHECK(it.passed.empty());
  REQUIRE(it.kept.size() == 1);
  CHECK(it.kept[0].bytes == "late");
  CHECK(it.kept[0].tag == 7);
  CHECK(it.counts.at(Way::kToClient, LabFault::kCut) == 1);
  CHECK(it.counts.at(Way::kToServer, LabFault::kCut) == 0);
  CHECK(it.route.at(Way::kToClient, LabFault::kCut).read() == 1);
  CHECK(it.line->waiting() == 0);
}

TEST_CASE("a schedule counts from when the plan was put on, and ends when it says so") {
  for (const LabLine::Of of : {LabLine::Of::kDatagrams, LabLine::Of::kPackets, LabLine::Of::kStream}) {
    Told before(of), within(of), after(of);
    constexpr const char* kCut = "at 100s cut the server for 100s";
    before.follow(kCut, 10'000);
    within.follow(kCut, 150'000);
    after.follow(kCut, 200'000);
    for (Told* one : {&before, &within, &after}) one->put("x");
    CHECK(before.all() == "x");
    CHECK(within.all().empty());
    CHECK(after.all() == "x");
    within.line->clear();
  }
}

TEST_CASE("a schedule may be for one way only") {
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    Told it(LabLine::Of::kDatagrams, way);
    it.follow("to_client: loss=100%");
    it.put("x");
    CHECK(it.passed.size() == (way == Way::kToServer ? 1 : 0));
    CHECK(it.counts.at(way, LabFault::kLoss) == (way == Way::kToServer ? 0 : 1));
  }
}

TEST_CASE("exactly as much may wait as the limit says") {
  constexpr std::size_t kEach = 256, kUnit = 128;  // each costs 128 bytes beside its own
  for (const LabLine::Of of : {LabLine::Of::kDatagrams, LabLine::Of::kPackets, LabLine::Of::kStream}) {
    Told it(of);
    it.follow("rate=1kbit");
    for (std::size_t i = 0; i < kMostWaiting / kEach; ++i) it.put(std::string(kUnit, 'x'));
    CHECK(it.line->waiting() == kMostWaiting);
    CHECK_FALSE(it.line->waits_too_much());
    CHECK(it.kept.empty());
    it.put("");
    CHECK(it.line->waits_too_much() == (of == LabLine::Of::kStream));
    CHECK(it.kept.size() == (of == LabLine::Of::kStream ? 0 : 1));
    it.line->clear();
    CHECK(it.line->waiting() == 0);
    CHECK_FALSE(it.line->waits_too_much());
    CHECK(it.line->empty());
  }
}

TEST_CASE("second copies count as waiting, too") {
  for (const LabLine::Of of : {LabLine::Of::kDatagrams, LabLine::Of::kPackets}) {
    Told it(of);
    it.follow("rate=1kbit, dup=100%");
    for (int i = 0; i < 100; ++i) it.put(std::string(4'900, 'x'));
    CHECK(it.line->waiting() <= kMostWaiting);
    it.line->clear();
    CHECK(it.line->waiting() == 0);
  }
}

TEST_CASE("a second copy is told to be one, and has the tag of the first") {
  Told it(LabLine::Of::kPackets);
  it.follow("dup=100%");
  it.put("a", 5);
  REQUIRE(it.passed.size() == 2);
  CHECK_FALSE(it.passed[0].made);
  CHECK(it.passed[1].made);
  for (const Told::Unit& one : it.passed) CHECK(one.tag == 5);
}

TEST_CASE("an operator's text is told from what the server sent, also if both wait together or in pieces") {
  for (const char* const plan : {"", "delay=10ms", "slice=2"}) {
    CAPTURE(plan);
    Told it(LabLine::Of::kStream);
    if (*plan != '\0') it.follow(plan);
    it.put("before");
    it.line->set_inserting(true);
    it.put("TEXT");
    it.line->set_inserting(false);
    it.put("after");
    it.loop.run();
    CHECK(it.all() == "beforeTEXTafter");
    std::string inserted;
    for (const Told::Unit& one : it.passed) inserted += one.inserted ? one.bytes : "";
    CHECK(inserted == "TEXT");
  }
}

TEST_CASE("a stream's frames that wait together are counted together") {
  Told it(LabLine::Of::kStream);
  it.follow("delay=10ms");
  for (const std::uint32_t frames : {1U, 2U, 4U}) it.put("ab", frames);
  it.loop.run();
  std::uint32_t frames = 0;
  for (const Told::Unit& one : it.passed) frames += one.tag;
  CHECK(frames == 7);
  CHECK(it.all() == "ababab");
  // Of a stream in pieces, the last piece has the number.
  Told sliced(LabLine::Of::kStream);
  sliced.follow("slice=2");
  sliced.put("abcde", 3);
  sliced.loop.run();
  REQUIRE(sliced.passed.size() == 3);
  CHECK(sliced.passed[0].tag == 0);
  CHECK(sliced.passed[1].tag == 0);
  CHECK(sliced.passed[2].tag == 3);
  CHECK(sliced.counts.at(Way::kToServer, LabFault::kSlice) == 1);
}

TEST_CASE("pieces have the sizes that the plan gives, and what is no larger stays whole and is not counted") {
  Told it(LabLine::Of::kStream);
  it.follow("slice=3-5");
  it.put(std::string(200, 'x'));
  it.loop.run();
  bool least = false, most = false;
  for (std::size_t i = 0; i + 1 < it.passed.size(); ++i) {
    const std::size_t size = it.passed[i].bytes.size();
    CHECK((size >= 3 && size <= 5));
    least = least || size == 3;
    most = most || size == 5;
  }
  CHECK(least);
  CHECK(most);
  it.follow("slice=5");
  it.put("12345");
  it.loop.run();
  CHECK(it.passed.back().bytes == "12345");
  CHECK(it.counts.at(Way::kToServer, LabFault::kSlice) == 1);
}

TEST_CASE("a peer that was not read is told of room only when something has passed") {
  Told it(LabLine::Of::kStream);
  it.follow("at 0s cut the server");
  for (int i = 0; i < 10; ++i) it.put("a");
  CHECK(it.rooms == 0);
  it.line->follow({});
  CHECK(it.all() == "aaaaaaaaaa");
  CHECK(it.rooms == 1);
}

TEST_CASE("each request for the end is answered once, when all has passed, and not at all if it is flushed") {
  Told it(LabLine::Of::kStream);
  CHECK_FALSE(it.line->end_after());  // nothing waits
  it.follow("delay=10ms");
  it.put("a");
  CHECK(it.line->end_after());
  CHECK(it.line->end_after());
  CHECK(it.ends == 0);
  it.loop.run();
  CHECK(it.ends == 2);
  it.put("b");
  it.loop.run();
  CHECK(it.ends == 2);

  for (const bool flushes : {true, false}) {
    it.put("c");
    CHECK(it.line->end_after());
    flushes ? it.line->flush() : it.line->clear();
    it.put("d");
    it.loop.run();
    CHECK(it.ends == 2);
  }
  CHECK(it.all() == "abcdd");
}

TEST_CASE("a flush passes all on at once, in order, whole, and also while the server is cut off") {
  for (const char* const plan : {"slice=1", "delay=50s", "at 0s cut the server"})
    for (const LabLine::Of of : {LabLine::Of::kStream, LabLine::Of::kMessages}) {
      CAPTURE(plan);
      Told it(of);
      it.follow(plan);
      it.put("abc");
      it.put("def");
      it.line->flush();
      CHECK(it.all() == "abcdef");
      CHECK(it.line->empty());
      CHECK(it.line->waiting() == 0);
      const std::size_t passed = it.passed.size();
      it.loop.run();  // no alarm is left
      CHECK(it.passed.size() == passed);
    }
  Told datagrams(LabLine::Of::kDatagrams);
  datagrams.follow("delay=50s");
  datagrams.put("abc");
  datagrams.follow("at 0s cut the server");
  datagrams.line->flush();
  CHECK(datagrams.all() == "abc");
}

TEST_CASE("what waits is forgotten without the parts of frames, copies and texts that did not come so") {
  Told it(LabLine::Of::kStream);
  it.follow("delay=50s");
  it.put("whole");
  it.put("half", 0, true);
  it.put("rest", 1, true);
  it.line->clear();
  REQUIRE(it.kept.size() == 1);
  CHECK(it.kept[0].bytes == "whole");
  CHECK(it.kept[0].tag == 1);
  Told doubled(LabLine::Of::kPackets);
  doubled.follow("delay=50s, dup=100%");
  doubled.put("a", 9);
  doubled.line->clear();
  REQUIRE(doubled.kept.size() == 1);
  CHECK(doubled.kept[0].tag == 9);
  CHECK(doubled.passed.empty());
}

TEST_CASE("a reset of a part of a frame keeps no part") {
  Told it(LabLine::Of::kStream);
  it.follow("reset=100%");
  it.put("part", 0, true);
  CHECK(it.resets == 1);
  CHECK(it.kept.empty());
  Told packets(LabLine::Of::kPackets);
  packets.follow("reset=100%");
  packets.put("a");
  CHECK(packets.resets == 0);
  CHECK(packets.all() == "a");
}

TEST_CASE("the next unit overtakes the one that is reordered, also if both are late") {
  Told it(LabLine::Of::kPackets);
  it.follow("reorder=100%, delay=50s");
  it.put("1");
  it.put("2");
  it.line->flush();
  CHECK(it.all() == "21");
  CHECK(it.counts.at(Way::kToServer, LabFault::kReorder) == 1);
  it.put("3");
  it.line->clear();  // the next one has nothing to overtake
  it.put("4");
  it.put("5");
  it.line->flush();
  CHECK(it.all() == "2154");
}

TEST_CASE("a unit that is lost overtakes nothing") {
  Told it(LabLine::Of::kDatagrams);
  it.follow("reorder=100%, delay=50s");
  it.put("1");
  it.follow("loss=100%");
  it.put("2");
  CHECK(it.passed.empty());
  it.follow("delay=50s");
  it.put("3");
  it.line->flush();
  CHECK(it.all() == "31");
}

TEST_CASE("a stall holds up what comes after it, of a stream also under the next plan") {
  for (const LabLine::Of of : {LabLine::Of::kStream, LabLine::Of::kDatagrams}) {
    Told it(of);
    it.follow("at 0s stall=100%:50s for 40s", 39'000);
    it.put("a");
    CHECK(it.passed.empty());
    it.follow("dup=0%");
    it.put("b");
    CHECK(it.all() == (of == LabLine::Of::kStream ? "" : "b"));
    it.line->flush();
    CHECK(it.all() == (of == LabLine::Of::kStream ? "ab" : "ba"));
  }
}

TEST_CASE("without a plan, datagrams pass those that wait, and a part of a frame passes after all that waits") {
  Told datagrams(LabLine::Of::kDatagrams);
  datagrams.follow("delay=50s");
  datagrams.put("late");
  datagrams.line->follow({});
  datagrams.put("now");
  CHECK(datagrams.all() == "now");
  datagrams.line->flush();
  CHECK(datagrams.all() == "nowlate");

  Told stream(LabLine::Of::kStream);
  stream.put("part", 0, true);
  REQUIRE(stream.passed.size() == 1);
  CHECK(stream.passed[0].part);
  CHECK(stream.passed[0].tag == 0);
}

TEST_CASE("a count is of its way, of its session and of its route") {
  relay::LabCountsOf<relay::Count> route;
  relay::LabCountsOf<std::uint64_t> first, second;
  for (auto* const counts : {&first, &second}) {
    Told it(LabLine::Of::kDatagrams);
    it.line.emplace(it.loop, it, LabLine::Of::kDatagrams, Way::kToClient, it.info, 1, LabLine::Counted{*counts, route},
                    kMostWaiting);
    it.follow("loss=100%");
    it.put("x");
    it.line.reset();
  }
  CHECK(first.at(Way::kToClient, LabFault::kLoss) == 1);
  CHECK(second.at(Way::kToClient, LabFault::kLoss) == 1);
  CHECK(first.at(Way::kToServer, LabFault::kLoss) == 0);
  CHECK(route.at(Way::kToClient, LabFault::kLoss).read() == 2);
}

TEST_CASE("how a packet travels is kept in its tag") {
  for (const std::uint8_t channel : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{255}})
    for (const wire::EnetDelivery send :
         {wire::EnetDelivery::kReliable, wire::EnetDelivery::kUnreliable, wire::EnetDelivery::kUnsequenced}) {
      const wire::EnetCarriage how = relay::lab_carriage(relay::lab_tag({channel, send}));
      CHECK(how.channel == channel);
      CHECK(how.send == send);
    }
}

TEST_CASE("a share of nothing never hits, and a share of all always does") {
  const LabDice dice(3, 1, Way::kToServer, Lane::kStream);
  for (std::uint64_t unit = 0; unit < 1'000; ++unit) {
    CHECK_FALSE(dice.hits(0, unit, LabFault::kLoss));
    CHECK(dice.hits(relay::kLabAlways, unit, LabFault::kLoss));
  }
  CHECK(dice.roll(1, LabFault::kLoss) != dice.roll(1, LabFault::kLoss, 1));
  CHECK(dice.roll(1, LabFault::kLoss, 1) != dice.roll(1, LabFault::kLoss, 2));
}

}  // namespace
}  // namespace entente::lab_line_test
