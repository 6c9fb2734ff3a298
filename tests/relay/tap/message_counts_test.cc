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

}  // namespace
}  // namespace entente::relay::message_counts_test
