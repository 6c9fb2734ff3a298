#include <doctest/doctest.h>

#include <functional>

#include "adapters/bzdraft/bzdraft.h"
#include "adapters/bzdraft/wire/messages.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/message_codec.h"
#include "tests/support/hex.h"
#include "tests/support/laws.h"
#include "tests/support/printed_frame.h"

namespace entente::wire_test {
namespace {

using wire::Lane, wire::Stage, wire::Way;

std::string printed(std::string_view hex, Way way) {
  const auto codec = bzdraft::game().codec(0);
  const Buffer bytes = from_hex(hex);
  return printed_frame(*codec, {way, Lane::kStream, Stage::kPlay, bytes});
}

TEST_CASE("bzdraft: invented messages survive, and damaged ones are faults or exact") {
  check_invented_messages_survive(bzdraft::game(), 100);
  check_damaged_messages_are_faults_or_exact(bzdraft::game(), 100);
}

TEST_CASE("bzdraft: every message that the page draws has the size drawn") {
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

TEST_CASE("bzdraft: two messages with one code are distinguished by length; the codes of real programs are read, too") {
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

struct Count final : wire::DissectorSink {
  int frames = 0, raws = 0;
  void frame(const wire::Frame&) override { ++frames; }
  void raw(Way, Lane, Bytes, const Fault*) override { ++raws; }
};

TEST_CASE("bzdraft: call sign and email end with a NUL; an avatar may end with its message") {
  CHECK(printed("000a 656e 01 00 7000 616e6e00 6500", Way::kToServer) ==
        "MsgEnter team=1 type=0 password=\"p\" callsign=\"ann\" email=\"e\" avatar=\"\"(no end)");
  CHECK(printed("000c 656e 01 00 7000 616e6e00 6500 7461", Way::kToServer) ==
        "MsgEnter team=1 type=0 password=\"p\" callsign=\"ann\" email=\"e\" avatar=\"ta\"(no end)");
  CHECK(printed("0009 656e 01 00 7000 616e6e00 65", Way::kToServer) == "fault: no NUL ends the text email 13");
  CHECK(printed("0007 656e 01 00 7000 616e6e", Way::kToServer) == "fault: no NUL ends the text callsign 11");
  CHECK(
      printed("002d 6170 00009200 01ffff 4d42f09f90b85c2275c3a937367b4f567b7d6422006d385b344820e6bca2326c695650397d46",
              Way::kToServer) == "fault: no NUL ends the text email 49");
}

/// Prints each frame, and the fault of what is not a frame.
struct Cut final : wire::DissectorSink {
  std::unique_ptr<wire::Codec> codec = bzdraft::game().codec(0);
  std::string all;
  void frame(const wire::Frame& frame) override { all += printed_frame(*codec, frame) + "; "; }
  void raw(Way, Lane, Bytes, const Fault* why) override { all += std::string(why->what) + "; "; }
};

TEST_CASE("bzdraft: a packet, reliable or not, holds one or more messages; an incomplete one is a fault") {
  const auto reliably = [](Way way, std::string_view hex) {
    Cut cut;
    wire::Dissector(bzdraft::game(), 0).stream(way, from_hex(hex), cut);
    return cut.all;
  };
  const auto unreliably = [](Way way, std::string_view hex) {
    Cut cut;
    wire::Dissector(bzdraft::game(), 0).datagram(way, from_hex(hex), cut);
    return cut.all;
  };
  for (const auto& packet : {std::function(reliably), std::function(unreliably)}) {
    CHECK(packet(Way::kToServer, "0002 6766 0001 0002 6766 0002") == "MsgGrabFlag number=1; MsgGrabFlag number=2; ");
    CHECK(packet(Way::kToClient, "0001 7270 01 0002 746f 0007") == "MsgRemovePlayer player=1; MsgTimeLeft seconds=7; ");
    CHECK(packet(Way::kToClient, "0002 746f 003c 00") == "MsgTimeLeft seconds=60; message too short; ");
    CHECK(packet(Way::kToClient, "0003 746f 003c") == "message too short; ");
  }
}

TEST_CASE("bzdraft: a message may be longer than 1024 bytes") {
  const auto codec = bzdraft::game().codec(0);
  Buffer bytes = from_hex("07d2 6d67 01ff");
  bytes.resize(bytes.size() + 2000, 'x');
  CHECK(codec->decode({Way::kToServer, Lane::kStream, Stage::kPlay, bytes}).ok());
}

TEST_CASE("bzdraft: a message with two codes is written with the page's, unless another is given") {
  const auto codec = bzdraft::game().codec(0);
  const auto& typed_codec = dynamic_cast<const wire::MessageCodec<bzdraft::Message>&>(*codec);
  Buffer drawn, chosen;
  typed_codec.write(bzdraft::TeamUpdate{1, 2, 3}, Way::kToClient, drawn);
  typed_codec.write(bzdraft::TeamUpdate{1, 2, 3}, Way::kToClient, chosen, 0x7475);
  CHECK(to_hex(drawn) == "0005746f0100020003");
  CHECK(to_hex(chosen) == "000574750100020003");
}

TEST_CASE("bzdraft: last words are a reject with the reason, if there is one, and the end") {
  const auto words = [](wire::Parting parting, std::string_view why) {
    std::string all;
    for (const Buffer& packet : bzdraft::game().last_words(0, wire::ClientStage::kNew, parting, why)) {
      Cut cut;
      wire::Dissector(bzdraft::game(), 0).stream(Way::kToClient, packet, cut);
      all += cut.all;
    }
    return all;
  };
  CHECK(words(wire::Parting::kFull, "no seat") == "MsgReject reason=7 text=\"no seat\"; MsgSuperKill; ");
  CHECK(words(wire::Parting::kTooManyFromAddress, "no seat") == "MsgReject reason=7 text=\"no seat\"; MsgSuperKill; ");
  CHECK(words(wire::Parting::kBanned, "go") == "MsgReject reason=2 text=\"go\"; MsgSuperKill; ");
  CHECK(words(wire::Parting::kLeft, "") == "MsgSuperKill; ");
}

}  // namespace
}  // namespace entente::wire_test
