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

constexpr std::size_t kRejectHead = 6;  // with the code of the reason

/// Takes the frame at the start of `bytes`. Nothing: there is no whole one.
std::optional<Bytes> take_frame(Bytes& bytes) {
  if (bytes.size() < kFrameHead) return std::nullopt;
  const std::size_t size = kFrameHead + static_cast<std::size_t>(bytes[0] << 8U | bytes[1]);
  if (bytes.size() < size) return std::nullopt;
  const Bytes frame = bytes.first(size);
  bytes = bytes.subspan(size);
  return frame;
}

Code message_code(Bytes frame) { return static_cast<Code>(frame[2] << 8U | frame[3]); }

/// Whether a frame is a MsgReject that says that an address, a host name or a registered name is banned (2.4).
bool is_ban(Bytes frame) {
  static constexpr std::uint16_t kFirst = 9, kLast = 11;
  if (message_code(frame) != Reject::kCode || frame.size() < kRejectHead) return false;
  const auto reason = static_cast<std::uint16_t>(frame[4] << 8U | frame[5]);
  return reason >= kFirst && reason <= kLast;
}

/// What nobody's server answers to a client that only asks, by dialect.
struct Answers {
  Buffer game, players;
};

const Answers& answers_of_nobody(std::size_t dialect) {
  static const auto kAnswers = [] {
    std::array<Answers, kDialects.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (kDialects[i].queries) all[i] = {game_of_nobody(i), list_of_nobody(i)};
    return all;
  }();
  return kAnswers[dialect];
}

/// Whether the dialect has a message with the code of this frame.
bool is_known(const wire::Frame& frame, std::size_t dialect) {
  static const auto kCodecs = [] {
    std::array<std::unique_ptr<const wire::Codec>, kDialects.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make_codec(i);
    return all;
  }();
  return kCodecs[dialect]->find(frame) != nullptr;
}

/// Whether these frames of a client, without its greeting, are only questions.
bool are_questions(Bytes frames) {
  while (const auto frame = take_frame(frames))
    if (message_code(*frame) != QueryGame::kCode && message_code(*frame) != QueryPlayers::kCode) return false;
  return frames.empty();
}

Bytes without_header(Bytes frames) {
  return as_text(frames).starts_with(kHeaderWord) ? frames.subspan(kHeaderWord.size()) : frames;
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
    while (const auto frame = take_frame(frames)) {
      if (message_code(*frame) == Accept::kCode) return wire::AdmissionState::kIn;
      if (is_ban(*frame)) return wire::AdmissionState::kBanned;
    }
    return wire::AdmissionState::kUndecided;
  }
  std::string words_of_ban(Bytes frames, std::size_t) const override {
    if (as_text(frames).starts_with(kRefusedWord)) return ban_words(as_text(frames));
    if (as_text(frames).starts_with(kMagicWord)) frames = frames.subspan(std::min(frames.size(), kWelcomeSize));
    while (const auto frame = take_frame(frames))
      if (is_ban(*frame)) return ban_words(as_text(frame->subspan(kRejectHead)));
    return {};
  }
  bool answers_http(std::size_t dialect) const override { return kDialects[dialect].header == Header::kRequired; }
  Buffer with_http_at(Bytes frames, std::size_t, const wire::HttpPlace& place) const override {
    Buffer changed;
    std::size_t copied = 0;
    Bytes left = frames;
    if (as_text(left).starts_with(kMagicWord)) left = left.subspan(std::min(left.size(), kWelcomeSize));
    while (const auto frame = take_frame(left)) {
      const std::string url =
          message_code(*frame) == CacheUrl::kCode ? moved_url(as_text(frame->subspan(kFrameHead)), place) : "";
      if (url.empty() || url.size() >= kLargestPayload) continue;
      const std::size_t end = frames.size() - left.size(), size = url.size() + 1;
      append(changed, frames.subspan(copied, end - frame->size() - copied));
      append(changed,
             Buffer{static_cast<std::uint8_t>(size >> 8U), static_cast<std::uint8_t>(size), (*frame)[2], (*frame)[3]});
      append(changed, as_bytes(url));
      changed.push_back(0);
      copied = end;
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
    Bytes bytes = frame.bytes;
    const auto whole = take_frame(bytes);
    const auto code = whole ? std::optional(message_code(*whole)) : std::nullopt;
    // NetHandler.cxx:162 and bzfs.cxx:4635 at v2.4.26
    if (frame.lane == wire::Lane::kDatagram && !(code && by_datagram(*code)))
      return "a datagram that is not a whole message, or one that clients may not send by datagram";
    // bzfs.cxx:4941 at v2.4.26
    if (code == ShotBegin::kCode && kDialects[dialect].timed_shots) return "a shot message of the wrong length";
    if (code && !kDialects[dialect].kicks_unknown && !is_known(frame, dialect))
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
  bool only_asks(Bytes frames, std::size_t dialect) const override {
    return kDialects[dialect].queries && are_questions(without_header(frames));
  }
  Buffer answer_to_asker(Bytes frames, std::size_t dialect) const override {
    Buffer answers;
    frames = without_header(frames);
    while (const auto frame = take_frame(frames)) {
      const Answers& known = answers_of_nobody(dialect);
      append(answers, message_code(*frame) == QueryGame::kCode ? known.game : known.players);
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
