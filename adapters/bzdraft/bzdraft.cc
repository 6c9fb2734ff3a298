#include "adapters/bzdraft/bzdraft.h"

#include "adapters/bzdraft/wire/conversions.h"
#include "adapters/bzdraft/wire/dialect.h"
#include "adapters/bzdraft/wire/wire.h"

namespace entente::bzdraft {
namespace {

constexpr std::size_t kEnvelope = 4;

/// Cuts by length: an ENet packet of either lane holds one message or several.
class PacketCutter final : public wire::Cutter {
 public:
  wire::Cut next(Bytes bytes) override {
    if (bytes.size() < kEnvelope) return {};
    const std::size_t size = kEnvelope + (static_cast<std::size_t>(bytes[0]) << 8U | bytes[1]);
    return {bytes.size() >= size ? size : 0, wire::Stage::kPlay, {}};
  }
};

class Draft final : public wire::Game {
 public:
  std::string_view name() const override { return kGameName; }
  std::string_view about() const override { return "draft of a protocol for BZFlag 1.8; no release of BZFlag uses it"; }
  std::uint16_t default_port() const override { return 5154; }
  wire::Transport transport() const override { return wire::Transport::kEnet; }
  std::span<const wire::DialectInfo> dialects() const override { return kDialectInfo; }

  std::unique_ptr<wire::Codec> codec(std::size_t) const override { return make_codec(); }
  std::unique_ptr<wire::Cutter> cutter(wire::Way, std::size_t) const override {
    return std::make_unique<PacketCutter>();
  }
  std::unique_ptr<wire::Cutter> datagram_cutter(wire::Way, std::size_t) const override {
    return std::make_unique<PacketCutter>();
  }
  std::size_t largest_frame() const override { return kEnvelope + 0xFFFF; }

  Bytes goodbye(std::size_t) const override {
    static constexpr std::uint8_t kSuperKill[] = {0, 0, 0x73, 0x6b};
    return kSuperKill;
  }
  bool has_last_words() const override { return true; }
  /// As a server of the draft does: MsgReject, the only message with a reason, then MsgSuperKill.
  std::vector<Buffer> last_words(std::size_t, wire::ClientStage, wire::Parting parting,
                                 std::string_view why) const override {
    Buffer said;
    const auto codec = make_message_codec();
    if (!why.empty()) {
      const bool full = parting == wire::Parting::kFull || parting == wire::Parting::kTooManyFromAddress;
      Reject reject;
      reject.reason = static_cast<std::uint8_t>(full ? Refusal::kServerFull : Refusal::kNeedServerAuth);
      reject.text.chars = std::string(why);
      codec->write(reject, wire::Way::kToClient, said);
    }
    codec->write(SuperKill{}, wire::Way::kToClient, said);
    return {said};
  }

  wire::Probe probe() const override { return wire::Probe::kDefault; }
  wire::Detected detect(Bytes) const override { return {wire::Detected::State::kFound, 0}; }

  wire::EnetSettings enet() const override { return {2, false}; }
  /// Resources are requested in pieces, but a client may request all pieces at once.
  std::size_t largest_burst() const override { return 1U << 20U; }
};

}  // namespace

const wire::Game& game() {
  static const Draft kGame;
  return kGame;
}

}  // namespace entente::bzdraft
