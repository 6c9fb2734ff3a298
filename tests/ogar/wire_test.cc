#include <doctest/doctest.h>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/text.h"
#include "adapters/ogar/wire/wire.h"
#include "tests/support/hex.h"
#include "tests/support/laws.h"
#include "tests/support/printed_frame.h"

namespace entente::wire_test {
namespace {

using wire::Lane, wire::Stage, wire::Way;

constexpr Way kUp = Way::kToServer, kDown = Way::kToClient;

/// "Name field=value …" of a message, or "fault: what field offset".
std::string printed(std::string_view dialect, Way way, std::string_view hex, Stage stage = Stage::kPlay) {
  const auto codec = ogar::game().codec(wire::find_dialect(ogar::game(), dialect).value());
  const Buffer bytes = from_hex(hex);
  return printed_frame(*codec, {way, Lane::kStream, stage, bytes});
}
std::string modern(Way way, std::string_view hex) { return printed("modern3", way, hex); }
/// The same in every legacy dialect from `first` to `last`.
std::string legacy(unsigned first, unsigned last, Way way, std::string_view hex) {
  const std::string line = printed("legacy" + std::to_string(first), way, hex);
  for (unsigned v = first + 1; v <= last; ++v) CHECK(printed("legacy" + std::to_string(v), way, hex) == line);
  return line;
}

TEST_CASE("a text is cut by the units of 16 bits that a client counts, of which some characters have two") {
  const std::string shield = "\xf0\x9f\x9b\xa1", umlaut = "\xc3\xbc";  // two units, and one
  CHECK(ogar::cut(shield + shield, 4) == shield + shield);
  CHECK(ogar::cut(shield + shield, 3) == shield);
  CHECK(ogar::cut(shield + umlaut, 3) == shield + umlaut);
  CHECK(ogar::cut(shield, 1).empty());
  CHECK(ogar::cut(umlaut + "a" + umlaut, 2) == umlaut + "a");
}

TEST_CASE("ogar: the rules for every message hold") {
  check_invented_messages_survive(ogar::game(), 40);
  check_damaged_messages_are_faults_or_exact(ogar::game(), 40);
}

TEST_CASE("ogar: only the first message names the dialect") {
  const auto hello = [](std::string_view dialect, std::string_view hex) {
    return printed(dialect, kUp, hex, Stage::kGreeting);
  };
  CHECK(hello("modern3", "0103000000") == "Hello opcode=1 version=3 trailing=<0 bytes>");
  CHECK(hello("modern3", "0103000000ff") == "Hello opcode=1 version=3 trailing=<1 bytes: ff>");
  CHECK(hello("modern3", "0101000000") == "fault: value out of range version 5");
  CHECK(hello("legacy4", "fe02000000") == "Hello opcode=254 version=2 trailing=<0 bytes>");
  CHECK(hello("legacy22", "fe16000000") == "Hello opcode=254 version=22 trailing=<0 bytes>");
  CHECK(hello("legacy6", "fe05000000") == "fault: value out of range version 5");
  CHECK(modern(kUp, "0103000000") == "fault: unknown message code 0");

  const auto named = [](std::string_view hex) -> std::string {
    const auto dialect = ogar::game().named_by_client(from_hex(hex));
    return dialect ? std::string(ogar::game().dialects()[*dialect].name) : "none";
  };
  CHECK(named("0103000000") == "modern3");
  CHECK(named("fe00000000") == "legacy4");
  CHECK(named("fe0b00000000") == "legacy11");
  CHECK(named("fe16000000") == "legacy22");
  CHECK(named("fe17000000") == "none");
  CHECK(named("0102000000") == "none");
  CHECK(named("fe0600") == "none");
}

TEST_CASE("ogar: modern, client to server") {
  CHECK(modern(kUp, "02") == "Ping trailing=<0 bytes>");
  CHECK(modern(kUp, "03 01000000 ffffffff 02 03 74") ==
        "ClientUpdate x=1 y=-1 splits=2 minion_splits=3 flags=116 trailing=<0 bytes>");
  CHECK(modern(kUp, "03 00000000 00000000 00 00 81 6100 02 68690062") ==
        "ClientUpdate x=0 y=0 splits=0 minion_splits=0 flags=129 name=\"a\" chat=[\"hi\" \"b\"(no end)] "
        "trailing=<0 bytes>");
  CHECK(modern(kUp, "03 00000000 00000000 00 00 01 616263") ==
        "ClientUpdate x=0 y=0 splits=0 minion_splits=0 flags=1 name=\"abc\"(no end) trailing=<0 bytes>");
  CHECK(modern(kUp, "03 00000000 00000000 00 00 01 00 aabb") ==
        "ClientUpdate x=0 y=0 splits=0 minion_splits=0 flags=1 name=\"\" trailing=<2 bytes: aabb>");
  CHECK(modern(kUp, "03 00000000 00000000 00 00 01") == "fault: message too short name 12");
}

TEST_CASE("ogar: modern, a client's lines are counted as by OgarII: after a long name, more lines than there are") {
  CHECK(modern(kUp, "03 ffffff7f ffffff7f 1a 01 d5 445200 04 797666") ==
        "ClientUpdate x=2147483647 y=2147483647 splits=26 minion_splits=1 flags=213 name=\"DR\" "
        "chat=[\"yvf\"(no end) \"\"(no end) \"\"(no end) \"\"(no end)] trailing=<0 bytes>");
  CHECK(modern(kUp, "03 00000000 00000000 00 00 81 445200 05 797666").starts_with("ClientUpdate "));
  CHECK(modern(kUp, "03 00000000 00000000 00 00 81 445200 06 797666") == "fault: count exceeds the bytes left chat 16");
  CHECK(modern(kUp, "03 00000000 00000000 00 00 80 03 797666").starts_with("ClientUpdate "));
  CHECK(modern(kUp, "03 00000000 00000000 00 00 80 04 797666") == "fault: count exceeds the bytes left chat 13");
}

TEST_CASE("ogar: modern, a server's text ends with a NUL") {
  CHECK(modern(kDown, "03 1000 0100 6e00 3f3fc0 01 6869") == "fault: no NUL ends the text text 13");
  CHECK(modern(kDown, "03 2000 03 0100 61") == "fault: no NUL ends the text lines 7");
  CHECK(modern(kDown, "03 0800 53") == "fault: no NUL ends the text server 4");
}

TEST_CASE("ogar: modern, every part of an update") {
  CHECK(modern(kDown, "02") == "Pong");
  CHECK(modern(kDown, "03 4000") == "Update flags=64");
  CHECK(modern(kDown, "03 0100 0000803f 000000c0 cdcccc3e") == "Update flags=1 camera={x=1 y=-2 scale=0.4}");
  CHECK(modern(kDown, "03 4200 0000c07f 0000c07f 0000c07f 0000c07f") ==
        "Update flags=66 border={left=nan right=nan top=nan bottom=nan}");
  CHECK(modern(kDown, "03 0400 02 01 03 06") == "Update flags=4 server={mode=2 major=1 minor=3 patch=6}");
  CHECK(modern(kDown, "03 1000 0100 6e00 3f3fc0 01 686900") ==
        "Update flags=16 chat=[{name=\"n\" colour=(63 63 192) by_server=1 text=\"hi\"}]");
  CHECK(modern(kDown, "03 8000 07000000 00 0000803f 000000c0 2000 ff0010 07 6e00 7300 00000000") ==
        "Update flags=128 added=[{id=7 type=0 x=1 y=-2 size=32 colour=(255 0 16) flags=7 name=\"n\" skin=\"s\"}]");
  CHECK(modern(kDown, "03 0001 07000000 1f 0000803f 000000c0 2000 ff0010 6e00 00 08000000 00 00000000") ==
        "Update flags=256 updated=[{id=7 flags=31 x=1 y=-2 size=32 colour=(255 0 16) name=\"n\" skin=\"\"} "
        "{id=8 flags=0}]");
  CHECK(modern(kDown, "03 0006 07000000 08000000 00000000 07000000 00000000") ==
        "Update flags=1536 eaten=[{killed=7 killer=8}] removed=[7]");
  CHECK(modern(kDown, "03 0004 07000000") == "fault: message too short removed 7");
  CHECK(modern(kDown, "03 4000 00") == "fault: bytes left over  3");
}

TEST_CASE("ogar: modern, the three boards") {
  CHECK(modern(kDown, "03 2000 01 0100 03 6100 1100 01 00 0000") ==
        "Update flags=32 board={type=1 rows=[{position=1 flags=3 name=\"a\"} {position=17 flags=1 name=\"\"}]}");
  CHECK(modern(kDown, "03 2000 02 0300 0000c07f 0000c07f 0000003f") ==
        "Update flags=32 board={type=2 slices=[nan nan 0.5]}");
  CHECK(modern(kDown, "03 2000 03 0100 6100") == "Update flags=32 board={type=3 lines=[\"a\"]}");
  CHECK(modern(kDown, "03 2000 04") == "fault: value out of range type 4");
}

TEST_CASE("ogar: world info has five counts, or four if it is last") {
  const std::string head = "5300 4600 0000803f 0a000000 ";
  CHECK(modern(kDown, "03 0800" + head + "6400 0100 0200 0300 0400") ==
        "Update flags=8 server=\"S\" mode=\"F\" load=1 uptime=10 limit=100 external=1 internal=2 playing=3 "
        "spectating=4");
  CHECK(modern(kDown, "03 0800" + head + "0100 0200 0300 0400") ==
        "Update flags=8 server=\"S\" mode=\"F\" load=1 uptime=10 external=1 internal=2 playing=3 spectating=4");
  CHECK(modern(kDown, "03 0804" + head + "6400 0100 0200 0300 0400 00000000") ==
        "Update flags=1032 server=\"S\" mode=\"F\" load=1 uptime=10 limit=100 external=1 internal=2 playing=3 "
        "spectating=4 removed=[]");
  CHECK(modern(kDown, "03 0804" + head + "0100 0200 0300 0400 00000000") == "fault: message too short removed 25");
}

TEST_CASE("ogar: four counts in one message do not affect the next message") {
  const auto codec = ogar::game().codec(0);
  for (const char* hex : {"03 0800 00 00 0000803f 0a000000 0100 0200 0300 0400",
                          "03 0804 00 00 0000803f 0a000000 6400 0100 0200 0300 0400 00000000"}) {
    const Buffer bytes = from_hex(hex);
    REQUIRE(codec->decode({kDown, Lane::kStream, Stage::kPlay, bytes}).ok());
    Buffer again;
    codec->encode(again);
    CHECK(to_hex(again) == to_hex(bytes));
  }
}

TEST_CASE("ogar: legacy, client to server") {
  CHECK(legacy(4, 22, kUp, "ff 01000000") == "Key key=1 trailing=<0 bytes>");
  CHECK(legacy(4, 5, kUp, "00 61002600ac20 0000") == "Join name=\"a&\\u20ac\" trailing=<0 bytes>");
  CHECK(legacy(6, 22, kUp, "00 6162 00 09") == "Join name=\"ab\" trailing=<1 bytes: 09>");
  CHECK(legacy(6, 22, kUp, "00") == "Join name=\"\"(no end) trailing=<0 bytes>");
  CHECK(legacy(4, 22, kUp, "10 01000000 feffffff 00000000") == "Mouse x=1 y=-2 pad=00000000");
  CHECK(legacy(4, 22, kUp, "10 0100 feff 00000000") == "Mouse x=1 y=-2 pad=00000000");
  CHECK(legacy(4, 22, kUp, "10 000000000000f83f 00000000000000c0 01020304") == "Mouse x=1.5 y=-2 pad=01020304");
  CHECK(legacy(4, 22, kUp, "10 0000000000") == "fault: no form of this length form 1");
  CHECK(legacy(6, 22, kUp, "63 00 686900") == "Say flags=0 text=\"hi\" trailing=<0 bytes>");
  CHECK(legacy(6, 22, kUp, "63 0e 01020304 0102030405060708 0102030405060708090a0b0c0d0e0f10 6800") ==
        "Say flags=14 reserved2=01020304 reserved4=0102030405060708 "
        "reserved8=0102030405060708090a0b0c0d0e0f10 text=\"h\" trailing=<0 bytes>");
  CHECK(legacy(4, 5, kUp, "63 00 68006900 0000") == "Say flags=0 text=\"hi\" trailing=<0 bytes>");
  CHECK(legacy(4, 22, kUp, "63") == "fault: message too short flags 1");
  const char* const bare[][2] = {{"01", "Spectate"},    {"11", "Split"},        {"12", "QPress"},
                                 {"13", "QRelease"},    {"15", "Eject"},        {"16", "MinionSplit"},
                                 {"17", "MinionEject"}, {"18", "MinionFreeze"}, {"19", "MinionCollect"},
                                 {"fe", "StatRequest"}};
  for (const auto& [hex, name] : bare) CHECK(legacy(4, 22, kUp, hex) == std::string(name) + " trailing=<0 bytes>");
  CHECK(legacy(4, 22, kUp, "14") == "fault: unknown message code 0");
}

TEST_CASE("ogar: legacy, cells are complete, or have the fields that their flags announce") {
  const std::string eaten = "10 0100 08000000 07000000 ";
  CHECK(printed("legacy4", kDown,
                eaten + "07000000 0100 feff 2000 ff0010 05 7300 6e000000 08000000 0000 0000 0a00 010203 20 0000 "
                        "00000000 01000000 07000000") ==
        "UpdateNodes eaten=[{killer=8 killed=7}] nodes=[{id=7 x=1 y=-2 size=32 colour=(255 0 16) flags=5 skin=\"s\" "
        "name=\"n\"} {id=8 x=0 y=0 size=10 colour=(1 2 3) flags=32 name=\"\"}] removed=[7]");
  CHECK(printed("legacy5", kDown,
                eaten + "07000000 01000000 feffffff 2000 ff0010 00 6e000000 00000000 01000000 07000000") ==
        "UpdateNodes eaten=[{killer=8 killed=7}] nodes=[{id=7 x=1 y=-2 size=32 colour=(255 0 16) flags=0 "
        "name=\"n\"}] removed=[7]");
  CHECK(legacy(6, 22, kDown,
               eaten + "07000000 01000000 feffffff 2000 8e 01 ff0010 7300 6e00 08000000 00000000 00000000 0a00 01 "
                       "00000000 0100 07000000") ==
        "UpdateNodes eaten=[{killer=8 killed=7}] nodes=[{id=7 x=1 y=-2 size=32 flags=142 extra=1 "
        "colour=(255 0 16) skin=\"s\" name=\"n\"} {id=8 x=0 y=0 size=10 flags=1}] removed=[7]");
  CHECK(legacy(4, 5, kDown, "10 0000 00000000 00000000") == "UpdateNodes eaten=[] nodes=[] removed=[]");
  CHECK(legacy(6, 22, kDown, "10 0000 00000000 0000") == "UpdateNodes eaten=[] nodes=[] removed=[]");
  CHECK(legacy(6, 22, kDown, "10 ffff 00000000 0000") == "fault: count exceeds the bytes left eaten 3");
}

TEST_CASE("ogar: legacy, the small messages") {
  CHECK(legacy(4, 22, kDown, "11 0000803f 000000c0 cdcccc3e") == "UpdatePosition x=1 y=-2 scale=0.4");
  CHECK(legacy(4, 22, kDown, "12") == "ClearAll");
  CHECK(legacy(4, 22, kDown, "14") == "ClearOwned");
  CHECK(legacy(4, 22, kDown, "20 07000000") == "AddNode id=7");
  CHECK(legacy(6, 22, kDown, "63 80 3f3fc0 5300 686900") ==
        "ChatMessage flags=128 colour=(63 63 192) name=\"S\" text=\"hi\"");
  CHECK(legacy(4, 5, kDown, "63 80 3f3fc0 53000000 680069000000") ==
        "ChatMessage flags=128 colour=(63 63 192) name=\"S\" text=\"hi\"");
}

TEST_CASE("ogar: legacy, chat in 16-bit units, as MultiOgarII sends it before the key, is distinguished from UTF-8") {
  const auto chat = [](std::string_view hex) { return legacy(6, 22, kDown, "63 00 000000" + std::string(hex)); };
  const std::string head = "ChatMessage flags=0 colour=(0 0 0) ";
  CHECK(chat("53000000 6800ac200000") == head + "name=\"S\" text=\"h\\u20ac\"");
  CHECK(chat("0000 0000") == head + "name=\"\" text=\"\"");
  CHECK(chat("00 00") == head + "name=\"\" text=\"\"");
  CHECK(chat("6100 00") == head + "name=\"a\" text=\"\"");
  CHECK(chat("6100 6200") == head + "name=\"a\" text=\"b\"");
  CHECK(chat("5300 686900 00") == "fault: bytes left over  10");
  CHECK(chat("53000000 68000000 00").starts_with("fault: bytes left over"));

  const std::size_t legacy6 = wire::find_dialect(ogar::game(), "legacy6").value();
  const auto codec = ogar::make_message_codec(legacy6);
  ogar::ServerTranslator translator(legacy6);
  std::string said;
  const Buffer line = from_hex("63 00 000000 53000000 6800ac200000");
  translator.hear(*(*codec->read({kDown, Lane::kStream, Stage::kPlay, line})).message,
                  [&](const ogar::Message& message) {
                    for (const auto& one : std::get<ogar::Update>(message).chat)
                      said += one.name.chars + ": " + one.text.chars;
                  });
  CHECK(said == "S: h\u20ac");
}

TEST_CASE("ogar: legacy, the border has the world's name, which MultiOgarII may omit") {
  const std::string border = "40 0000000000009fc0 0000000000009fc0 0000000000009f40 0000000000009f40";
  const std::string line = "SetBorder left=-1984 top=-1984 right=1984 bottom=1984";
  CHECK(legacy(4, 22, kDown, border) == line);
  CHECK(legacy(6, 22, kDown, border + "02000000 4f00") == line + " world={mode=2 server=\"O\"}");
  CHECK(legacy(4, 5, kDown, border + "02000000 4f000000") == line + " world={mode=2 server=\"O\"}");
}

TEST_CASE("ogar: legacy, every board") {
  CHECK(legacy(4, 5, kDown, "30 01000000 61000000") == "LeaderboardText lines=[{text=\"a\"}]");
  CHECK(legacy(6, 13, kDown, "30 01000000 6100") == "LeaderboardText lines=[{text=\"a\"}]");
  CHECK(legacy(4, 5, kDown, "31 01000000 07000000 61000000") == "Leaderboard rows=[{mark=7 name=\"a\"}]");
  CHECK(legacy(6, 10, kDown, "31 01000000 01000000 6100") == "Leaderboard rows=[{mark=1 name=\"a\"}]");
  CHECK(legacy(11, 13, kDown, "33 02 6100 08") == "RankedLeaderboard rows=[{flags=2 name=\"a\"} {flags=8}]");
  CHECK(legacy(11, 22, kDown, "35 02 6100 09 1100") ==
        "RankedLeaderboard rows=[{flags=2 name=\"a\"} {flags=9 rank=17}]");
  CHECK(legacy(14, 22, kDown, "33") == "fault: unknown message code 0");
  CHECK(legacy(4, 20, kDown, "32 02000000 0000c07f 0000003f") == "TeamLeaderboard slices=[{weight=nan} {weight=0.5}]");
  CHECK(legacy(21, 22, kDown, "32 01000000 0000003f ff0010") ==
        "TeamLeaderboard slices=[{weight=0.5 colour=(255 0 16)}]");
}

TEST_CASE("ogar: legacy, statistics in 16-bit units or bytes") {
  CHECK(legacy(6, 22, kDown, "fe 7b7d00") == "ServerStat json=\"{}\"");
  CHECK(legacy(4, 5, kDown, "fe 7b7d00") == "ServerStat json=\"{}\"");
  CHECK(legacy(4, 5, kDown, "fe 7b007d000000") == "ServerStat json=\"{}\"");
}

}  // namespace
}  // namespace entente::wire_test
