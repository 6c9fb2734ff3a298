// The layout of every message of every dialect, and the table of them. A payload's layout is described only here.
// Invariant: fields() computes nothing; where dialects differ, it tests a feature.
#include "adapters/bzflag/wire/wire.h"

#include "adapters/wire/typed_codec.h"

namespace entente::bzflag {

using wire::Kept;

// -- Parts ------------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Address& m) {
  v("ip", m.ip)("port", m.port)("number", m.number);
}

template <class V>
void id(V& v, const char* name, Id& m) {
  v.when("dialect.byte_ids", !v.dialect.address_ids, [&] { v(name, m.byte); });
  v.when("dialect.address_ids", v.dialect.address_ids, [&] { v(name, m.address); });
}

template <class V>
void kind(V& v, const char* name, FlagKind& m) {
  v.when("dialect.flag_letters", !v.dialect.flag_numbers, [&] { v(name, m.letters); });
  v.when("dialect.flag_numbers", v.dialect.flag_numbers, [&] { v(name, m.number); });
}

template <class V>
void fields(V& v, FlagRecord& m) {
  kind(v, "kind", m.flag);
  v("status", m.status)("endurance", m.endurance);
  id(v, "owner", m.owner);
  v("pos", m.pos)("launch", m.launch)("landing", m.landing);
  v("flight_time", m.flight_time)("flight_end", m.flight_end)("initial_velocity", m.initial_velocity);
}
template <class V>
void fields(V& v, NumberedFlag& m) {
  v("number", m.number)("record", m.flag);
}

// -- Greetings --------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, ClientHeader&) {
  v.exact("header", kHeaderWord);
}
template <class V>
void fields(V& v, Welcome& m) {
  v.exact("magic", kMagicWord)("version", m.version)("id", m.id);
}
template <class V>
void fields(V& v, TooLate& m) {
  v.exact("magic", kMagicWord)("version", m.version).exact("end", kLateWord);
}
template <class V>
void fields(V& v, Refused& m) {
  v.exact("magic", kRefusedWord).end_text("reason", m.reason);
}
template <class V>
void fields(V& v, RefusedMore& m) {
  v.end_text("reason", m.reason);
}

// -- Joining ----------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, NegotiateFlags& m) {
  v.until_end("flags", m.flags);
}
template <class V>
void fields(V& v, FlagType& m) {
  v("flag", m.flag)("quality", m.quality)("shot", m.shot);
  v.template text<std::uint32_t>("name", m.name).template text<std::uint32_t>("help", m.help);
}
template <class V>
void fields(V& v, GameSettings& m) {
  v("world_size", m.world_size);
  v.when("dialect.game_type", v.dialect.game_type, [&] { v("game_type", m.game_type); });
  v("options", m.options)("max_players", m.max_players)("max_shots", m.max_shots)("max_flags", m.max_flags);
  v("linear_acceleration", m.linear_acceleration)("angular_acceleration", m.angular_acceleration);
  v("shake_timeout", m.shake_timeout)("shake_wins", m.shake_wins)("sync_time", m.sync_time);
}
template <class V>
void fields(V& v, WorldHash& m) {
  v.end_text("hash", m.hash);
}
template <class V>
void fields(V& v, CacheUrl& m) {
  v.end_text("url", m.url);
}
template <class V>
void fields(V& v, GetWorld& m) {
  v.when("dialect.long_offsets", !v.dialect.short_offsets, [&] { v("offset", m.offset); });
  v.when("dialect.short_offsets", v.dialect.short_offsets, [&] { v("offset", m.short_offset); });
}
template <class V>
void fields(V& v, WorldChunk& m) {
  v.when("dialect.long_offsets", !v.dialect.short_offsets, [&] { v("left", m.left); });
  v.when("dialect.short_offsets", v.dialect.short_offsets, [&] { v("left", m.short_left); });
  v.rest("data", m.data, Kept::kDeclared);
}
template <class V>
void fields(V& v, Enter& m) {
  v.when("dialect.address_ids", v.dialect.address_ids, [&] { v("id", m.id.address); });
  v("type", m.type);
  v.when("dialect.signed_fields", !v.dialect.unsigned_fields, [&] { v("team", m.team); });
  v.when("dialect.unsigned_fields", v.dialect.unsigned_fields,
         [&] { v.template bits_as<std::uint16_t>("team", m.team); });
  v("callsign", m.callsign)("motto", m.motto);
  v.when("dialect.enter_token", v.dialect.enter_token, [&] { v("token", m.token)("version", m.version); });
  v.when("dialect.enter_end", !v.dialect.address_ids, [&] { v.maybe("end", m.end); });
}
template <class V>
void fields(V& v, Accept& m) {
  v.when("dialect.accept_id", v.dialect.accept_id, [&] { id(v, "id", m.id); });
}
template <class V>
void fields(V& v, Reject& m) {
  v("code", m.code);
  v.when("dialect.reject_text", v.dialect.reject_text, [&] { v("reason", m.reason); });
}

// -- Who is there -----------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, AddPlayer& m) {
  id(v, "id", m.id);
  v("type", m.type)("team", m.team)("wins", m.wins)("losses", m.losses);
  v.when("dialect.team_kills", v.dialect.team_kills, [&] { v("team_kills", m.team_kills); });
  v("callsign", m.callsign)("motto", m.motto);
}
template <class V>
void fields(V& v, RemovePlayer& m) {
  id(v, "id", m.id);
}
template <class V>
void fields(V& v, PlayerInfo::Item& m) {
  v("player", m.player)("bits", m.bits);
}
template <class V>
void fields(V& v, PlayerInfo& m) {
  v.template list<std::uint8_t>("players", m.players);
}
template <class V>
void fields(V& v, AdminInfo::Item& m) {
  v("size", m.size)("player", m.player)("family", m.family);
  v.when("family = 127", m.family == 127, [&] { v("local", m.local); });
  v.when("family != 127", m.family != 127, [&] { v("ip", m.ip); });
}
template <class V>
void fields(V& v, AdminInfo& m) {
  v.template list<std::uint8_t>("players", m.players);
}
template <class V>
void fields(V& v, Handicap::Item& m) {
  v("player", m.player)("handicap", m.handicap);
}
template <class V>
void fields(V& v, Handicap& m) {
  v.template list<std::uint8_t>("players", m.players);
}
template <class V>
void fields(V& v, TeamUpdate::Item& m) {
  v("team", m.team)("size", m.size)("won", m.won)("lost", m.lost);
}
template <class V>
void fields(V& v, TeamUpdate& m) {
  v.template list<std::uint8_t>("teams", m.teams);
}
template <class V>
void fields(V& v, OneTeamUpdate& m) {
  v("team", m.team)("size", m.size)("active", m.active)("won", m.won)("lost", m.lost);
}
template <class V>
void fields(V& v, Score::Item& m) {
  v("player", m.player)("wins", m.wins)("losses", m.losses)("team_kills", m.team_kills);
}
template <class V>
void fields(V& v, Score& m) {
  v.template list<std::uint8_t>("players", m.players);
}
template <class V>
void fields(V& v, ScoreReport& m) {
  v("wins", m.wins)("losses", m.losses);
}
template <class V>
void fields(V& v, OneScore& m) {
  id(v, "player", m.player);
  v("wins", m.wins)("losses", m.losses);
}
template <class V>
void fields(V& v, ScoreOver& m) {
  id(v, "player", m.player);
  v("team", m.team);
}
template <class V>
void fields(V& v, NewRabbit& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, PauseReport& m) {
  v("paused", m.paused);
}
template <class V>
void fields(V& v, Pause& m) {
  v("player", m.player)("paused", m.paused);
}
template <class V>
void fields(V& v, AutoPilotReport& m) {
  v("on", m.on);
}
template <class V>
void fields(V& v, AutoPilot& m) {
  v("player", m.player)("on", m.on);
}

// -- Life and death ---------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, AliveRequest& m) {
  v.when("dialect.spawn_by_client", v.dialect.spawn_by_client, [&] { v("pos", m.pos)("forward", m.forward); });
}
template <class V>
void fields(V& v, Alive& m) {
  id(v, "player", m.player);
  v("pos", m.pos);
  v.when("dialect.spawn_by_client", v.dialect.spawn_by_client, [&] { v("forward", m.forward); });
  v.when("dialect.spawn_by_server", !v.dialect.spawn_by_client, [&] { v("azimuth", m.azimuth); });
}

constexpr std::int16_t kPhysicsDriver = 0x7064;

template <class V>
void death(V& v, Death& m) {
  v.when("dialect.death_reason", v.dialect.death_reason, [&] { v("reason", m.reason); });
  v("shot", m.shot);
  v.when("dialect.death_flag", v.dialect.death_flag, [&] {
    kind(v, "flag", m.flag);
    v.when("reason = 0x7064", m.reason == kPhysicsDriver, [&] { v("driver", m.driver); });
  });
}
template <class V>
void fields(V& v, KilledReport& m) {
  id(v, "killer", m.killer);
  death(v, m.death);
}
template <class V>
void fields(V& v, Killed& m) {
  id(v, "victim", m.victim);
  id(v, "killer", m.killer);
  death(v, m.death);
}
template <class V>
void fields(V& v, TeleportReport& m) {
  v("from", m.from)("to", m.to);
}
template <class V>
void fields(V& v, Teleport& m) {
  id(v, "player", m.player);
  v("from", m.from)("to", m.to);
}

/// PlayerState.cxx:118 at v2.4.26: the order of the optional fields is not that of their bits.
template <class V>
void tail(V& v, std::int16_t status, UpdateTail& m) {
  v.when("dialect.update_tails", v.dialect.update_tails, [&] {
    v.when("status & 0x200", (status & 0x200) != 0, [&] { v("jump_jets", m.jump_jets); });
    v.when("status & 0x80", (status & 0x80) != 0, [&] { v("driver", m.driver); });
    v.when("status & 0x100", (status & 0x100) != 0, [&] { v("user_speed", m.user_speed)("user_turn", m.user_turn); });
    v.when("status & 0x400", (status & 0x400) != 0, [&] { v("sounds", m.sounds); });
  });
}
template <class V, class Update>
void update(V& v, Update& m) {
  v.when("dialect.stamped_updates", v.dialect.stamped_updates, [&] { v("time", m.time); });
  id(v, "player", m.player);
  v.when("dialect.stamped_updates", v.dialect.stamped_updates, [&] { v("order", m.order); });
  v.when("dialect.signed_fields", !v.dialect.unsigned_fields, [&] { v("status", m.status); });
  v.when("dialect.unsigned_fields", v.dialect.unsigned_fields,
         [&] { v.template bits_as<std::uint16_t>("status", m.status); });
  v("pos", m.pos)("vel", m.vel)("azimuth", m.azimuth)("turn", m.turn);
  tail(v, m.status, m.tail);
}
template <class V>
void fields(V& v, PlayerUpdate& m) {
  update(v, m);
}
template <class V>
void fields(V& v, PlayerUpdateSmall& m) {
  update(v, m);
}

// -- Shots ------------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, ShotBegin& m) {
  v.when("dialect.timed_shots", v.dialect.timed_shots, [&] { v("sent", m.sent); });
  id(v, "player", m.player);
  v("shot", m.shot)("pos", m.pos)("vel", m.vel)("age", m.age);
  v.when("dialect.shot_team", v.dialect.shot_team, [&] { v("team", m.team); });
  kind(v, "flag", m.flag);
  v("life", m.life);
}
template <class V>
void fields(V& v, ShotEnd& m) {
  id(v, "player", m.player);
  v("shot", m.shot)("reason", m.reason);
}
template <class V>
void fields(V& v, GuidedUpdate& m) {
  id(v, "player", m.player);
  v("shot", m.shot)("pos", m.pos)("vel", m.vel)("age", m.age);
  v.when("dialect.shot_team", v.dialect.shot_team, [&] { v("team", m.team); });
  id(v, "target", m.target);
}

// -- Flags ------------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, FlagUpdate& m) {
  v.template list<std::uint16_t>("flags", m.flags);
}
template <class V>
void fields(V& v, OneFlagUpdate& m) {
  v("flag", m.flag);
}
template <class V>
void fields(V& v, GrabFlagRequest& m) {
  v("number", m.number);
}
template <class V>
void fields(V& v, GrabFlag& m) {
  id(v, "player", m.player);
  v("flag", m.flag);
}
template <class V>
void fields(V& v, DropFlagRequest& m) {
  v("pos", m.pos);
}
template <class V>
void fields(V& v, DropFlag& m) {
  id(v, "player", m.player);
  v("flag", m.flag);
}
template <class V>
void fields(V& v, CaptureFlagReport& m) {
  v("team", m.team);
}
template <class V>
void fields(V& v, CaptureFlag& m) {
  id(v, "player", m.player);
  v("flag", m.flag)("team", m.team);
}
template <class V>
void fields(V& v, TransferFlagReport& m) {
  v("from", m.from)("to", m.to);
}
template <class V>
void fields(V& v, TransferFlag& m) {
  v("from", m.from)("to", m.to)("flag", m.flag);
}
template <class V>
void fields(V& v, NearFlag& m) {
  v("pos", m.pos).template text<std::uint32_t>("name", m.name);
}

// -- Words, numbers, time ---------------------------------------------------------------------------------------------

template <class V, class Said>
void chat_text(V& v, Said& m) {
  v.when("dialect.free_chat", !v.dialect.fixed_chat, [&] { v.end_text("text", m.text); });
  v.when("dialect.fixed_chat", v.dialect.fixed_chat, [&] { v("text", m.fixed_text); });
}
template <class V>
void fields(V& v, ChatRequest& m) {
  id(v, "to", m.to);
  v.when("dialect.message_team", v.dialect.message_team, [&] { v("team", m.team); });
  chat_text(v, m);
}
template <class V>
void fields(V& v, Chat& m) {
  id(v, "from", m.from);
  id(v, "to", m.to);
  v.when("dialect.message_team", v.dialect.message_team, [&] { v("team", m.team); });
  v.when("dialect.message_kind", v.dialect.message_kind, [&] { v("kind", m.kind); });
  chat_text(v, m);
}
template <class V>
void fields(V& v, SetVar::Item& m) {
  v.template text<std::uint8_t>("name", m.name).template text<std::uint8_t>("value", m.value);
}
template <class V>
void fields(V& v, SetVar& m) {
  v.template list<std::uint16_t>("variables", m.variables);
}
template <class V>
void fields(V& v, TimeLeft& m) {
  v.when("dialect.long_time", v.dialect.long_time, [&] { v("seconds", m.long_seconds); });
  v.when("dialect.short_time", !v.dialect.long_time, [&] { v("seconds", m.seconds); });
}
template <class V>
void fields(V& v, GameTime& m) {
  v("microseconds", m.microseconds);
}
template <class V>
void fields(V& v, LagPing& m) {
  v("number", m.number);
}
template <class V>
void fields(V& v, ReplayReset& m) {
  v("last", m.last);
}
template <class V>
void fields(V& v, FetchResources::Item& m) {
  v("type", m.type).template text<std::uint16_t>("url", m.url);
}
template <class V>
void fields(V& v, FetchResources& m) {
  v.template list<std::uint16_t>("resources", m.resources);
}
template <class V>
void fields(V& v, CustomSound& m) {
  v("type", m.type).template text<std::uint16_t>("name", m.name);
}

// -- Questions, and the datagram link ---------------------------------------------------------------------------------

template <class V>
void fields(V& v, GameAnswer& m) {
  v.when("dialect.game_type", v.dialect.game_type, [&] { v("game_type", m.game_type); });
  v("options", m.options)("max_players", m.max_players)("max_shots", m.max_shots)("sizes", m.sizes);
  v.when("dialect.observers", v.dialect.observers, [&] { v("observers", m.observers); });
  v("max_sizes", m.max_sizes);
  v.when("dialect.observers", v.dialect.observers, [&] { v("max_observers", m.max_observers); });
  v("shake_wins", m.shake_wins)("shake_timeout", m.shake_timeout)("max_player_score", m.max_player_score);
  v("max_team_score", m.max_team_score)("max_time", m.max_time);
  v.when("dialect.observers", v.dialect.observers, [&] { v("elapsed", m.elapsed); });
}
template <class V>
void fields(V& v, PlayersAnswer& m) {
  v("teams", m.teams)("players", m.players);
}
template <class V>
void fields(V& v, LinkRequest& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, PingRequest& m) {
  v("zero", m.zero);
}
template <class V>
void fields(V& v, PingReply::Team& m) {
  v("count", m.count)("most", m.most);
}
template <class V>
void fields(V& v, PingReply& m) {
  v("version", m.version)("server", m.server);
  v.when("dialect.ping_family", v.dialect.ping_family, [&] { v("family", m.family); });
  v("address", m.address);
  v.when("dialect.game_type", v.dialect.game_type, [&] { v("game_type", m.game_type); });
  v("options", m.options)("max_shots", m.max_shots)("shake_wins", m.shake_wins)("shake_timeout", m.shake_timeout);
  v("max_player_score", m.max_player_score)("max_team_score", m.max_team_score)("max_time", m.max_time);
  v("max_players", m.max_players)("teams", m.teams)("pad", m.pad);
  v.when("dialect.one_style", !v.dialect.game_type, [&] { v("more_pad", m.more_pad); });
  v.when("dialect.no_ping_family", !v.dialect.ping_family, [&] { v("last_pad", m.last_pad); });
}

// -- Messages without a payload, or without a layout ------------------------------------------------------------------

template <class T>
concept Empty = std::is_empty_v<T> && requires {
  T::kCode;
};
template <class V, Empty T>
void fields(V&, T&) {}

/// Relayed by real servers, or ignored: no source gives them a layout.
template <class T>
concept Formless = requires(T t) {
  T::kCode;
  { t.data } -> std::same_as<Buffer&>;
  requires sizeof(T) == sizeof(Buffer);
};
template <class V, Formless T>
void fields(V& v, T& m) {
  v.rest("data", m.data, Kept::kDeclared);
}

namespace {

/// The team's score under the code of the time left.
constexpr std::uint32_t kDrawnTeamUpdate = 0x10000U | OneTeamUpdate::kDrawnCode;
constexpr std::size_t kTeamUpdatePayload = 10;

struct Protocol {
  using Dialect = bzflag::Dialect;
  using Message = bzflag::Message;
  static constexpr std::size_t kEnvelope = 4;  // u16 length of the payload, u16 code

  static std::uint32_t code(const wire::Frame& frame, const Dialect& dialect) {
    if (frame.stage == wire::Stage::kGreeting) return static_cast<std::uint32_t>(greeting(frame.way, frame.bytes));
    const auto code = static_cast<std::uint32_t>(frame.bytes[2] << 8U | frame.bytes[3]);
    const bool team = dialect.shared_codes && code == OneTeamUpdate::kDrawnCode &&
                      frame.bytes.size() == kEnvelope + kTeamUpdatePayload;
    return team ? kDrawnTeamUpdate : code;
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) {
    const std::size_t size = out.size() - start - kEnvelope;
    assert(size <= kLargestPayload);
    out[start] = static_cast<std::uint8_t>(size >> 8U);
    out[start + 1] = static_cast<std::uint8_t>(size);
    out[start + 2] = static_cast<std::uint8_t>(code >> 8U);
    out[start + 3] = static_cast<std::uint8_t>(code);
  }
  static std::span<const wire::TypedRow<Protocol>> rows();
};

using Typed = wire::TypedRow<Protocol>;

constexpr std::uint8_t kToServer = 1, kToClient = 2, kBoth = 3;  // ways
constexpr std::uint8_t kStream = 1, kDatagram = 2, kEither = 3;  // lanes

template <class T>
constexpr Typed greet(const char* name, Greeting what, std::uint8_t way, std::uint32_t dialects, const char* note) {
  const auto code = static_cast<std::uint32_t>(what);
  return wire::row_of<Protocol, T>({name, code, code, way, kStream, wire::Stage::kGreeting, dialects, note});
}
template <class T>
constexpr Typed play(const char* name, std::uint8_t ways, std::uint32_t dialects, std::uint8_t lanes = kStream,
                     const char* note = "", std::uint32_t code = T::kCode) {
  return wire::row_of<Protocol, T>({name, code, code, ways, lanes, wire::Stage::kPlay, dialects, note});
}

}  // namespace

// clang-format off
std::span<const Typed> Protocol::rows() {  // NOLINT(readability-function-size): a table
  static const Typed kRows[] = {
      greet<ClientHeader>("ClientHeader", Greeting::kClientHeader, kToServer, k24 | kWiki,
                          "A 2.4 server drops a client that sends anything behind it before the answer."),
      greet<Welcome>("Welcome", Greeting::kWelcome, kToClient, kAll,
                     "The 2.4 client reads the version with one call: send it in one write. Id 255: full, closing."),
      greet<TooLate>("TooLate", Greeting::kTooLate, kToClient, k24, "To a client that is silent for 2.5 s."),
      greet<Refused>("Refused", Greeting::kRefused, kToClient, kFrom110, "A ban; the text runs to the end of the stream."),
      greet<RefusedMore>("RefusedMore", Greeting::kRefusedMore, kToClient, kFrom110, "A ban's text, when it comes in pieces."),

      play<NegotiateFlags>("MsgNegotiateFlags", kBoth, kAll, kStream, "Answered with those the client lacks."),
      play<FlagType>("MsgFlagType", kToClient, k24),
      play<WantSettings>("MsgWantSettings", kToServer, kFrom20),
      play<GameSettings>("MsgGameSettings", kToClient, kFrom20),
      play<WantWorldHash>("MsgWantWHash", kToServer, kAll),
      play<WorldHash>("MsgWantWHash", kToClient, kAll),
      play<CacheUrl>("MsgCacheURL", kToClient, kFrom20),
      play<GetWorld>("MsgGetWorld", kToServer, kAll),
      play<WorldChunk>("MsgGetWorld", kToClient, kAll),
      play<Enter>("MsgEnter", kToServer, kAll),
      play<Accept>("MsgAccept", kToClient, kAll),
      play<Reject>("MsgReject", kToClient, kAll, kStream, "Real servers leave old memory behind the NUL."),
      play<SuperKill>("MsgSuperKill", kToClient, kAll),
      play<Exit>("MsgExit", kToServer, kAll),

      play<AddPlayer>("MsgAddPlayer", kToClient, kAll),
      play<RemovePlayer>("MsgRemovePlayer", kToClient, kAll),
      play<PlayerInfo>("MsgPlayerInfo", kToClient, kFrom20),
      play<AdminInfo>("MsgAdminInfo", kToClient, kFrom20),
      play<Handicap>("MsgHandicap", kToClient, k24),
      play<TeamUpdate>("MsgTeamUpdate", kToClient, kFrom110),
      play<OneTeamUpdate>("MsgTeamUpdate", kToClient, kWiki, kStream,
                          "As drawn, with the code of MsgTimeLeft: its ten bytes tell it.", kDrawnTeamUpdate),
      play<OneTeamUpdate>("MsgTeamUpdate", kToClient, kWiki, kStream, "Under the code of every released program."),
      play<Score>("MsgScore", kToClient, kFrom110),
      play<OneScore>("MsgScore", kToClient, kWiki, kStream, "Or MsgTeleport: the page gives both this code and length."),
      play<ScoreReport>("MsgScore", kToServer, kWiki, kStream, "Or MsgTeleport: the page gives both this code and length."),
      play<ScoreOver>("MsgScoreOver", kToClient, kAll),
      play<NewRabbit>("MsgNewRabbit", kToClient, kFrom110),
      play<NewRabbitRequest>("MsgNewRabbit", kToServer, kFrom110),
      play<PauseReport>("MsgPause", kToServer, kFrom110),
      play<Pause>("MsgPause", kToClient, kFrom110),
      play<AutoPilotReport>("MsgAutoPilot", kToServer, kFrom20),
      play<AutoPilot>("MsgAutoPilot", kToClient, kFrom20),

      play<AliveRequest>("MsgAlive", kToServer, kAll),
      play<Alive>("MsgAlive", kToClient, kAll),
      play<KilledReport>("MsgKilled", kToServer, kAll),
      play<Killed>("MsgKilled", kToClient, kAll),
      play<TeleportReport>("MsgTeleport", kToServer, kAll),
      play<Teleport>("MsgTeleport", kToClient, kAll),
      play<PlayerUpdate>("MsgPlayerUpdate", kBoth, kAll, kEither),
      play<PlayerUpdateSmall>("MsgPlayerUpdateSmall", kBoth, kFrom20, kEither),
      play<ShotBegin>("MsgShotBegin", kBoth, kAll, kEither),
      play<ShotEnd>("MsgShotEnd", kBoth, kAll, kEither),
      play<GuidedUpdate>("MsgGMUpdate", kBoth, kAll, kEither),

      play<FlagUpdate>("MsgFlagUpdate", kToClient, kFrom110),
      play<OneFlagUpdate>("MsgFlagUpdate", kToClient, kWiki),
      play<GrabFlagRequest>("MsgGrabFlag", kToServer, kAll),
      play<GrabFlag>("MsgGrabFlag", kToClient, kAll),
      play<DropFlagRequest>("MsgDropFlag", kToServer, kAll),
      play<DropFlag>("MsgDropFlag", kToClient, kAll),
      play<CaptureFlagReport>("MsgCaptureFlag", kToServer, kAll),
      play<CaptureFlag>("MsgCaptureFlag", kToClient, kAll),
      play<TransferFlagReport>("MsgTransferFlag", kToServer, kFrom110),
      play<TransferFlag>("MsgTransferFlag", kToClient, kFrom110),
      play<NearFlag>("MsgNearFlag", kToClient, k24),

      play<ChatRequest>("MsgMessage", kToServer, kAll),
      play<Chat>("MsgMessage", kToClient, kAll),
      play<SetVar>("MsgSetVar", kToClient, kFrom110),
      play<TimeLeft>("MsgTimeUpdate", kToClient, kFrom110),
      play<TimeLeft>("MsgTimeLeft", kToClient, kWiki, kStream, "With ten bytes, the code means MsgTeamUpdate."),
      play<GameTime>("MsgGameTime", kToClient, kFrom20, kEither),
      play<LagPing>("MsgLagPing", kBoth, kAll, kEither, "The echo goes back by stream."),
      play<ReplayReset>("MsgReplayReset", kToClient, kFrom20 | kWiki),
      play<FetchResources>("MsgFetchResources", kToClient, kFrom20),
      play<CustomSound>("MsgCustomSound", kToClient, kFrom20),
      play<Audio>("MsgAudio", kBoth, k110, kStream, "Relayed as it is; no source gives it a layout."),
      play<Video>("MsgVideo", kBoth, k110, kStream, "Relayed as it is; no source gives it a layout."),
      play<ServerControl>("MsgServerControl", kToServer, k20 | k110, kStream, "Ignored by servers."),
      play<KerberosPrincipal>("MsgKrbPrincipal", kToServer, k20, kStream, "Ignored by servers."),
      play<KerberosTicket>("MsgKrbTicket", kToServer, k20, kStream, "Ignored by servers."),

      play<QueryGame>("MsgQueryGame", kToServer, kFrom110),
      play<GameAnswer>("MsgQueryGame", kToClient, kFrom110),
      play<QueryPlayers>("MsgQueryPlayers", kToServer, kFrom110),
      play<PlayersAnswer>("MsgQueryPlayers", kToClient, kFrom110),
      play<LinkRequest>("MsgUDPLinkRequest", kToServer, kFrom110, kEither),
      play<LinkRequest>("MsgUDPLinkRequest", kToServer, kWiki, kDatagram),
      play<LinkAnswer>("MsgUDPLinkRequest", kToClient, kFrom110, kEither),
      play<LinkAnswer>("MsgUDPLinkRequest", kToClient, kWiki, kDatagram),
      play<LinkEstablished>("MsgUDPLinkEstablished", kBoth, kFrom110, kEither,
                            "Said by stream to the client, by datagram to the server."),
      play<LinkEstablished>("MsgUDPLinkEstablished", kToClient, kWiki, kStream),
      play<LinkEstablished>("MsgUDPLinkEstablished", kToServer, kWiki, kDatagram),
      play<PingRequest>("MsgPingCodeRequest", kToServer, kFrom110, kDatagram, "Asks servers of the local network."),
      play<PingReply>("MsgPingCodeReply", kToClient, kFrom110, kDatagram),
  };
  return kRows;
}
// clang-format on

std::bitset<std::variant_size_v<AnyMessage>> kinds_of(std::size_t dialect, wire::Way way) {
  std::bitset<std::variant_size_v<AnyMessage>> kinds;
  for (const Typed& typed : Protocol::rows())
    if ((typed.row.dialects >> dialect & 1U) != 0 && (typed.row.ways & static_cast<std::uint8_t>(way)) != 0)
      kinds.set(typed.kind);
  return kinds;
}

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Protocol>>(kDialects[dialect], dialect);
}

std::unique_ptr<wire::MessageCodec<Message>> make_message_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Protocol>>(kDialects[dialect], dialect);
}

}  // namespace entente::bzflag
