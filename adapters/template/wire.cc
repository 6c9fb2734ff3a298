// The layouts, once for reading, writing and printing; the table of messages; and how a stream is cut into frames.
#include "adapters/template/template.h"
#include "adapters/wire/typed_codec.h"

namespace entente::sample {

template <class V>
void fields(V& v, Hello& m) {
  v.end_text("name", m.name);
}
template <class V>
void fields(V& v, Welcome& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, Chat& m) {
  v("player", m.player).end_text("text", m.text);
}

namespace {

/// A frame: u8 size of the payload, u8 code, payload.
struct Protocol {
  using Dialect = sample::Dialect;
  using Message = sample::Message;
  static constexpr std::size_t kEnvelope = 2;
  static std::uint32_t code(const wire::Frame& frame) { return frame.bytes[1]; }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) {
    out[start] = static_cast<std::uint8_t>(out.size() - start - kEnvelope);
    out[start + 1] = static_cast<std::uint8_t>(code);
  }
  static std::span<const wire::TypedRow<Protocol>> rows();
};

template <class T>
constexpr wire::TypedRow<Protocol> row(const char* name, std::uint32_t code, std::uint8_t ways) {
  return wire::row_of<Protocol, T>({name, code, code, ways, 1, wire::Stage::kPlay, 1});
}

std::span<const wire::TypedRow<Protocol>> Protocol::rows() {
  static const wire::TypedRow<Protocol> kRows[] = {row<Hello>("Hello", 1, kUp), row<Welcome>("Welcome", 2, kDown),
                                                   row<Chat>("Chat", 3, kUp | kDown)};
  return kRows;
}

class SampleCutter final : public wire::Cutter {
 public:
  wire::Cut next(Bytes bytes) override {
    if (bytes.empty()) return {};
    const std::size_t size = Protocol::kEnvelope + bytes[0];
    return {bytes.size() >= size ? size : 0, wire::Stage::kPlay, {}};
  }
};

class Sample final : public wire::Game {
 public:
  std::string_view name() const override { return "template"; }
  std::string_view about() const override { return "the template of a game"; }
  std::uint16_t default_port() const override { return 4000; }
  wire::Transport transport() const override { return wire::Transport::kTcp; }
  std::span<const wire::DialectInfo> dialects() const override { return kDialects; }
  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override {
    return std::make_unique<wire::TypedCodec<Protocol>>(Dialect(), dialect);
  }
  std::unique_ptr<wire::Cutter> cutter(wire::Way, std::size_t) const override {
    return std::make_unique<SampleCutter>();
  }
  std::size_t largest_frame() const override { return Protocol::kEnvelope + 255; }
  wire::Probe probe() const override { return wire::Probe::kDefault; }
  wire::Detected detect(Bytes) const override { return {wire::Detected::State::kFound, 0}; }
};

}  // namespace

const wire::Game& game() {
  static const Sample kGame;
  return kGame;
}

std::unique_ptr<wire::MessageCodec<Message>> make_message_codec() {
  return std::make_unique<wire::TypedCodec<Protocol>>(Dialect(), 0);
}

}  // namespace entente::sample
