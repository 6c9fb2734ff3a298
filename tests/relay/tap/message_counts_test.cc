#include "proxy/relay/tap/message_counts.h"

#include <doctest/doctest.h>

#include "tests/support/toy_game.h"

namespace entente::relay::message_counts_test {
namespace {

using wire::Lane, wire::Stage, wire::Way;

TEST_CASE("a message to a hundred clients is decoded once, and counted for each") {
  MessageCounts counts(toy::stream(), 0);
  const Buffer one{1, 11, 0}, other{2, 11, 1, 0};  // without lines, and with one empty line
  const auto told = [&](Way way, const Buffer& bytes) {
    const auto row = counts.decode({way, Lane::kStream, Stage::kPlay, bytes});
    REQUIRE(row.ok());
    counts.add(way, **row, bytes.size());
  };
  for (int i = 0; i < 100; ++i) told(Way::kToClient, Buffer(one));  // equal bytes in another buffer
  CHECK(counts.decoded() == 1);
  told(Way::kToClient, other);
  told(Way::kToClient, one);
  CHECK(counts.decoded() == 3);
  for (int i = 0; i < 3; ++i) told(Way::kToServer, one);  // frames to a server are always decoded
  CHECK(counts.decoded() == 6);
  std::vector<MessageCount> messages;
  std::vector<FaultCount> faults;
  counts.snapshot(messages, faults);
  std::uint64_t to_client = 0, to_server = 0;
  for (const MessageCount& each : messages) (each.way == Way::kToClient ? to_client : to_server) += each.frames;
  CHECK(to_client == 102);
  CHECK(to_server == 3);
}

TEST_CASE("a message is decoded again if it goes another way, on another lane or at another stage, or was damaged") {
  MessageCounts counts(toy::stream(), 0);
  const Buffer one{1, 11, 0}, wrong{1, 99, 0};
  const auto decoded = [&](const wire::Frame& frame) {
    const std::uint64_t before = counts.decoded();
    const bool ok = counts.decode(frame).ok();
    return std::pair(ok, counts.decoded() - before);
  };
  using Told = std::pair<bool, std::uint64_t>;
  const wire::Frame told{Way::kToClient, Lane::kStream, Stage::kPlay, one};
  CHECK(decoded(told) == Told{true, 1});
  CHECK(decoded(told) == Told{true, 0});
  CHECK(decoded({Way::kToServer, Lane::kStream, Stage::kPlay, one}) == Told{true, 1});
  CHECK(decoded(told) == Told{true, 0});  // what goes to a server does not replace it
  CHECK(decoded({Way::kToClient, Lane::kDatagram, Stage::kPlay, one}).second == 1);
  CHECK(decoded({Way::kToClient, Lane::kStream, Stage::kPlay, wrong}) == Told{false, 1});
  CHECK(decoded({Way::kToClient, Lane::kStream, Stage::kPlay, wrong}) == Told{false, 1});  // each time
}

TEST_CASE("messages are counted by name and way, with their bytes, and only those that were seen are listed") {
  MessageCounts counts(toy::stream(), 1);
  CHECK(counts.dialect() == 1);
  CHECK(counts.dialect_name() == "little");
  CHECK(&counts.game() == &toy::stream());
  std::vector<MessageCount> messages;
  std::vector<FaultCount> faults;
  counts.snapshot(messages, faults);
  CHECK(messages.empty());
  CHECK(faults.empty());
  const Buffer one{1, 11, 0};
  for (const Way way : {Way::kToClient, Way::kToServer, Way::kToServer}) {
    const auto row = counts.decode({way, Lane::kStream, Stage::kPlay, one});
    REQUIRE(row.ok());
    counts.add(way, **row, 10);
  }
  counts.snapshot(messages, faults);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].way == Way::kToServer);
  CHECK(messages[0].frames == 2);
  CHECK(messages[0].bytes == 20);
  CHECK(messages[1].way == Way::kToClient);
  CHECK(messages[1].frames == 1);
  CHECK(messages[1].bytes == 10);
  for (const MessageCount& each : messages) {
    CHECK(each.game == "toy");
    CHECK(each.dialect == "little");
    CHECK(each.name == messages[0].name);
  }
}

TEST_CASE("a fault is reported at once, then once a second, with the number of those between") {
  constexpr WallTime kSecond = 1'000'000'000, kStart = 50 * kSecond;
  MessageCounts counts(toy::stream(), 0);
  const Fault fault{"unknown message", "code", 0}, elsewhere{"unknown message", "length", 0},
      other{"too long", "code", 0};
  const auto add = [&](const Fault& one, WallTime at, Way way = Way::kToClient) {
    const MessageCounts::Say say = counts.add(way, one, at);
    return say.now ? static_cast<int>(say.suppressed) : -1;
  };
  CHECK(add(fault, kStart) == 0);
  CHECK_FALSE(counts.has_suppressed());
  // Each field, each kind and each way has a report of its own.
  CHECK(add(elsewhere, kStart) == 0);
  CHECK(add(other, kStart) == 0);
  CHECK(add(fault, kStart, Way::kToServer) == 0);
  CHECK(add(fault, kStart + 1) == -1);
  CHECK(add(fault, kStart + kSecond - 1) == -1);
  CHECK(counts.has_suppressed());
  CHECK(add(fault, kStart + kSecond) == 2);
  CHECK_FALSE(counts.has_suppressed());
  CHECK(add(fault, kStart + 2 * kSecond - 1) == -1);  // the second begins with the last report
  CHECK(counts.take_suppressed(kStart + 2 * kSecond - 1).empty());
  const auto due = counts.take_suppressed(kStart + 2 * kSecond);
  REQUIRE(due.size() == 1);
  CHECK(due[0].count == 1);
  CHECK(due[0].what == "unknown message");
  CHECK(due[0].field == "code");
  CHECK(due[0].way == Way::kToClient);
  CHECK_FALSE(counts.has_suppressed());
  CHECK(counts.take_suppressed(kStart + 9 * kSecond).empty());
  CHECK(add(fault, kStart + 3 * kSecond - 1) == -1);  // they count as reported
  CHECK(add(fault, kStart + 3 * kSecond) == 1);
  std::vector<MessageCount> messages;
  std::vector<FaultCount> faults;
  counts.snapshot(messages, faults);
  REQUIRE(faults.size() == 4);
  CHECK(faults[0].count == 7);
  CHECK(faults[0].dialect == "big");
  CHECK(faults[3].way == Way::kToServer);
  CHECK(faults[3].count == 1);
}

}  // namespace
}  // namespace entente::relay::message_counts_test
