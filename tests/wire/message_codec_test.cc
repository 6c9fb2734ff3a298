// A peer's bytes are read message by message, up to a message that cannot be skipped.
#include "adapters/wire/message_codec.h"

#include <doctest/doctest.h>

#include <string>

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
  void write(const std::uint8_t&, Way, Buffer&, std::uint32_t) const override {}

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

}  // namespace
}  // namespace entente::wire::message_codec_test
