#include <doctest/doctest.h>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/wire/dissect.h"
#include "tests/support/hex.h"
#include "tests/support/laws.h"
#include "tests/support/printed_frame.h"

namespace entente {
namespace {

using wire::Lane, wire::Stage, wire::Way;

std::string printed(std::string_view hex, Way way) {
  const auto codec = bzdraft::game().codec(0);
  const Buffer bytes = from_hex(hex);
  return printed_frame(*codec, {way, Lane::kStream, Stage::kPlay, bytes});
}

TEST_CASE("bzdraft: the laws hold") {
  check_invented_messages_survive(bzdraft::game(), 100);
  check_damaged_messages_are_faults_or_exact(bzdraft::game(), 100);
}

TEST_CASE("bzdraft: every boxed message has the size the page draws") {
  const struct {
    const char* name;
    std::size_t payload;
  } kDrawn[] = {{"MsgFlagUpdate", 18}, {"MsgShotBegin", 35}, {"MsgShotUpdate", 31}, {"MsgPlayerUpdate", 34},
                {"MsgKilled", 4},      {"MsgShotEnd", 3},    {"MsgScore", 5},       {"MsgTeleport", 5},
                {"MsgTeamUpdate", 5},  {"MsgTimeLeft", 2},   {"MsgScoreOver", 1},   {"MsgAccept", 1},
                {"MsgRemovePlayer", 1}};
  const auto codec = bzdraft::game().codec(0);
  for (const auto& drawn : kDrawn) {
    for (const auto& row : codec->rows()) {
      if (std::string_view(row.name) != drawn.name) continue;
      codec->make(row, Way::kToClient);
      Buffer bytes;
      codec->encode(bytes);
      CHECK_MESSAGE(bytes.size() == 4 + drawn.payload, drawn.name);
    }
  }
}

TEST_CASE("bzdraft: one code, two messages, told by length; and the code of every program is read too") {
  CHECK(printed("0002 746f 003c", Way::kToClient) == "MsgTimeLeft seconds=60");
  CHECK(printed("0005 746f 01 0002 0003", Way::kToClient) == "MsgTeamUpdate team=1 wins=2 losses=3");
  CHECK(printed("0005 7475 01 0002 0003", Way::kToClient) == "MsgTeamUpdate team=1 wins=2 losses=3");
  CHECK(printed("0005 7363 01 0002 0003", Way::kToServer) == "MsgScore player=1 wins=2 losses=3");
  CHECK(printed("0005 7470 01 0002 0003", Way::kToServer) == "MsgTeleport player=1 from=2 to=3");
}

TEST_CASE("bzdraft: score over is read with one byte and with two") {
  CHECK(printed("0001 736f 07", Way::kToClient) == "MsgScoreOver winner=7");
  CHECK(printed("0002 736f 0700", Way::kToClient) == "MsgScoreOver winner=7 second=0");
  CHECK(printed("0003 736f 070000", Way::kToClient) == "fault: bytes left over  6");
}

TEST_CASE("bzdraft: positions are signed") {
  CHECK(printed("000d 616c 05 fffffc18 000003e8 00000000", Way::kToClient) ==
        "MsgAlive player=5 position=(-1000 1000 0)");
}

TEST_CASE("bzdraft: entering names password, callsign, email and avatar") {
  CHECK(printed("000f 656e 01 00 7000 616e6e00 6500 7461 6e6b 00", Way::kToServer) ==
        "MsgEnter team=1 type=0 password=\"p\" callsign=\"ann\" email=\"e\" avatar=\"tank\"");
}

struct Count final : wire::Dissected {
  int frames = 0, raws = 0;
  void frame(const wire::Frame&) override { ++frames; }
  void raw(Way, Lane, Bytes, const Fault*) override { ++raws; }
};

TEST_CASE("bzdraft: a packet holds one message or several") {
  Count count;
  wire::Dissector dissector(bzdraft::game(), 0);
  dissector.datagram(Way::kToClient, from_hex("0002 746f 003c 0000 736b"), count);
  CHECK(count.frames == 2);
  CHECK(count.raws == 0);
  dissector.datagram(Way::kToClient, from_hex("0002 746f 00"), count);
  CHECK(count.raws == 1);
}

TEST_CASE("bzdraft: a packet that is one message is as long as it says") {
  Count count;
  wire::Dissector dissector(bzdraft::game(), 0);
  dissector.stream(Way::kToClient, from_hex("0002 746f 003c"), count);
  CHECK(count.frames == 1);
  dissector.stream(Way::kToClient, from_hex("0002 746f 003c 00"), count);
  dissector.stream(Way::kToClient, from_hex("0003 746f 003c"), count);
  dissector.stream(Way::kToClient, {}, count);
  CHECK(count.frames == 1);
  CHECK(count.raws == 3);
}

}  // namespace
}  // namespace entente
