// Panic's bytes as the real programs send them, in each dialect; and what a relay asks the game for.
#include <doctest/doctest.h>

#include "adapters/panic/panic.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/print.h"
#include "tests/support/hex.h"
#include "tests/support/laws.h"

namespace entente::panic_test {
namespace {

using wire::Detected, wire::Frame, wire::Lane, wire::Stage, wire::Way;

constexpr std::size_t kBePacked = 0, kLePadded = 1, kMixed = 2;

/// One frame as inspect would show it; checks that it encodes to the same bytes.
std::string printed(wire::Codec& codec, const Frame& frame) {
  const auto row = codec.decode(frame);
  if (!row) return std::string("fault: ") + row.error().what + " " + row.error().field;
  Buffer again;
  codec.encode(again);
  CHECK(to_hex(again) == to_hex(frame.bytes));
  std::string line;
  print(**row, codec, line);
  return line;
}

/// Prints what a dissector gives, one message a line.
class Printed final : public wire::DissectorSink {
 public:
  explicit Printed(std::size_t dialect) : codec_(panic::game().codec(dialect)) {}
  std::string all;

  void frame(const Frame& frame) override { all += printed(*codec_, frame) + "\n"; }
  void raw(Way, Lane, Bytes bytes, const Fault* why) override {
    all += std::string("raw ") + (why != nullptr ? why->what : "-") + " " + to_hex(bytes) + "\n";
  }

 private:
  std::unique_ptr<wire::Codec> codec_;
};

std::string dissected(std::size_t dialect, Way way, std::string_view hex) {
  Printed to(dialect);
  wire::Dissector dissector(panic::game(), dialect);
  dissector.stream(way, from_hex(hex), to);
  dissector.end(way, to, false);
  return to.all;
}

// The first bytes of real servers: Game State, Update Ammo, a tank. In le-padded and mixed the padding is old memory.
constexpr const char* kFirst[] = {
    "010101000103000000010000000200000003 20000000006400000000 1000000032000000010104",
    "0101017301000300 000000010000000200000003 200073656400000000000000 103a21b5320000000100000001040000",
    "010101000103000000010000000200000003 200073656400000000000000 1000000032000000010104",
};

TEST_CASE("a server's first messages read the same in every dialect, except for padding") {
  CHECK(dissected(kBePacked, Way::kToClient, kFirst[kBePacked]) ==
        "GameState map=1 map_version=1 player=1 tank_count=3 tanks=[1 2 3]\n"
        "UpdateAmmo direction=0 value=100 piece=0\n"
        "CreateTank code=16 value=50 piece=1 x=1 y=4\n");
  CHECK(dissected(kLePadded, Way::kToClient, kFirst[kLePadded]) ==
        "GameState map=1 map_version=1 padding=73 player=1 tank_count=3 count_padding=00 tanks=[1 2 3]\n"
        "UpdateAmmo direction=0 padding=7365 value=100 piece=0\n"
        "CreateTank code=16 padding=3a21b5 value=50 piece=1 x=1 y=4 end_padding=0000\n");
  CHECK(dissected(kMixed, Way::kToClient, kFirst[kMixed]) ==
        "GameState map=1 map_version=1 player=1 tank_count=3 tanks=[1 2 3]\n"
        "UpdateAmmo direction=0 padding=7365 value=100 piece=0\n"
        "CreateTank code=16 value=50 piece=1 x=1 y=4\n");
}

TEST_CASE("a stream whose frames were lost is cut again from the frame on that follows a skip") {
  const Buffer unknown = from_hex("30000000000000000000"), move = from_hex("23000000000000000000");
  const std::string whole = "Move direction=0 value=0 piece=0\n";
  for (const bool by_fault : {true, false}) {
    CAPTURE(by_fault);
    Printed to(kBePacked);
    wire::Dissector dissector(panic::game(), kBePacked);
    const auto hears = [&](Bytes bytes) {
      to.all.clear();
      dissector.stream(Way::kToClient, bytes, to);
      return to.all;
    };
    CHECK(hears(from_hex(kFirst[kBePacked])).find("raw") == std::string::npos);
    CHECK(hears(move) == whole);
    by_fault ? void(hears(unknown)) : dissector.end(Way::kToClient, to, true);
    CHECK(hears(move) == "raw - " + to_hex(move) + "\n");
    dissector.skip(Way::kToClient, to);
    CHECK(hears(move) == whole);
  }
}

TEST_CASE("an action is eight bytes, in the byte order of its dialect") {
  CHECK(dissected(kBePacked, Way::kToServer, "0001010200000001") == "Action player=1 action=1 direction=2 piece=1\n");
  CHECK(dissected(kMixed, Way::kToServer, "0001010200000001") == "Action player=1 action=1 direction=2 piece=1\n");
  CHECK(dissected(kLePadded, Way::kToServer, "0100010201000000 0100030000000000") ==
        "Action player=1 action=1 direction=2 piece=1\nAction player=1 action=3 direction=0 piece=0\n");
}

TEST_CASE("a message with invalid values is read; an unknown type loses the framing") {
  CHECK(dissected(kBePacked, Way::kToServer, "ffffff09ffffffff") ==
        "Action player=65535 action=255 direction=9 piece=4294967295\n");
  CHECK(dissected(kBePacked, Way::kToClient, "0f00000000000000070000") ==
        "CreateReserved code=15 value=0 piece=7 x=0 y=0\n");
  CHECK(dissected(kBePacked, Way::kToClient, "2f00ffffffff00000000") ==
        "EventReserved code=47 direction=0 value=-1 piece=0\n");
  CHECK(dissected(kBePacked, Way::kToClient, "00") == "raw unknown message type 00\n");
  CHECK(dissected(kBePacked, Way::kToClient, "30000000000000000000") ==
        "raw unknown message type 30000000000000000000\n");
  // A padded event read as a packed one: the two bytes left over start with an unknown type.
  CHECK(dissected(kBePacked, Way::kToClient, "230027370100000001000000") ==
        "Move direction=0 value=657916160 piece=256\nraw unknown message type 0000\n");
}

TEST_CASE("a stream gives the same messages however it is cut") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    const Buffer bytes = from_hex(kFirst[dialect]);
    const std::string whole = dissected(dialect, Way::kToClient, kFirst[dialect]);
    Printed to(dialect);
    wire::Dissector dissector(panic::game(), dialect);
    for (const std::uint8_t byte : bytes) dissector.stream(Way::kToClient, {&byte, 1}, to);
    CHECK(to.all == whole);
  }
}

TEST_CASE("the dialect is detected from a server's first messages, and only once it is certain") {
  for (std::size_t dialect = 0; dialect < 3; ++dialect) {
    const Buffer bytes = from_hex(kFirst[dialect]);
    std::size_t sure = 0;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const Detected detected = panic::game().detect(Bytes(bytes).first(size));
      REQUIRE(detected.state != Detected::State::kUnknown);
      if (detected.state == Detected::State::kFound) {
        CHECK(detected.dialect == dialect);
        if (sure == 0) sure = size;
      } else {
        CHECK(sure == 0);
      }
    }
    CHECK(sure > 0);
    CHECK(sure <= 40);
  }
  CHECK(panic::game().detect(from_hex("425a46533030323600")).state == Detected::State::kUnknown);
  CHECK(panic::game().detect(from_hex("0101010001030000000100000002000000032100000000640000000010")).state ==
        Detected::State::kUnknown);
}

TEST_CASE("a relay gets the settings that the real programs need") {
  const wire::Game& game = panic::game();
  CHECK(game.requires_one_write(Way::kToServer, Stage::kPlay));
  CHECK(game.requires_one_write(Way::kToClient, Stage::kPlay));
  CHECK(game.probe() == wire::Probe::kFirstSession);
  CHECK(game.goodbye(kLePadded).empty());
  CHECK(game.default_port() == 4410);
  CHECK(game.largest_frame() == 1028);
  CHECK(find_dialect(game, "be-packed") == kBePacked);
}

TEST_CASE("invented messages survive, damaged ones are faults or exact") {
  check_invented_messages_survive(panic::game(), 200);
  check_damaged_messages_are_faults_or_exact(panic::game(), 200);
}

}  // namespace
}  // namespace entente::panic_test
