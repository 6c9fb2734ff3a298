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

}  // namespace
}  // namespace entente::wire::dissect_test
