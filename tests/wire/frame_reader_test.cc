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
