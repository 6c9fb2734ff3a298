// Whole conversations of Ogar: messages both ways, each as one byte of way, two of size, and its bytes. The first
// message of the client names the dialect, as in real sessions. Invariant: a message that decodes encodes to the same
// bytes, even if it was decoded into an object that held another message before.
#include <cstdlib>
#include <cstring>
#include <optional>

#include "adapters/ogar/ogar.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/print.h"
#include "tests/fuzz/target.h"

namespace entente::ogar_fuzz {
namespace {

using wire::Frame, wire::Lane, wire::Way;

class Conversation final : public wire::DissectorSink {
 public:
  explicit Conversation(std::size_t dialect) : codec_(ogar::game().codec(dialect)), dissector_(ogar::game(), dialect) {}

  void say(Way way, Bytes message) { dissector_.stream(way, message, *this); }

 private:
  void frame(const Frame& frame) override {
    const auto row = codec_->decode(frame);
    if (!row) return;
    again_.clear();
    codec_->encode(again_);
    if (!same(again_, frame.bytes)) std::abort();
    line_.clear();
    print(**row, *codec_, line_);
    if (line_.find('\n') != std::string::npos) std::abort();
  }
  void raw(Way, Lane, Bytes, const Fault*) override {}

  std::unique_ptr<wire::Codec> codec_;
  wire::Dissector dissector_;
  Buffer again_;
  std::string line_;
};

}  // namespace

ENTENTE_FUZZ_TARGET(ogar) {
  std::optional<Conversation> conversation;
  for (Bytes input(data, size); input.size() >= 3;) {
    const Way way = (input[0] & 1U) != 0 ? Way::kToClient : Way::kToServer;
    const std::size_t announced = input[1] | static_cast<std::size_t>(input[2]) << 8U;
    input = input.subspan(3);
    const Bytes message = input.first(std::min(announced, input.size()));
    input = input.subspan(message.size());
    if (!conversation) conversation.emplace(ogar::game().named_by_client(message).value_or(0));
    conversation->say(way, message);
  }
  return 0;
}

ENTENTE_FUZZ_FORMAT(ogar) {
  return {.head = 0, .size_bytes = 2, .voice = [](Bytes all, std::uint8_t mark) -> fuzz::Voice {
            const Bytes first = all.subspan(std::min<std::size_t>(all.size(), 3));
            return {&ogar::game(), ogar::game().named_by_client(first).value_or(0),
                    (mark & 1U) != 0 ? Way::kToClient : Way::kToServer, Lane::kStream};
          }};
}

}  // namespace entente::ogar_fuzz
