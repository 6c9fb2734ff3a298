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

}  // namespace
}  // namespace entente::lab_line_test
