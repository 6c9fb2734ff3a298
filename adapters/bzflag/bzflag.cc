// BZFlag as the program sees it: names, ports, and a relay's settings.
#include "adapters/bzflag/bzflag.h"

#include <algorithm>
#include <utility>

#include "adapters/bzflag/front/queries.h"
#include "adapters/bzflag/lan.h"
#include "adapters/bzflag/translate/last_words.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/wire.h"

namespace entente::bzflag {
namespace {

using wire::Detected, wire::Way;

constexpr std::array<wire::DialectInfo, kDialects.size()> infos() {
  std::array<wire::DialectInfo, kDialects.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {kDialects[i].name, kDialects[i].about};
  return all;
}
constexpr auto kInfos = infos();

constexpr std::uint8_t kLinkRequest[] = {0, 1, 0x6f, 0x66};  // then the id

/// The code of a whole frame at the start of `bytes`.
std::optional<Code> first_code(Bytes bytes) {
  if (bytes.size() < 4 || bytes.size() < 4U + static_cast<std::size_t>(bytes[0] << 8U | bytes[1])) return std::nullopt;
  return static_cast<Code>(bytes[2] << 8U | bytes[3]);
}

/// Whether a MsgReject says that an address, a host name or a registered name is banned (2.4).
bool is_ban(Bytes reject) {
  static constexpr std::uint16_t kFirst = 9, kLast = 11;
  if (reject.size() < 6) return false;
  const auto code = static_cast<std::uint16_t>(reject[4] << 8U | reject[5]);
  return code >= kFirst && code <= kLast;
}

/// The URL with the place of the relay, if it is one of the server's own HTTP (plugin fastmap: the host of -publicaddr,
/// and the port on which bzfs listens); else "".
std::string moved_url(std::string_view url, const wire::HttpPlace& place) {
  constexpr std::string_view kScheme = "http://";
  url = url.substr(0, url.find('\0'));
  if (!url.starts_with(kScheme)) return {};
  url.remove_prefix(kScheme.size());
  const std::string_view authority = url.substr(0, url.find('/'));
  const std::string port = ":" + std::to_string(place.server_port);
  if (!authority.ends_with(port)) return {};
  const std::string_view named = authority.substr(0, authority.size() - port.size());
  const std::string_view host = place.host.empty() ? named : std::string_view(place.host);
  return std::string(kScheme) + std::string(host) + ":" + std::to_string(place.port) +
         std::string(url.substr(authority.size()));
}

/// Whether servers accept this code from a client by datagram.
bool by_datagram(Code code) {
  static constexpr Code kTaken[] = {ShotBegin::kCode,         ShotEnd::kCode,      PlayerUpdate::kCode,
                                    PlayerUpdateSmall::kCode, GuidedUpdate::kCode, LinkRequest::kCode,
                                    LinkEstablished::kCode};
  return std::find(std::begin(kTaken), std::end(kTaken), code) != std::end(kTaken);
}

class BzFlag final : public wire::Game {
 public:
  std::string_view name() const override { return kGameName; }
  std::string_view about() const override { return "BZFlag, a tank battle (bzfs, bzflag, bzadmin)"; }
  std::uint16_t default_port() const override { return 5154; }
  wire::Transport transport() const override { return wire::Transport::kTcpAndUdp; }
  std::span<const wire::DialectInfo> dialects() const override { return kInfos; }

  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override { return make_codec(dialect); }
  std::unique_ptr<wire::Cutter> cutter(Way way, std::size_t dialect) const override {
    return make_cutter(way, dialect);
  }
  std::unique_ptr<wire::Cutter> datagram_cutter(Way, std::size_t) const override { return make_datagram_cutter(); }
  /// The most that a client reads at once (MaxPacketLen, Protocol.h at v2.4.26). ServerLink.cxx reads all messages of a
  /// datagram; clients of 1.10 read only the first.
  std::size_t packed_datagram(std::size_t dialect) const override { return kDialects[dialect].packed_udp ? 1024 : 0; }
  std::size_t largest_frame() const override { return kLargestPayload + 4; }

  /// The client reads the version with one recv and gives up if it is short (ServerLink.cxx:249 at v2.4.26).
  bool requires_one_write(Way way, wire::Stage stage) const override {
    return way == Way::kToClient && stage == wire::Stage::kGreeting;
  }
  std::size_t client_greeting_size(std::size_t dialect) const override {
    return kDialects[dialect].header == Header::kRequired ? kHeaderWord.size() : 0;
  }
  /// The client does not notice a closed connection (ServerLink.cxx:517 at v2.4.26) and plays on.
  Bytes goodbye(std::size_t) const override { return kSuperKillFrame; }

  wire::AdmissionState admission(Bytes frames, std::size_t dialect) const override {
    if (kDialects[dialect].refusals && as_text(frames).starts_with(kRefusedWord))
      return is_refused_for_now(as_text(frames)) ? wire::AdmissionState::kUndecided : wire::AdmissionState::kBanned;
    if (as_text(frames).starts_with(kMagicWord)) frames = frames.subspan(std::min(frames.size(), kWelcomeSize));
    for (auto code = first_code(frames); code; code = first_code(frames)) {
      if (*code == Accept::kCode) return wire::AdmissionState::kIn;
      if (*code == Reject::kCode && is_ban(frames)) return wire::AdmissionState::kBanned;
      frames = frames.subspan(4U + static_cast<std::size_t>(frames[0] << 8U | frames[1]));
    }
    return wire::AdmissionState::kUndecided;
  }
  std::string words_of_ban(Bytes frames, std::size_t) const override {
    if (as_text(frames).starts_with(kRefusedWord)) return ban_words(as_text(frames));
    if (as_text(frames).starts_with(kMagicWord)) frames = frames.subspan(std::min(frames.size(), kWelcomeSize));
    for (auto code = first_code(frames); code; code = first_code(frames)) {
      const auto payload = static_cast<std::size_t>(frames[0] << 8U | frames[1]);
      if (*code == Reject::kCode && is_ban(frames)) return ban_words(as_text(frames.subspan(6, payload - 2)));
      frames = frames.subspan(4U + payload);
    }
    return {};
  }
  bool answers_http(std::size_t dialect) const override { return kDialects[dialect].header == Header::kRequired; }
  Buffer with_http_at(Bytes frames, std::size_t, const wire::HttpPlace& place) const override {
    Buffer changed;
    std::size_t copied = 0, at = 0;
    if (as_text(frames).starts_with(kMagicWord)) at = std::min(frames.size(), kWelcomeSize);
    for (auto code = first_code(frames.subspan(at)); code; code = first_code(frames.subspan(at))) {
      const std::size_t payload = static_cast<std::size_t>(frames[at] << 8U | frames[at + 1]), end = at + 4 + payload;
      const std::string url =
          *code == CacheUrl::kCode ? moved_url(as_text(frames.subspan(at + 4, payload)), place) : "";
      if (!url.empty() && url.size() < kLargestPayload) {
        append(changed, frames.subspan(copied, at - copied));
        const std::size_t size = url.size() + 1;
        append(changed, Buffer{static_cast<std::uint8_t>(size >> 8U), static_cast<std::uint8_t>(size), frames[at + 2],
                               frames[at + 3]});
        append(changed, as_bytes(url));
        changed.push_back(0);
        copied = end;
      }
      at = end;
    }
    if (copied != 0) append(changed, frames.subspan(copied));
    return changed;
  }
  bool has_last_words() const override { return true; }
  std::vector<Buffer> last_words(std::size_t dialect, wire::ClientStage stage, wire::Parting parting,
                                 std::string_view why) const override {
    return bzflag::last_words(dialect, stage, parting, why);
  }

  std::vector<Buffer> announcement(std::size_t dialect, std::string_view text) const override {
    return chat_of_server(dialect, text);
  }

  /// A silent connection only leaves a line in the server's log. 1.10 and 2.0 greet it; 2.4 sends its version after 2.5
  /// s and closes.
  wire::Probe probe() const override { return wire::Probe::kSilentConnection; }
  Detected detect(Bytes said) const override {
    const auto text = as_text(said);
    if (text.size() < kVersionSize) {
      const bool hope = kMagicWord.starts_with(text.substr(0, kMagicWord.size()));
      return {hope ? Detected::State::kNeedMore : Detected::State::kUnknown, 0};
    }
    for (std::size_t i = 0; i < kDialects.size(); ++i)
      if (text.starts_with(kDialects[i].version)) return {Detected::State::kFound, i};
    return {Detected::State::kUnknown, 0};
  }

  const char* ignores(const wire::Frame& frame, std::size_t dialect) const override {
    if (frame.way != Way::kToServer || frame.stage != wire::Stage::kPlay) return nullptr;
    if (kDialects[dialect].header == Header::kNever && as_text(frame.bytes).starts_with(kHeaderWord))
      return "the header of a newer client; old servers close the connection";
    const auto code = first_code(frame.bytes);
    // NetHandler.cxx:162 and bzfs.cxx:4635 at v2.4.26
    if (frame.lane == wire::Lane::kDatagram && !(code && by_datagram(*code)))
      return "a datagram that is not a whole message, or one that clients may not send by datagram";
    // bzfs.cxx:4941 at v2.4.26
    if (code == ShotBegin::kCode && kDialects[dialect].timed_shots) return "a shot message of the wrong length";
    if (code && !kDialects[dialect].kicks_unknown && make_codec(dialect)->find(frame) == nullptr)
      return "an unknown code, which servers only log";
    return nullptr;
  }

  std::optional<std::uint32_t> greeted_as(Bytes greeting) const override {
    if (greeting.size() != kWelcomeSize || !as_text(greeting).starts_with(kMagicWord)) return std::nullopt;
    if (greeting.back() == kNobody) return std::nullopt;
    return greeting.back();
  }
  std::span<const wire::Query> queries() const override {
    static constexpr wire::Query kQueries[] = {{kLanQuestion, kLanAnswerSize}};
    return kQueries;
  }
  std::string answer(const wire::Query&, const wire::Status& status) const override { return lan_answer(status); }
  Buffer greeting(std::size_t dialect, std::uint32_t player) const override {
    if (!kDialects[dialect].queries) return {};
    const std::string said = std::string(kDialects[dialect].version) + static_cast<char>(player);
    return Buffer(said.begin(), said.end());
  }
  std::optional<Buffer> answer_to_asker(Bytes frames, std::size_t dialect) const override {
    if (as_text(frames).starts_with(kHeaderWord)) frames = frames.subspan(kHeaderWord.size());
    Buffer answers;
    for (; !frames.empty(); frames = frames.subspan(4U + static_cast<std::size_t>(frames[0] << 8U | frames[1]))) {
      const auto code = first_code(frames);
      if (code == QueryGame::kCode)
        append(answers, game_of_nobody(dialect));
      else if (code == QueryPlayers::kCode)
        append(answers, list_of_nobody(dialect));
      else
        return std::nullopt;
    }
    return answers;
  }
  std::optional<wire::LinkRequest> link_request(Bytes datagram) const override {
    if (datagram.size() != sizeof kLinkRequest + 1) return std::nullopt;
    if (!same(datagram.first(sizeof kLinkRequest), kLinkRequest)) return std::nullopt;
    return wire::LinkRequest{datagram.back()};
  }

 private:
  static constexpr std::size_t kVersionSize = 8;
};

}  // namespace

const wire::Game& game() {
  static const BzFlag kGame;
  return kGame;
}

}  // namespace entente::bzflag
