// One direction of a stream: whole frames are passed on together, the rest is kept, and cuts do not change the bytes.
#include "proxy/relay/ends/framer.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/toy_game.h"

namespace entente::relay::framer_test {
namespace {

using wire::Way;

std::unique_ptr<wire::Cutter> cutter() { return toy::game().cutter(Way::kToServer, 0); }

TEST_CASE("any two cuts of a stream give the same frames") {
  const std::string all("TOY!\0\1\3\2abc\1\3z", 14);
  for (std::size_t i = 0; i <= all.size(); ++i)
    for (std::size_t j = i; j <= all.size(); ++j) {
      Framer framer(cutter(), 200);
      std::string out;
      std::size_t frames = 0;
      for (const std::string& part : {all.substr(0, i), all.substr(i, j - i), all.substr(j)}) {
        const auto fault = framer.feed(as_bytes(part), [&](const FrameRun& whole) {
          out += as_text(whole.fresh());
          frames += whole.count;
        });
        CHECK(!fault);
        CHECK(framer.passed() == out.size());
      }
      CHECK(out == all);
      CHECK(frames == 4);
      CHECK(framer.at_frame_boundary());
    }
}

TEST_CASE("the frames before a fault pass; the fault and what follows do not") {
  Framer framer(cutter(), 200);
  std::string out;
  const auto fault =
      framer.feed(as_bytes("TOY!\1\3a\xff\3b"), [&](const FrameRun& whole) { out += as_text(whole.bytes); });
  REQUIRE(fault);
  CHECK(std::string(fault->what) == "frame too large");
  CHECK(out == "TOY!\1\3a");
  CHECK(framer.passed() == 7);
}

TEST_CASE("with a cutter that never finds an end, no more than the largest frame is kept") {
  struct Never final : wire::Cutter {
    wire::Cut next(Bytes) override { return {}; }
  };
  Framer framer(std::make_unique<Never>(), 200);
  const Buffer some(150, 1);
  const auto pass = [](const FrameRun&) { FAIL("nothing is whole"); };
  CHECK(!framer.feed(some, pass));
  const auto fault = framer.feed(some, pass);
  REQUIRE(fault);
  CHECK(std::string(fault->what) == "oversize frame");
}

TEST_CASE("the first and the last frame of a run can be identified") {
  Framer framer(cutter(), 200);
  FrameRun seen;
  CHECK(!framer.feed(as_bytes("TOY!\2\3ab\3\1abc\1"), [&](const FrameRun& whole) { seen = whole; }));
  CHECK(seen.count == 3);
  CHECK(seen.first == 4);
  CHECK(seen.last == 5);
}

TEST_CASE("bytes that were passed on before their frame was whole are not passed on again") {
  Framer framer(cutter(), 200);
  std::string out;
  const auto pass = [&](const FrameRun& whole) { out += as_text(whole.fresh()); };
  CHECK(!framer.feed(as_bytes("TOY!\5\3ab"), pass));
  out += as_text(framer.take_kept());
  CHECK(out == "TOY!\5\3ab");
  CHECK(!framer.at_frame_boundary());
  CHECK(framer.take_kept().empty());
  CHECK(!framer.feed(as_bytes("c"), pass));
  out += as_text(framer.take_kept());
  CHECK(!framer.feed(as_bytes("de\1\3f"), pass));
  CHECK(out == "TOY!\5\3abcde\1\3f");
  CHECK(framer.at_frame_boundary());
}

TEST_CASE("without a cutter everything passes as it comes") {
  Framer framer(nullptr, 200);
  std::string out;
  CHECK(!framer.feed(as_bytes("\xff anything"), [&](const FrameRun& raw) { out += as_text(raw.fresh()); }));
  CHECK(out == "\xff anything");
  CHECK(!framer.at_frame_boundary());
}

TEST_CASE("once the beginning of a frame is dropped, the framer is at a boundary, and the next frame is whole") {
  Framer framer(cutter(), 200);
  std::string out;
  const auto pass = [&](const FrameRun& whole) { out += as_text(whole.fresh()); };
  CHECK(!framer.feed(as_bytes("TOY!\5\3ab"), pass));
  CHECK(as_text(framer.take_kept()) == "\5\3ab");
  CHECK_FALSE(framer.at_frame_boundary());
  framer.drop_kept();
  CHECK(framer.at_frame_boundary());
  CHECK(!framer.feed(as_bytes("\1\3z"), pass));
  CHECK(out == "TOY!\1\3z");
}

}  // namespace
}  // namespace entente::relay::framer_test
