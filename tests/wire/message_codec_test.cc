// A peer's bytes are read message by message, up to a message that cannot be skipped.
#include "adapters/wire/message_codec.h"

#include <doctest/doctest.h>

#include <string>

#include "adapters/wire/message_link.h"
#include "tests/support/hex.h"
#include "tests/support/toy_game.h"

namespace entente::wire::message_codec_test {
namespace {

/// A message is its code. Code 1 is unknown, and code 2 is invalid.
class Codes final : public MessageCodec<std::uint8_t> {
 public:
  Result<Heard> read(const Frame& frame) override {
    code_ = frame.bytes[1];
    if (code_ == 1) return Fault{"unknown message", "code", 0};
    if (code_ == 2) return Fault{"bad number", "x", 2};
    return Heard{&code_, code_};
  }
  void write(const std::uint8_t& message, Way way, Buffer& out, std::uint32_t code) const override {
    append(out, Buffer{static_cast<std::uint8_t>(way), message, static_cast<std::uint8_t>(code)});
  }

 private:
  std::uint8_t code_ = 0;
};

TEST_CASE("messages are read until the reader stops, or one is invalid") {
  const auto heard = [](std::string_view hex, std::size_t enough, auto&&... pass) {
    const Buffer bytes = from_hex(hex);
    const std::vector<FrameMark> marks(bytes.size() / 2, FrameMark{2});
    Codes codec;
    std::string all;
    std::size_t count = 0;
    const auto take = [&](const auto& one) {
      all += std::to_string(*one.message) + " ";
      return ++count < enough;
    };
    const auto fault = hear(codec, Way::kToServer, {Lane::kStream, bytes, marks}, take, pass...);
    return all + (fault ? fault->what : "");
  };
  CHECK(heard("0003 0004", 9) == "3 4 ");
  CHECK(heard("0003 0004", 1) == "3 ");
  CHECK(heard("0003 0001 0004", 9) == "3 unknown message");
  CHECK(heard("0003 0001 0004", 9, unknown_code) == "3 4 ");
  CHECK(heard("0003 0002 0004", 9, unknown_code) == "3 bad number");
}

TEST_CASE("a link reads in one direction and writes in the other, and each frame holds one message") {
  for (const Way hears : {Way::kToServer, Way::kToClient}) {
    MessageLink<std::uint8_t> link(hears, std::make_unique<Codes>());
    CHECK(link.says() != hears);
    const std::string way = hears == Way::kToServer ? "02" : "01";
    CHECK(to_hex(link.frame(7)) == way + "0700");
    CHECK(to_hex(link.frame(8, 9)) == way + "0809");
  }
  MessageLink<std::uint8_t> link(Way::kToServer, std::make_unique<Codes>());
  const Buffer bytes = from_hex("0003 0001");
  const FrameMark marks[] = {{2}, {2}};
  std::size_t heard = 0;
  const auto take = [&](const auto& one) { return heard += one.code, true; };
  CHECK(link.hear({Lane::kStream, bytes, marks}, take).has_value());
  CHECK_FALSE(link.hear({Lane::kStream, bytes, marks}, take, unknown_code).has_value());
  CHECK(heard == 6);  // it was read twice
}

}  // namespace
}  // namespace entente::wire::message_codec_test
