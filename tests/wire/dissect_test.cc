// What a dissector makes of a stream of which something is missing.
#include "adapters/wire/dissect.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/hex.h"
#include "tests/support/toy_game.h"

namespace entente::wire::dissect_test {
namespace {

/// Writes down frames in parentheses, and raw bytes in brackets.
struct Written final : DissectorSink {
  void frame(const Frame& frame) override { text += "(" + to_hex(frame.bytes) + ")"; }
  void raw(Way, Lane, Bytes bytes, const Fault* why) override {
    text += "[" + to_hex(bytes) + (why != nullptr ? std::string(" ") + why->what : "") + "]";
  }
  std::string text;
};

struct Stream {
  std::string heard(Way way, std::string_view hex) {
    dissector.stream(way, from_hex(hex), written);
    return std::exchange(written.text, {});
  }
  std::string ended(Way way, bool lost) {
    dissector.end(way, written, lost);
    return std::exchange(written.text, {});
  }
  Dissector dissector{toy::game(), 0};
  Written written;
};

TEST_CASE("where bytes of a stream are missing, it is cut no further, but the other direction is") {
  Stream stream;
  CHECK(stream.heard(Way::kToServer, "544f5921 0001 0204 00") == "(544f5921)(0001)");
  CHECK(stream.ended(Way::kToServer, true) == "[020400]");
  CHECK(stream.heard(Way::kToServer, "0001 0001") == "[00010001]");
  CHECK(stream.heard(Way::kToClient, "746f7908 0001") == "(746f7908)(0001)");
  CHECK(stream.ended(Way::kToServer, false).empty());
  CHECK(stream.heard(Way::kToServer, "0001") == "[0001]");
}

TEST_CASE("an end without a loss gives out the incomplete frame, and what follows begins with a frame") {
  Stream stream;
  CHECK(stream.heard(Way::kToServer, "544f5921 0204 00") == "(544f5921)");
  CHECK(stream.ended(Way::kToServer, false) == "[020400]");
  CHECK(stream.heard(Way::kToServer, "0001") == "(0001)");
}

TEST_CASE("after frames that were lost, a direction is cut again from a frame on, and needs no greeting") {
  Stream stream;
  CHECK(stream.heard(Way::kToServer, "544f5921 0204 00") == "(544f5921)");
  stream.dissector.skip(Way::kToServer, stream.written);
  CHECK(std::exchange(stream.written.text, {}) == "[020400]");
  CHECK(stream.heard(Way::kToServer, "0001") == "(0001)");
  stream.dissector.skip(Way::kToClient, stream.written);
  CHECK(stream.written.text.empty());
  CHECK(stream.heard(Way::kToClient, "0001") == "(0001)");
  CHECK(stream.ended(Way::kToServer, true).empty());
  CHECK(stream.heard(Way::kToServer, "0001") == "[0001]");
  stream.dissector.skip(Way::kToServer, stream.written);
  CHECK(stream.heard(Way::kToServer, "0001") == "(0001)");
}

TEST_CASE("a fault in a frame of which a part was kept gives out every byte once, and keeps nothing") {
  Stream stream;
  CHECK(stream.heard(Way::kToServer, "54").empty());
  CHECK(stream.dissector.pending(Way::kToServer) == 1);
  CHECK(stream.dissector.pending(Way::kToClient) == 0);
  CHECK(stream.heard(Way::kToServer, "4f21") == "[544f21 wrong greeting]");
  CHECK(stream.dissector.pending(Way::kToServer) == 0);
  CHECK(stream.ended(Way::kToServer, false).empty());
  CHECK(stream.heard(Way::kToServer, "0001") == "[0001]");
}

/// Writes down the way, lane and stage of everything.
struct Labels final : DissectorSink {
  void frame(const Frame& frame) override {
    add(frame.way, frame.lane);
    all += frame.stage == Stage::kGreeting ? " greeting;" : ";";
  }
  void raw(Way way, Lane lane, Bytes, const Fault* why) override {
    add(way, lane);
    all += std::string(" ") + (why != nullptr ? why->what : "raw") + ";";
  }
  void add(Way way, Lane lane) { ((all += text(way)) += ' ') += text(lane); }
  std::string said() { return std::exchange(all, {}); }
  std::string all;
};

TEST_CASE("frames and raw bytes have the direction and the lane in which they travelled") {
  Labels labels;
  Dissector game(toy::game(), 0), packets(toy::packets(), 0);
  const std::string stream = text(Lane::kStream), datagram = text(Lane::kDatagram);
  for (const Way way : {Way::kToServer, Way::kToClient}) {
    const std::string its = text(way);
    game.stream(way, from_hex(way == Way::kToServer ? "544f5921 0001 ff" : "746f7908 0001 ff"), labels);
    CHECK(labels.said() ==
          its + " " + stream + " greeting;" + its + " " + stream + ";" + its + " " + stream + " frame too large;");
    game.datagram(way, from_hex("0001 ff"), labels);
    CHECK(labels.said() == its + " " + datagram + ";" + its + " " + datagram + " frame too large;");
    packets.stream(way, from_hex("0001 02"), labels);
    CHECK(labels.said() == its + " " + stream + ";" + its + " " + stream + " message too short;");
  }
}

TEST_CASE("an empty datagram is too short, and a datagram of a game that has none comes out raw") {
  Labels labels;
  const std::string datagram = text(Lane::kDatagram);
  Dissector(toy::game(), 0).datagram(Way::kToServer, {}, labels);
  CHECK(labels.said() == "c2s " + datagram + " message too short;");
  Dissector(toy::stream(), 0).datagram(Way::kToServer, from_hex("0001"), labels);
  CHECK(labels.said() == "c2s " + datagram + " no datagrams in this game;");
}

}  // namespace
}  // namespace entente::wire::dissect_test
