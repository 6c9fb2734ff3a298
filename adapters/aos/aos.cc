#include "adapters/aos/aos.h"

#include "adapters/aos/wire/client_packet_cutter.h"
#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/cp437.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/wire.h"
#include "proxy/base/text.h"

namespace entente::aos {
namespace {

/// Answered by "HI", and by a JSON object with name, players, map and mode.
constexpr wire::Query kQueries[] = {{"HELLO", 16}, {"HELLOLAN", 1024}};

/// Cuts what arrives outside the reliable stream: unreliable ENet packets, and datagrams outside ENet. Only their
/// contents distinguish the two.
class Datagrams final : public wire::Cutter {
 public:
  explicit Datagrams(wire::Way way) : way_(way) {}

  wire::Cut next(Bytes bytes) override {
    const std::string_view text = as_text(bytes);
    const bool asks = text == kQueries[0].question || text == kQueries[1].question;
    const bool answers = text == "HI" || (text.size() > 1 && text.front() == '{' && text.back() == '}');
    const bool greets = way_ == wire::Way::kToServer ? asks : answers;
    return {bytes.size(), greets ? wire::Stage::kGreeting : wire::Stage::kPlay, {}};
  }

 private:
  wire::Way way_;
};

/// The answer to HELLOLAN, in the format of SpadesX.
std::string lan_answer(const wire::Status& status) {
  std::string json;
  const auto text = [&](const char* key, std::string_view value) {
    json.append(json.empty() ? "{" : ",").append("\"").append(key).append("\":\"");
    for (const char c : value)
      if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) json += c;
    json += '"';
  };
  const auto number = [&](const char* key, std::uint32_t value) {
    json.append(",\"").append(key).append("\":").append(std::to_string(value));
  };
  text("name", status.name);
  number("players_current", status.players);
  number("players_max", status.most_players == 0 ? kMostPlayers : status.most_players);
  text("map", status.map);
  text("game_mode", status.mode);
  text("game_version", status.dialect);
  return json + "}";
}

class AceOfSpades final : public wire::Game {
 public:
  std::string_view name() const override { return kGameName; }
  std::string_view about() const override { return "Ace of Spades: SpadesX, piqueserver, BetterSpades, OpenSpades"; }
  std::uint16_t default_port() const override { return 32887; }
  wire::Transport transport() const override { return wire::Transport::kEnet; }
  std::span<const wire::DialectInfo> dialects() const override { return kDialectInfo; }

  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override { return make_codec(dialect); }
  std::unique_ptr<wire::Cutter> cutter(wire::Way way, std::size_t dialect) const override {
    // Packets of the 0.80 draft have other lengths, and no server of it bans for short ones.
    if (way == wire::Way::kToServer && !kDialects[dialect].state_updates) return std::make_unique<ClientPacketCutter>();
    return std::make_unique<wire::WholeFrames>();
  }
  std::unique_ptr<wire::Cutter> datagram_cutter(wire::Way way, std::size_t) const override {
    return std::make_unique<Datagrams>(way);
  }
  /// A packet that is too short is not ignored: piqueserver bans its sender.
  const char* ignores(const wire::Frame& frame, std::size_t dialect) const override {
    const bool play = frame.way == wire::Way::kToServer && frame.stage == wire::Stage::kPlay && !frame.bytes.empty();
    if (!play || kDialects[dialect].state_updates || ClientPacketCutter{}.next(frame.bytes).fault) return nullptr;
    if (clients_say(frame.bytes[0], dialect)) return nullptr;
    return "servers log unknown ids and continue";
  }

  /// The largest frame is a 0.80 State Update of 255 players; map chunks are smaller.
  std::size_t largest_frame() const override { return 16384; }

  /// The client sends the version as ENet connect data. A server never says which version it speaks.
  wire::Probe probe() const override { return wire::Probe::kDefault; }
  wire::Detected detect(Bytes) const override { return {wire::Detected::State::kUnknown, 0}; }

  wire::EnetSettings enet() const override { return {2, true}; }
  std::optional<std::size_t> named_by_connect(std::uint32_t data) const override {
    for (std::size_t i = 0; i < std::size(kDialects); ++i)
      if (kDialects[i].connect_data == data) return i;
    return std::nullopt;
  }
  std::uint32_t connect_data(std::size_t dialect) const override { return kDialects[dialect].connect_data; }
  std::span<const wire::Query> queries() const override { return kQueries; }
  std::string answer(const wire::Query& query, const wire::Status& status) const override {
    if (!status.server.empty()) return std::string(as_text(status.server));  // it contains no address to replace
    return query.question == "HELLO" ? "HI" : lan_answer(status);
  }
  bool hides_units() const override { return true; }  // some servers do
  std::uint32_t enet_parting(wire::Parting why) const override {
    switch (why) {
      case wire::Parting::kBanned:
        return kBanned;
      case wire::Parting::kTooManyFromAddress:
        return 2;
      case wire::Parting::kWrongVersion:
        return 3;
      case wire::Parting::kFull:
        return 4;
      case wire::Parting::kServerGone:
        return 5;
      case wire::Parting::kKicked:
        return 10;
      default:
        return 0;
    }
  }
  bool bans_by(std::uint32_t data) const override { return data == kBanned; }
  bool has_last_words() const override { return true; }
  /// A client that loads the map takes only packets of the map: OpenSpades gives up at any other. BetterSpades shows
  /// the last line after the disconnect.
  std::vector<Buffer> last_words(std::size_t dialect, wire::ClientStage stage, wire::Parting,
                                 std::string_view why) const override {
    if (stage != wire::ClientStage::kPlaying || why.empty()) return {};
    std::vector<Buffer> packets = announcement(dialect, why);
    ChatMessage reason;
    reason.player = kReasonId;
    reason.type = kSystemLine;
    reason.text.chars = wire_text(why, kLongestReason) + '\0';
    make_message_codec(dialect)->write(reason, wire::Way::kToClient, packets.emplace_back());
    return packets;
  }
  std::vector<Buffer> announcement(std::size_t dialect, std::string_view text) const override {
    std::vector<Buffer> packets;
    const auto codec = make_message_codec(dialect);
    while (!text.empty()) {
      ChatMessage chat;
      chat.player = kNoticeId;
      chat.type = kSystemLine;
      const std::string_view line = take_piece(text, kLongestLine, CutAt::kBlank);
      chat.text.chars = (kDialects[dialect].state_updates ? wire_text(line) : to_wire(line)) + '\0';
      codec->write(chat, wire::Way::kToClient, packets.emplace_back());
    }
    return packets;
  }
  static constexpr std::uint8_t kJoins = 9;  // ExistingPlayer
  /// Before it sends this packet, the client loads the map and accepts nothing else.
  bool shows_player(Bytes packet) const override { return !packet.empty() && packet[0] == kJoins; }
  /// SpadesX queues a whole packed map at once; the largest seen was below a megabyte.
  std::size_t largest_burst() const override { return 8U << 20U; }
};

}  // namespace

const wire::Game& game() {
  static const AceOfSpades kGame;
  return kGame;
}

}  // namespace entente::aos
