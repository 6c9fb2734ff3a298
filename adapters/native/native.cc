#include "adapters/native/native.h"

#include <vector>

#include "adapters/native/codec.h"
#include "adapters/native/drops.h"
#include "adapters/native/faces.h"

namespace entente::native {
namespace {

using wire::DialectInfo;
using wire::Transport;
using wire::Way;

words::Refused::Code code_of(wire::Parting parting) {
  switch (parting) {
    case wire::Parting::kFull:
    case wire::Parting::kTooManyFromAddress:
      return words::Refused::FULL;
    case wire::Parting::kWrongVersion:
      return words::Refused::WRONG_VERSION;
    case wire::Parting::kServerGone:
      return words::Refused::SERVER_GONE;
    case wire::Parting::kBanned:
      return words::Refused::BANNED;
    case wire::Parting::kKicked:
    case wire::Parting::kLeft:
      break;
  }
  return words::Refused::OTHER;
}

constexpr DialectInfo kDialects[] = {
    {"protobuf", "messages of schema/game.proto: Intent from clients, Fact from servers"},
    {"json", "the same in protobuf's JSON mapping"},
};

class Native final : public wire::Game {
 public:
  /// `web`: the same game over WebSocket; null if this is that game.
  explicit Native(const Native* web) : web_(web) {}

  std::string_view name() const override { return web_ != nullptr ? "native" : "native+ws"; }
  std::string_view about() const override { return "the vocabulary itself, for bots and tools"; }
  std::uint16_t default_port() const override { return 5100; }
  Transport transport() const override { return web_ != nullptr ? Transport::kTcp : Transport::kWebSocket; }
  const wire::Game* over_web() const override { return web_ != nullptr ? web_ : this; }
  std::span<const DialectInfo> dialects() const override { return kDialects; }
  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override { return make_codec(envelope(dialect)); }
  std::unique_ptr<wire::Cutter> cutter(Way way, std::size_t dialect) const override {
    return make_cutter(envelope(dialect), way);
  }
  bool uses_text_messages(std::size_t dialect) const override {
    return static_cast<Dialect>(dialect) == Dialect::kJson;
  }
  std::size_t largest_frame() const override { return kLargestFact; }
  std::size_t largest_from(Way way) const override { return way == Way::kToServer ? kLargestIntent : kLargestFact; }
  /// A map, which a room sends at once.
  std::size_t largest_burst() const override { return kLargestFact; }
  std::vector<Buffer> announcement(std::size_t dialect, std::string_view text) const override {
    words::Fact fact;
    fact.mutable_said()->set_text(std::string(text));
    return {frame_of(dialect, fact)};
  }
  bool has_last_words() const override { return true; }
  std::vector<Buffer> last_words(std::size_t dialect, wire::ClientStage stage, wire::Parting parting,
                                 std::string_view why) const override {
    if (why.empty()) return {};
    words::Fact fact;
    if (stage == wire::ClientStage::kNew) {
      fact.mutable_refused()->set_code(code_of(parting));
      fact.mutable_refused()->set_text(std::string(why));
    } else {
      fact.mutable_kicked()->set_text(std::string(why));
    }
    return {frame_of(dialect, fact)};
  }
  wire::Probe probe() const override { return wire::Probe::kDefault; }
  wire::Detected detect(Bytes) const override { return {wire::Detected::State::kUnknown, 0}; }

 private:
  Buffer frame_of(std::size_t dialect, const words::Fact& fact) const {
    Buffer frame;
    envelope(dialect).wrap(frame, [&](Buffer& out) { spell(static_cast<Dialect>(dialect), fact, out); });
    return frame;
  }
  Envelope envelope(std::size_t dialect) const { return {static_cast<Dialect>(dialect), web_ != nullptr}; }

  const Native* web_;
};

const wire::Game& by_web() {
  static const Native game(nullptr);
  return game;
}

/// Every message is a word itself, so every line is exact.
std::vector<wire::MappingLine> make_mapping() {
  std::vector<wire::MappingLine> lines;
  const auto codec = make_codec({});
  for (const wire::Row& row : codec->rows())
    lines.push_back({row.name, row.ways, "*", row.name, wire::Fidelity::kExact});
  for (const wire::MappingLine& line : {drops::kUnknownIntent, drops::kSlowReader, drops::kOfContract2,
                                        drops::kEarlyFull, drops::kTextTooLong, drops::kBoardFull})
    lines.push_back(line);
  return lines;
}

}  // namespace

const wire::Game& game() {
  static const Native game(static_cast<const Native*>(&by_web()));
  return game;
}

const core::Faces& faces() {
  static const core::Faces both{make_front, make_back, {}, {}};
  return both;
}

std::span<const wire::MappingLine> mapping() {
  // The names in rows live as long as the schema.
  static const std::vector<wire::MappingLine> lines = make_mapping();
  return lines;
}

}  // namespace entente::native
