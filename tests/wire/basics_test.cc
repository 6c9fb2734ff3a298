// The small parts that all games share: kinds of numbers, directions, transports, packets and whole messages.
#include <doctest/doctest.h>

#include <string>

#include "adapters/wire/enet.h"
#include "adapters/wire/field_visitor.h"
#include "adapters/wire/game.h"
#include "tests/support/hex.h"
#include "tests/support/toy_game.h"

namespace entente::wire::basics_test {
namespace {

TEST_CASE("wire: each kind of number has its name and as many bytes as the name says") {
  struct Named {
    Kind kind;
    std::string name;
    std::size_t bytes;
  };
  for (const Named& one : {Named{Kind::kU8, "u8", 1}, Named{Kind::kU16, "u16", 2}, Named{Kind::kU24, "u24", 3},
                           Named{Kind::kU32, "u32", 4}, Named{Kind::kU64, "u64", 8}, Named{Kind::kI8, "i8", 1},
                           Named{Kind::kI16, "i16", 2}, Named{Kind::kI32, "i32", 4}, Named{Kind::kI64, "i64", 8},
                           Named{Kind::kF32, "f32", 4}, Named{Kind::kF64, "f64", 8}, Named{Kind::kBool, "bool", 1}}) {
    CHECK(text(one.kind) == one.name);
    CHECK(width(one.kind) == one.bytes);
  }
}

TEST_CASE("wire: a direction has its short name and its opposite") {
  CHECK(std::string(text(Way::kToServer)) == "c2s");
  CHECK(std::string(text(Way::kToClient)) == "s2c");
  CHECK(opposite(Way::kToServer) == Way::kToClient);
  CHECK(opposite(Way::kToClient) == Way::kToServer);
}

TEST_CASE("wire: of the packets of ENet, only reliable ones count as stream data") {
  const auto lane = [](EnetDelivery send) { return EnetCarriage{0, send}.lane(); };
  CHECK(EnetCarriage().lane() == Lane::kStream);
  CHECK(lane(EnetDelivery::kReliable) == Lane::kStream);
  CHECK(lane(EnetDelivery::kUnreliable) == Lane::kDatagram);
  CHECK(lane(EnetDelivery::kUnsequenced) == Lane::kDatagram);
  CHECK(std::string(text(EnetDelivery::kReliable)) == "reliable");
  CHECK(std::string(text(EnetDelivery::kUnreliable)) == "unreliable");
  CHECK(std::string(text(EnetDelivery::kUnsequenced)) == "unsequenced");
}

TEST_CASE("wire: WebSocket and ENet keep messages apart, TCP does not") {
  CHECK(keeps_messages(Transport::kWebSocket));
  CHECK(keeps_messages(Transport::kEnet));
  CHECK_FALSE(keeps_messages(Transport::kTcp));
  CHECK_FALSE(keeps_messages(Transport::kTcpAndUdp));
}

TEST_CASE("wire: a dialect is found by its whole name") {
  CHECK(find_dialect(toy::game(), "big") == std::size_t{0});
  CHECK(find_dialect(toy::game(), "little") == std::size_t{1});
  CHECK_FALSE(find_dialect(toy::game(), "").has_value());
  CHECK_FALSE(find_dialect(toy::game(), "bigger").has_value());
}

TEST_CASE("wire: a game that says nothing else has the frames, words and stages of a game without them") {
  const Game& game = toy::game();
  CHECK(game.largest_from(Way::kToClient) == game.largest_frame());
  CHECK(game.over_web() == nullptr);
  CHECK(toy::messages().over_web() == &toy::messages());
  CHECK(game.admission({}, 0) == AdmissionState::kIn);
  CHECK(game.queries().empty());
}

/// A cutter whose frames have two bytes.
struct Pairs final : Cutter {
  Cut next(Bytes bytes) override {
    if (!bytes.empty() && bytes[0] == 0xff) return {0, Stage::kPlay, Fault{"bad pair", "pair", 0}};
    return {bytes.size() >= 2 ? std::size_t{2} : 0, Stage::kPlay, {}};
  }
};

TEST_CASE("wire: a message is cut until one frame is enough, and what is left is not a whole frame after a fault") {
  const auto cut = [](std::string_view hex, std::size_t enough) {
    Pairs pairs;
    const Buffer all = from_hex(hex);
    Bytes left = all;
    std::string said;
    std::size_t count = 0;
    const auto fault = cut_message(pairs, left, [&](Stage, Bytes frame) {
      said += to_hex(frame) + " ";
      return ++count < enough;
    });
    return said + "left:" + to_hex(left) + (fault ? std::string(" ") + fault->what : "");
  };
  CHECK(cut("0102 0304", 9) == "0102 0304 left:");
  CHECK(cut("0102 0304", 1) == "0102 left:0304");
  CHECK(cut("0102 03", 9) == "0102 left:03 message too short");
  CHECK(cut("0102 ff04", 9) == "0102 left:ff04 bad pair");
  CHECK(cut("", 9) == " left:");
}

TEST_CASE("wire: where messages are kept apart, each is one whole frame") {
  WholeFrames whole;
  CHECK(whole.next({}).size == 0);
  CHECK(whole.next(from_hex("010203")).size == 3);
  CHECK(whole.next(from_hex("010203")).stage == Stage::kPlay);
}

TEST_CASE("wire: the frames of a reader have its lane and the given direction, up to the one that is enough") {
  const Buffer bytes = from_hex("0102 03");
  const FrameMark marks[] = {{2, Stage::kGreeting}, {1, Stage::kPlay}};
  for (const bool all : {true, false}) {
    std::string said;
    each_frame({Lane::kDatagram, bytes, marks}, Way::kToClient, [&](const Frame& frame) {
      CHECK(frame.way == Way::kToClient);
      CHECK(frame.lane == Lane::kDatagram);
      said += (frame.stage == Stage::kGreeting ? "greeting:" : "") + to_hex(frame.bytes) + " ";
      return all;
    });
    CHECK(said == (all ? "greeting:0102 03 " : "greeting:0102 "));
  }
}

}  // namespace
}  // namespace entente::wire::basics_test
