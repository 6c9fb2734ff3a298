#include "adapters/wire/frame_reader.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/hex.h"
#include "tests/support/toy_game.h"

namespace entente::wire::frame_reader_test {
namespace {

/// Each call's frames in parentheses, with their number, then the fault.
std::string cut(FrameReader& reader, Lane lane, std::string_view hex) {
  std::string all;
  const auto fault = reader.feed(lane, from_hex(hex), [&](const Frames& frames) {
    all += '(';
    frames.each([&](Stage stage, Bytes frame) {
      all += (stage == Stage::kGreeting ? "greeting:" : "") + to_hex(frame) + " ";
      return true;
    });
    all += std::to_string(frames.count()) + ")";
  });
  return all + (fault ? fault->what : "");
}

TEST_CASE("a stream is cut into frames, and the beginning of a frame is kept until the rest arrives") {
  FrameReader reader(toy::game(), 0, Way::kToServer);
  CHECK(cut(reader, Lane::kStream, "544f").empty());
  CHECK(cut(reader, Lane::kStream, "5921 0001 02") == "(greeting:544f5921 0001 2)");
  CHECK(cut(reader, Lane::kStream, "04").empty());
  CHECK(cut(reader, Lane::kStream, "0001 0001") == "(02040001 0001 2)");
  CHECK(cut(reader, Lane::kStream, "0001 ff") == "(0001 1)frame too large");
}

TEST_CASE("a stream that arrives byte by byte is cut into the same frames") {
  FrameReader reader(toy::game(), 0, Way::kToServer);
  std::string all;
  for (const char* byte : {"54", "4f", "59", "21", "02", "04", "00", "01", "00", "01"})
    all += cut(reader, Lane::kStream, byte);
  CHECK(all == "(greeting:544f5921 1)(02040001 1)(0001 1)");
}

/// Frames end with a line feed, and the cutter does not limit them.
class LineCutter final : public Cutter {
 public:
  Cut next(Bytes bytes) override {
    const std::size_t end = as_text(bytes).find('\n');
    return {end == std::string_view::npos ? 0 : end + 1, Stage::kPlay, {}};
  }
};

class Lines final : public Game {
 public:
  static constexpr std::size_t kLargest = 10;

  std::string_view name() const override { return "lines"; }
  std::string_view about() const override { return ""; }
  std::uint16_t default_port() const override { return 7; }
  Transport transport() const override { return Transport::kTcp; }
  std::span<const DialectInfo> dialects() const override { return {}; }
  std::unique_ptr<Codec> codec(std::size_t) const override { return nullptr; }
  std::unique_ptr<Cutter> cutter(Way, std::size_t) const override { return std::make_unique<LineCutter>(); }
  std::size_t largest_frame() const override { return kLargest; }
  Probe probe() const override { return Probe::kDefault; }
  Detected detect(Bytes) const override { return {}; }
};

TEST_CASE("a frame may be as large as the game's largest; a larger one is refused before its end") {
  const std::string largest = std::string(Lines::kLargest - 1, 'x') + '\n';
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, Lines::kLargest - 1, Lines::kLargest}) {
    CAPTURE(at);
    FrameReader reader(Lines(), 0, Way::kToServer);
    std::size_t whole = 0;
    const auto feed = [&](std::string_view part) {
      return reader.feed(Lane::kStream, as_bytes(part), [&](const Frames& frames) { whole += frames.bytes.size(); });
    };
    CHECK_FALSE(feed(std::string_view(largest).substr(0, at)));
    CHECK_FALSE(feed(std::string_view(largest).substr(at)));
    CHECK(whole == Lines::kLargest);
    CHECK_FALSE(feed(std::string(Lines::kLargest, 'y')));
    const auto fault = feed("y");
    REQUIRE(fault);
    CHECK(fault->what == std::string("oversize frame"));
  }
  FrameReader toy(toy::game(), 0, Way::kToServer);
  CHECK(cut(toy, Lane::kStream, "544f5921") == "(greeting:544f5921 1)");
  const std::size_t most = toy::game().largest_frame();
  Buffer frame(most, 1);
  frame[0] = static_cast<std::uint8_t>(most - 2);
  CHECK(cut(toy, Lane::kStream, to_hex(frame)) == "(" + to_hex(frame) + " 1)");
  ++frame[0];
  CHECK(cut(toy, Lane::kStream, to_hex(frame)) == "frame too large");
}

TEST_CASE("a message must end with a whole frame; otherwise none of its frames is passed") {
  FrameReader reader(toy::packets(), 0, Way::kToServer);
  CHECK(cut(reader, Lane::kStream, "0204 0001 0001") == "(02040001 0001 2)");
  CHECK(cut(reader, Lane::kStream, "0204 0001 0304 00") == "message too short");
  CHECK(cut(reader, Lane::kStream, "0004") == "(0004 1)");
}

TEST_CASE("a datagram's whole frames are passed; a datagram without one is a fault, and does not affect the stream") {
  FrameReader reader(toy::game(), 0, Way::kToServer);
  CHECK(cut(reader, Lane::kStream, "544f5921 02") == "(greeting:544f5921 1)");
  CHECK(cut(reader, Lane::kDatagram, "0001 0001 0304") == "(0001 0001 2)");
  CHECK(cut(reader, Lane::kDatagram, "0304") == "datagram too short");
  CHECK(cut(reader, Lane::kStream, "04 0001") == "(02040001 1)");
}

/// The same, but stops after `calls` calls.
struct Sparing {
  std::string feed(Lane lane, const Buffer& bytes, int calls) {
    return say([&](auto&& pass, auto&& more) { return reader.feed(lane, bytes, pass, more); }, calls);
  }
  std::string go_on(int calls) {
    return say([&](auto&& pass, auto&& more) { return reader.go_on(pass, more); }, calls);
  }
  template <class Call>
  std::string say(Call&& call, int calls) {
    std::string all;
    int left = calls;
    const auto fault =
        call([&](const Frames& frames) { all += std::to_string(frames.count()) + " "; }, [&] { return --left > 0; });
    return all + (fault ? fault->what : "") + (reader.behind() ? "behind" : "");
  }
  FrameReader reader;
};

TEST_CASE("frames are passed on a few at a time; the reader may stop in between, and keeps the rest") {
  Buffer frames;
  for (std::size_t i = 0; i < 2 * FrameReader::kAtOnce + 3; ++i) append(frames, from_hex("0001"));
  SUBCASE("of a stream, with the beginning of the next frame") {
    Sparing reader{FrameReader(toy::game(), 0, Way::kToServer)};
    CHECK(reader.feed(Lane::kStream, from_hex("544f5921 02"), 1) == "1 ");
    Buffer bytes = from_hex("0401 02");
    append(bytes, frames);
    append(bytes, from_hex("03"));
    CHECK(reader.feed(Lane::kStream, bytes, 1) == "16 behind");
    CHECK(reader.reader.feed(Lane::kDatagram, from_hex("0001 0001"), [](const Frames&) {}) == std::nullopt);
    CHECK(reader.go_on(1) == "16 behind");
    CHECK(reader.go_on(9) == "4 ");
    CHECK(reader.feed(Lane::kStream, from_hex("04 010203"), 1) == "1 ");
  }
  SUBCASE("of a stream that ends with a fault, after all that came before it") {
    Sparing reader{FrameReader(toy::game(), 0, Way::kToServer)};
    Buffer bytes = from_hex("544f5921");
    append(bytes, frames);
    append(bytes, from_hex("ff"));
    CHECK(reader.feed(Lane::kStream, bytes, 2) == "16 16 behind");
    CHECK(reader.go_on(1) == "4 frame too large");
  }
  SUBCASE("of a message") {
    Sparing reader{FrameReader(toy::packets(), 0, Way::kToServer)};
    CHECK(reader.feed(Lane::kStream, frames, 1) == "16 behind");
    CHECK(reader.go_on(1) == "16 behind");
    CHECK(reader.go_on(1) == "3 ");
    CHECK(reader.feed(Lane::kStream, from_hex("0001"), 1) == "1 ");
    CHECK(reader.feed(Lane::kStream, frames, 1) == "16 behind");
    reader.reader.drop();
    CHECK(reader.feed(Lane::kStream, from_hex("0001"), 1) == "1 ");
  }
}

TEST_CASE("a reader that may stop is behind only if frames are left") {
  Buffer frames = from_hex("544f5921");
  for (std::size_t i = 1; i < FrameReader::kAtOnce; ++i) append(frames, from_hex("0001"));
  SUBCASE("of a stream") {
    Sparing reader{FrameReader(toy::game(), 0, Way::kToServer)};
    CHECK(reader.feed(Lane::kStream, frames, 1) == "16 ");
    append(frames, from_hex("00"));
    Sparing other{FrameReader(toy::game(), 0, Way::kToServer)};
    CHECK(other.feed(Lane::kStream, frames, 1) == "16 behind");  // an incomplete frame may be a fault
    CHECK(other.go_on(1).empty());
    CHECK(other.feed(Lane::kStream, from_hex("01"), 1) == "1 ");
  }
  SUBCASE("of a message") {
    Sparing reader{FrameReader(toy::packets(), 0, Way::kToServer)};
    const Bytes play = Bytes(frames).subspan(4);
    Buffer message(play.begin(), play.end());
    append(message, from_hex("0001"));
    CHECK(reader.feed(Lane::kStream, message, 1) == "16 ");
    append(message, from_hex("0001"));
    CHECK(reader.feed(Lane::kStream, message, 1) == "16 behind");
    CHECK(reader.go_on(1) == "1 ");
    CHECK(reader.feed(Lane::kStream, from_hex("0001"), 1) == "1 ");
  }
}

TEST_CASE("what is left of a stream is forgotten if the reader drops it") {
  Sparing reader{FrameReader(toy::ungreeted(), 0, Way::kToServer)};
  Buffer frames;
  for (std::size_t i = 0; i <= FrameReader::kAtOnce; ++i) append(frames, from_hex("0001"));
  append(frames, from_hex("04"));
  for (int times = 0; times < 2; ++times) {
    CHECK(reader.feed(Lane::kStream, frames, 1) == "16 behind");
    reader.reader.drop();
    CHECK_FALSE(reader.reader.behind());
    CHECK(reader.feed(Lane::kStream, from_hex("0001"), 1) == "1 ");
  }
}

TEST_CASE("frames have the lane on which they came") {
  const auto lane = [](const Game& game, Lane its) {
    FrameReader reader(game, 0, Way::kToServer);
    std::optional<Lane> heard;
    reader.feed(its, from_hex("0001"), [&](const Frames& frames) { heard = frames.lane; });
    return heard;
  };
  for (const Lane its : {Lane::kStream, Lane::kDatagram}) {
    CHECK(lane(toy::packets(), its) == its);
    CHECK(lane(toy::messages(), its) == its);
  }
  CHECK(lane(toy::ungreeted(), Lane::kStream) == Lane::kStream);
  CHECK(lane(toy::game(), Lane::kDatagram) == Lane::kDatagram);
}

TEST_CASE("a datagram of a game that has none is ignored") {
  FrameReader reader(toy::stream(), 0, Way::kToServer);
  CHECK(cut(reader, Lane::kDatagram, "0001").empty());
  CHECK(cut(reader, Lane::kStream, "544f5921") == "(greeting:544f5921 1)");
}

TEST_CASE("an empty message is one empty frame, where messages are frames, and else too short") {
  FrameReader messages(toy::messages(), 0, Way::kToServer), packets(toy::packets(), 0, Way::kToServer);
  CHECK(cut(messages, Lane::kStream, "") == "( 1)");
  CHECK(cut(messages, Lane::kStream, "0001") == "(0001 1)");
  CHECK(cut(packets, Lane::kStream, "02") == "message too short");
  CHECK(cut(packets, Lane::kStream, "0001") == "(0001 1)");
}

TEST_CASE("of a datagram with a fault, the whole frames before it are passed; without one, the fault is told") {
  FrameReader reader(toy::game(), 0, Way::kToServer);
  CHECK(cut(reader, Lane::kDatagram, "0001 ff") == "(0001 1)");
  CHECK(cut(reader, Lane::kDatagram, "ff") == "frame too large");
  CHECK(cut(reader, Lane::kDatagram, "") == "datagram too short");
}

TEST_CASE("frames are visited until one is enough") {
  const Buffer bytes = from_hex("0204 0001 0001");
  const FrameMark marks[] = {{4}, {2}};
  std::size_t visited = 0;
  each_frame({Lane::kStream, bytes, marks}, Way::kToClient, [&](const Frame& frame) {
    CHECK(frame.way == Way::kToClient);
    return frame.bytes.size() != (++visited, 4);
  });
  CHECK(visited == 1);
}

}  // namespace
}  // namespace entente::wire::frame_reader_test
