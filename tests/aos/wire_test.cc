#include <doctest/doctest.h>

#include "adapters/aos/aos.h"
#include "tests/support/hex.h"
#include "tests/support/laws.h"
#include "tests/support/printed_frame.h"

namespace entente::wire_test {
namespace {

using wire::Lane, wire::Stage, wire::Way;

constexpr std::size_t k075 = 0, k076 = 1, k080 = 2;

/// "Name field=value …" of a packet, or "fault: what field offset".
std::string printed(std::string_view hex, Way way, std::size_t dialect = k075) {
  const auto codec = aos::game().codec(dialect);
  const Buffer bytes = from_hex(hex);
  return printed_frame(*codec, {way, Lane::kStream, Stage::kPlay, bytes});
}

TEST_CASE("aos: invented messages survive, and damaged ones are faults or exact") {
  check_invented_messages_survive(aos::game(), 100);
  check_damaged_messages_are_faults_or_exact(aos::game(), 100);
}

TEST_CASE("aos: a real client's join packet") {
  CHECK(printed("09 01 00 00 02 00000000 6f6f6f 6273706164657300", Way::kToServer) ==
        "ExistingPlayer player=1 team=0 weapon=0 tool=2 kills=0 colour=(111 111 111) name=\"bspades\"");
}

TEST_CASE("aos: territory capture has no player id, contrary to the protocol's page") {
  CHECK(printed("15 040000", Way::kToClient) == "TerritoryCapture territory=4 winning=0 team=0");
  CHECK(printed("15 04000001", Way::kToClient) == "fault: bytes left over  4");
}

TEST_CASE("aos: an id means a different packet in each direction") {
  CHECK(printed("05 0301", Way::kToServer) == "Hit victim=3 part=1");
  CHECK(printed("05 32 01 00000000 0000803f 00000040", Way::kToClient) == "SetHp hp=50 cause=1 source=(0 1 2)");
  CHECK(printed("1f 01", Way::kToServer, k076) == "MapCached cached=1");
  CHECK(printed("1f 0000002a", Way::kToClient) == "HandshakeInit challenge=(0 0 0 42)");
}

TEST_CASE("aos: only clients send ShortPlayerData and ChangeTeam") {
  CHECK(printed("0a 965261", Way::kToServer, k080) == "ShortPlayerData player=150 team=82 weapon=97");
  CHECK(printed("1d da00", Way::kToServer, k080) == "ChangeTeam player=218 team=0");
  CHECK(printed("0a 965261", Way::kToClient, k080) == "fault: unknown message code 0");
  CHECK(printed("1d da00", Way::kToClient, k080) == "fault: unknown message code 0");
}

TEST_CASE("aos: state data has a known mode, and at least as many territories as it counts") {
  const std::string head = "0f 02 000000 0000ff 00ff00 00000000000000000000 00000000000000000000 ";
  const std::string territory = "00000000 00000000 00000000 02";
  CHECK(printed(head + "02", Way::kToClient) == "fault: value out of range mode 32");
  CHECK(printed(head + "01 01" + territory + territory, Way::kToClient)
            .ends_with(" mode=1 territory_count=1 territories=[{position=(0 0 0) team=2} {position=(0 0 0) team=2}]"));
  CHECK(printed(head + "01 02" + territory, Way::kToClient) == "fault: count exceeds the bytes left territories 46");
}

TEST_CASE("aos: world update names its players from 0.76 on") {
  const std::string floats = "0000803f 0000803f 0000803f 00000000 00000000 00000000";
  CHECK(printed("02" + floats, Way::kToClient) == "WorldUpdate players=[{position=(1 1 1) orientation=(0 0 0)}]");
  CHECK(printed("02 07" + floats, Way::kToClient, k076) ==
        "WorldUpdate players=[{player=7 position=(1 1 1) orientation=(0 0 0)}]");
}

TEST_CASE("aos: state data distinguishes dropped intel from carried intel") {
  const std::string head = "0f 02 000000 0000ff 00ff00 426c7565000000000000 477265656e0000000000 00 01020a";
  const std::string vec = "00000000 00000000 00000000 ", held = "05 0102030405060708090a0b ";
  CHECK(printed(head + "00" + vec + vec + vec + vec, Way::kToClient).find("intel1=(0 0 0) intel2=(0 0 0)") !=
        std::string::npos);
  CHECK(printed(head + "01" + vec + held + vec + vec, Way::kToClient).find("intel1=(0 0 0) carrier2={player=5") !=
        std::string::npos);
  CHECK(printed(head + "02" + held + vec + vec + vec, Way::kToClient).find("carrier1={player=5") != std::string::npos);
}

TEST_CASE("aos: a query or reply outside ENet is distinguished from an unreliable packet by its content") {
  const auto read = [](std::string_view text, Way way) {
    const Bytes bytes = as_bytes(text);
    const auto cut = aos::game().datagram_cutter(way, k075)->next(bytes);
    CHECK((!cut.fault && cut.size == bytes.size()));
    return printed_frame(*aos::game().codec(k075), {way, Lane::kDatagram, cut.stage, bytes});
  };
  CHECK(read("HELLO", Way::kToServer) == "Hello text=\"HELLO\"");
  CHECK(read("HELLOLAN", Way::kToServer) == "Hello text=\"HELLOLAN\"");
  CHECK(read("HI", Way::kToClient) == "HelloReply text=\"HI\"");
  CHECK(read(R"({"a":1})", Way::kToClient) == R"(HelloReply text="{\"a\":1}")");
  CHECK(read("HI", Way::kToServer).starts_with("ExtensionPacket "));
  CHECK(read("HELLO", Way::kToClient).starts_with("ExtensionPacket "));
  CHECK(read("{x", Way::kToClient).starts_with("ExtensionPacket "));
  CHECK(read("\x05\x03\x01", Way::kToServer) == "Hit victim=3 part=1");
}

TEST_CASE("aos 0.80: the three vectors of the facts file") {
  CHECK(
      printed("0007000000010101010111000000000000000000000000000000000000000000000000000040804300408043000067420000803f"
              "00000000000000000000803e000000000000000000807c4300408043000067420000803f00000000000000000000000000000000"
              "00000000",
              Way::kToServer, k080)
          .starts_with("StateUpdate sequence=7 inputs=(1 1 1 1 1 17 0"));
  CHECK(
      printed("00080000000101010101110000000000000000000000000000000000000000000000000100807c4300408043000067420000803f"
              "0000000000000000000000000000000000000000",
              Way::kToServer, k080)
          .ends_with("still=1 oldest={position=(252.5 256.5 57.75) orientation=(1 0 0) velocity=(0 0 0)}"));
  CHECK(printed("002a000000020001000040804300408043000067420000803f00000000000000000000803e0000000000000000030001",
                Way::kToClient, k080) ==
        "StateUpdate sequence=42 players=[{player=0 input=1 still=0 motion={position=(256.5 256.5 57.75) "
        "orientation=(1 0 0) velocity=(0.25 0 0)}} {player=3 input=0 still=1}] extra=<0 bytes>");
}

TEST_CASE("aos 0.80: length and still byte must agree") {
  const std::string start = "00 08000000" + std::string(60, '0');
  const std::string motion(72, '0');
  for (const auto& legal : {start + "01", start + "01" + motion, start + "01" + "00" + motion, start + motion + motion,
                            start + "00" + motion + motion, start + "00" + motion + "00" + motion})
    CHECK(printed(legal, Way::kToServer, k080).starts_with("StateUpdate"));
  CHECK(printed(start + "00" + motion, Way::kToServer, k080) == "fault: value contradicts the length still 36");
  CHECK(printed(start + "01" + motion + motion, Way::kToServer, k080) ==
        "fault: value contradicts the length still 36");
  CHECK(printed(start + "01" + "0000", Way::kToServer, k080) == "fault: no form of this length form 1");
}

TEST_CASE("aos 0.80: a count beyond the bytes is refused") {
  CHECK(printed("00 2a000000 ff 000101", Way::kToClient, k080) == "fault: count exceeds the bytes left players 6");
}

}  // namespace
}  // namespace entente::wire_test
