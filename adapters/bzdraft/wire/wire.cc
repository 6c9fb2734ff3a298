// The layouts of the BZFlag 1.8+ draft and its table of messages.
// Invariant: layouts are described only here.
#include "adapters/bzdraft/wire/wire.h"
#include "adapters/bzdraft/wire/dialect.h"
#include "adapters/wire/typed_codec.h"
#include "proxy/base/mapping.h"

namespace entente::bzdraft {

using wire::Kept;

template <class V>
void fields(V& v, Flag& m) {
  v("kind", m.kind)("status", m.status)("carrier", m.carrier)("position", m.position);
}
template <class V>
void fields(V& v, VersionUp& m) {
  v("version", m.version)("type", m.type).template list<std::uint16_t>("flags_known", m.flags_known);
}
template <class V>
void fields(V& v, VersionDown& m) {
  v("version", m.version)("player", m.player)("may_join", m.may_join);
}
template <class V>
void fields(V&, SuperKill&) {}
template <class V>
void fields(V& v, GetWorldUp& m) {
  v("offset", m.offset);
}
template <class V>
void fields(V& v, GetWorldDown& m) {
  v("style", m.style)("max_players", m.max_players)("max_shots", m.max_shots)("max_flags", m.max_flags);
  v("linear_acceleration", m.linear_acceleration)("angular_acceleration", m.angular_acceleration);
  v("shake_time", m.shake_time)("shake_wins", m.shake_wins)("server_time", m.server_time).end_text("model", m.model);
}
template <class V>
void fields(V& v, GetResourceUp& m) {
  v("offset", m.offset)("md5", m.md5);
}
template <class V>
void fields(V& v, GetResourceDown& m) {
  v("offset", m.offset)("remaining", m.remaining)("md5", m.md5).rest("data", m.data, Kept::kDeclared);
}
template <class V>
void fields(V& v, Enter& m) {
  v("team", m.team)("type", m.type)("password", m.password)("callsign", m.callsign)("email", m.email)("avatar",
                                                                                                      m.avatar);
}
template <class V>
void fields(V& v, Accept& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, Reject& m) {
  v("reason", m.reason).end_text("text", m.text);
}
template <class V>
void fields(V&, Exit&) {}
template <class V>
void fields(V& v, RemovePlayer& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, TimeLeft& m) {
  v("seconds", m.seconds);
}
template <class V>
void fields(V& v, ScoreOver& m) {
  v("winner", m.winner).maybe("second", m.second);
}
template <class V>
void fields(V& v, AddPlayer& m) {
  v("player", m.player)("type", m.type)("team", m.team)("wins", m.wins)("losses", m.losses);
  v("callsign", m.callsign)("email", m.email)("avatar", m.avatar);
}
template <class V>
void fields(V& v, FlagUpdate& m) {
  v("number", m.number)("flag", m.flag);
}
template <class V>
void fields(V& v, TeamUpdate& m) {
  v("team", m.team)("wins", m.wins)("losses", m.losses);
}
template <class V>
void fields(V&, AliveUp&) {}
template <class V>
void fields(V& v, AliveDown& m) {
  v("player", m.player)("position", m.position);
}
template <class V>
void fields(V& v, Killed& m) {
  v("victim", m.victim)("killer", m.killer)("flag", m.flag)("shot", m.shot);
}
template <class V>
void fields(V& v, GrabFlagUp& m) {
  v("number", m.number);
}
template <class V>
void fields(V& v, GrabFlagDown& m) {
  v("number", m.number)("flag", m.flag);
}
template <class V>
void fields(V& v, DropFlagUp& m) {
  v("reason", m.reason);
}
template <class V>
void fields(V& v, DropFlagDown& m) {
  v("reason", m.reason)("number", m.number)("flag", m.flag);
}
template <class V>
void fields(V& v, ShotBegin& m) {
  v("shooter", m.shooter)("shot", m.shot)("position", m.position)("velocity", m.velocity);
  v("time", m.time)("lifetime", m.lifetime)("flag", m.flag);
}
template <class V>
void fields(V& v, ShotEnd& m) {
  v("shooter", m.shooter)("shot", m.shot)("reason", m.reason);
}
template <class V>
void fields(V& v, Score& m) {
  v("player", m.player)("wins", m.wins)("losses", m.losses);
}
template <class V>
void fields(V& v, Teleport& m) {
  v("player", m.player)("from", m.from)("to", m.to);
}
template <class V>
void fields(V& v, ChatMessage& m) {
  v("from", m.from)("to", m.to).end_text("text", m.text);
}
template <class V>
void fields(V& v, PlayerUpdate& m) {
  v("player", m.player)("status", m.status)("position", m.position)("velocity", m.velocity);
  v("azimuth", m.azimuth)("angular_velocity", m.angular_velocity);
}
template <class V>
void fields(V& v, ShotUpdate& m) {
  v("shooter", m.shooter)("shot", m.shot)("position", m.position)("velocity", m.velocity)("time", m.time)("target",
                                                                                                          m.target);
}

namespace {

/// TimeLeft and TeamUpdate have the same code in the draft, and differ in length. A bit above the wire's 16 bits marks
/// a TeamUpdate.
constexpr std::uint32_t kDrawnTeamUpdate = 0x1746f;
constexpr std::size_t kTeamUpdateSize = 4 + 5;

struct Protocol {
  using Dialect = bzdraft::Dialect;
  using Message = bzdraft::Message;
  static constexpr std::size_t kEnvelope = 4;
  static std::uint32_t code(const wire::Frame& frame) {
    const std::uint32_t code = static_cast<std::uint32_t>(frame.bytes[2]) << 8U | frame.bytes[3];
    return code == 0x746f && frame.bytes.size() == kTeamUpdateSize ? kDrawnTeamUpdate : code;
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) {
    const std::size_t length = out.size() - start - kEnvelope;
    out[start] = static_cast<std::uint8_t>(length >> 8U);
    out[start + 1] = static_cast<std::uint8_t>(length);
    out[start + 2] = static_cast<std::uint8_t>(code >> 8U);
    out[start + 3] = static_cast<std::uint8_t>(code);
  }
  static std::span<const wire::TypedRow<Protocol>> rows();
};

constexpr std::uint8_t kBoth = kUp | kDown;

template <class T>
constexpr wire::TypedRow<Protocol> row(const char* name, std::uint32_t code, std::uint8_t ways, const char* note = "") {
  return wire::row_of<Protocol, T>({name, code, code, ways, 3, wire::Stage::kPlay, 1, note});
}

std::span<const wire::TypedRow<Protocol>> Protocol::rows() {
  static const wire::TypedRow<Protocol> kRows[] = {
      row<VersionUp>("MsgVersion", 0x7665, kUp, "Ours: the page leaves the greeting open. A peer may leave it out."),
      row<VersionDown>("MsgVersion", 0x7665, kDown, "Ours."),
      row<SuperKill>("MsgSuperKill", 0x736b, kDown),
      row<GetWorldUp>("MsgGetWorld", 0x6777, kUp),
      row<GetWorldDown>("MsgGetWorld", 0x6777, kDown),
      row<GetResourceUp>("MsgGetResource", 0x6772, kUp, "The code is ours: the page has none."),
      row<GetResourceDown>("MsgGetResource", 0x6772, kDown, "The code is ours."),
      row<Enter>("MsgEnter", 0x656e, kUp, "Also in game, to change one's data."),
      row<Accept>("MsgAccept", 0x6163, kDown),
      row<Reject>("MsgReject", 0x726a, kDown),
      row<Exit>("MsgExit", 0x6578, kUp),
      row<RemovePlayer>("MsgRemovePlayer", 0x7270, kDown),
      row<TimeLeft>("MsgTimeLeft", 0x746f, kDown, "Two bytes; with five, the code means MsgTeamUpdate."),
      row<TeamUpdate>("MsgTeamUpdate", kDrawnTeamUpdate, kDown, "0x746f with five bytes, as the page draws it."),
      row<TeamUpdate>("MsgTeamUpdate", 0x7475, kDown, "The code of every program; sent with strict_codes=false."),
      row<ScoreOver>("MsgScoreOver", 0x736f, kDown, "One byte is sent; the page's length of two is read too."),
      row<AddPlayer>("MsgAddPlayer", 0x6170, kBoth),
      row<FlagUpdate>("MsgFlagUpdate", 0x6675, kDown),
      row<AliveUp>("MsgAlive", 0x616c, kUp),
      row<AliveDown>("MsgAlive", 0x616c, kDown),
      row<Killed>("MsgKilled", 0x6b6c, kBoth),
      row<GrabFlagUp>("MsgGrabFlag", 0x6766, kUp),
      row<GrabFlagDown>("MsgGrabFlag", 0x6766, kDown),
      row<DropFlagUp>("MsgDropFlag", 0x6466, kUp),
      row<DropFlagDown>("MsgDropFlag", 0x6466, kDown),
      row<ShotBegin>("MsgShotBegin", 0x7362, kBoth),
      row<ShotEnd>("MsgShotEnd", 0x7365, kBoth),
      row<Score>("MsgScore", 0x7363, kBoth,
                 "The page draws MsgTeleport with the same code and length: read as a score."),
      row<Teleport>("MsgTeleport", 0x7470, kBoth, "The code of every program; sent with strict_codes=false."),
      row<ChatMessage>("MsgMessage", 0x6d67, kBoth),
      row<PlayerUpdate>("MsgPlayerUpdate", 0x7075, kBoth),
      row<ShotUpdate>("MsgShotUpdate", 0x676d, kBoth),
  };
  return kRows;
}

}  // namespace

std::unique_ptr<wire::Codec> make_codec() { return std::make_unique<wire::TypedCodec<Protocol>>(Dialect{}, 0); }
std::unique_ptr<wire::MessageCodec<Message>> make_message_codec() {
  return std::make_unique<wire::TypedCodec<Protocol>>(Dialect{}, 0);
}

}  // namespace entente::bzdraft
