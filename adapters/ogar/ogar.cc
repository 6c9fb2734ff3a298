#include "adapters/ogar/ogar.h"

#include "adapters/ogar/back/back.h"
#include "adapters/ogar/front/front.h"
#include "adapters/ogar/front/notices.h"
#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/wire.h"

namespace entente::ogar {
namespace {

/// OgarII disconnects (1009) for a longer message, and for an empty one.
constexpr std::size_t kLargestToServer = 512;
/// OgarII builds its messages in one buffer of this size.
constexpr std::size_t kLargestToClient = 1024 * 1024;

constexpr std::size_t most_from(wire::Way way) {
  return way == wire::Way::kToServer ? kLargestToServer : kLargestToClient;
}

/// The client's first message is its greeting. A second greeting is not a message of this protocol.
class Messages final : public wire::Cutter {
 public:
  explicit Messages(wire::Way way) : greeted_(way == wire::Way::kToClient), way_(way) {}

  wire::Cut next(Bytes bytes) override {
    const wire::Stage stage = greeted_ ? wire::Stage::kPlay : wire::Stage::kGreeting;
    greeted_ = true;
    if (bytes.size() > most_from(way_)) return {0, stage, Fault{"message too large"}};
    return {bytes.size(), stage, {}};
  }
  void skip_greeting() override { greeted_ = true; }

 private:
  bool greeted_;
  wire::Way way_;
};

std::optional<std::size_t> dialect_of(std::uint8_t opcode, std::uint32_t version) {
  for (std::size_t i = 0; i < kDialects.size(); ++i)
    if (kDialects[i].hello == opcode && kDialects[i].oldest_version <= version &&
        version <= kDialects[i].newest_version)
      return i;
  return std::nullopt;
}

class OgarGame final : public wire::Game {
 public:
  std::string_view name() const override { return kGameName; }
  std::string_view about() const override { return "Agar.io servers and clients: OgarII, MultiOgarII, Cigar2"; }
  std::uint16_t default_port() const override { return 443; }
  wire::Transport transport() const override { return wire::Transport::kWebSocket; }
  std::span<const wire::DialectInfo> dialects() const override { return kDialectInfo; }

  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override { return make_codec(dialect); }
  std::unique_ptr<wire::Cutter> cutter(wire::Way way, std::size_t) const override {
    return std::make_unique<Messages>(way);
  }
  std::size_t largest_frame() const override { return kLargestToClient; }
  bool hides_units() const override { return true; }
  /// Cigar2 clears its page, including the chat, when the connection closes, and connects again.
  std::uint32_t refuse_linger_ms() const override { return 4'000; }
  std::size_t largest_from(wire::Way way) const override { return most_from(way); }

  /// OgarII disconnects for unknown messages, which a capture shows. MultiOgarII has no modern protocol and never
  /// disconnects for them (Client.js:28).
  const char* ignores(const wire::Frame& frame, std::size_t dialect) const override {
    const bool play = frame.way == wire::Way::kToServer && frame.stage == wire::Stage::kPlay;
    return play && dialect != 0 ? "MultiOgarII ignores unknown messages" : nullptr;
  }

  std::vector<Buffer> announcement(std::size_t dialect, std::string_view text) const override {
    std::vector<Buffer> messages;
    ClientTranslator translator(dialect);
    const auto codec = make_message_codec(dialect);
    Update update;
    update.flags = kChat;
    update.chat = {server_line(text)};
    translator.say(Message(std::move(update)),
                   [&](const Message& one) { codec->write(one, wire::Way::kToClient, messages.emplace_back()); });
    return messages;
  }

  bool has_last_words() const override { return true; }
  std::vector<Buffer> last_words(std::size_t dialect, wire::ClientStage stage, wire::Parting,
                                 std::string_view why) const override {
    const bool reads = stage == wire::ClientStage::kPlaying && !why.empty();
    return reads ? announcement(dialect, why) : std::vector<Buffer>();
  }

  /// A server is silent until it knows the client's version, and a connection without a hello harms OgarII: when it
  /// closes, the newest player loses the chat (Listener.js:114).
  wire::Probe probe() const override { return wire::Probe::kNever; }
  wire::Detected detect(Bytes) const override { return {wire::Detected::State::kUnknown, 0}; }
  std::optional<std::size_t> named_by_client(Bytes first) const override {
    if (first.size() < 5) return std::nullopt;
    std::uint32_t version = 0;
    std::memcpy(&version, first.data() + 1, sizeof version);
    return dialect_of(first[0], version);
  }
};

}  // namespace

const wire::Game& game() {
  static const OgarGame kGame;
  return kGame;
}

const core::Faces& faces() {
  static const core::Faces kFaces{make_front, make_back, {}, {}};
  return kFaces;
}

}  // namespace entente::ogar
