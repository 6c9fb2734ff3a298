// The layouts of Ace of Spades and its table of packets.
// Invariant: no other file describes a layout.
#include "adapters/aos/wire/wire.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/wire/typed_codec.h"
#include "proxy/base/mapping.h"

namespace entente::aos {

using wire::Kept;

template <class V>
void fields(V& v, PositionData& m) {
  v("position", m.position);
}
template <class V>
void fields(V& v, OrientationData& m) {
  v("orientation", m.orientation);
}
template <class V>
void fields(V& v, PlayerView& m) {
  v.when("dialect.ids_in_world_update", v.dialect.ids_in_world_update, [&] { v("player", m.player); });
  v("position", m.position)("orientation", m.orientation);
}
template <class V>
void fields(V& v, WorldUpdate& m) {
  v.until_end("players", m.players);
}
template <class V>
void fields(V& v, InputData& m) {
  v("player", m.player)("keys", m.keys);
}
template <class V>
void fields(V& v, WeaponInput& m) {
  v("player", m.player)("buttons", m.buttons);
}
template <class V>
void fields(V& v, Hit& m) {
  v("victim", m.victim)("part", m.part);
}
template <class V>
void fields(V& v, SetHp& m) {
  v("hp", m.hp)("cause", m.cause)("source", m.source);
}
template <class V>
void fields(V& v, Grenade& m) {
  v("player", m.player)("fuse", m.fuse)("position", m.position)("velocity", m.velocity);
}
template <class V>
void fields(V& v, SetTool& m) {
  v("player", m.player)("tool", m.tool);
}
template <class V>
void fields(V& v, SetColour& m) {
  v("player", m.player)("colour", m.colour);
}
template <class V>
void fields(V& v, ExistingPlayer& m) {
  v("player", m.player)("team", m.team)("weapon", m.weapon)("tool", m.tool)("kills", m.kills)("colour", m.colour);
  v.end_text("name", m.name);
}
template <class V>
void fields(V& v, ShortPlayerData& m) {
  v("player", m.player)("team", m.team)("weapon", m.weapon);
}
template <class V>
void fields(V& v, MoveObject& m) {
  v("object", m.object)("team", m.team)("position", m.position);
}
template <class V>
void fields(V& v, CreatePlayer& m) {
  v("player", m.player)("weapon", m.weapon)("team", m.team)("position", m.position).end_text("name", m.name);
}
template <class V>
void fields(V& v, BlockAction& m) {
  v("player", m.player)("action", m.action)("at", m.at);
}
template <class V>
void fields(V& v, BlockLine& m) {
  v("player", m.player)("from", m.from)("to", m.to);
}
template <class V>
void fields(V& v, Carrier& m) {
  v("player", m.player)("pad", m.pad);
}
template <class V>
void fields(V& v, CtfState& m) {
  v("score1", m.score1)("score2", m.score2)("limit", m.limit)("held", m.held);
  v.when("not held & 2", (m.held & 2U) == 0, [&] { v("intel1", m.intel1); });
  v.when("held & 2", (m.held & 2U) != 0, [&] { v("carrier1", m.carrier1); });
  v.when("not held & 1", (m.held & 1U) == 0, [&] { v("intel2", m.intel2); });
  v.when("held & 1", (m.held & 1U) != 0, [&] { v("carrier2", m.carrier2); });
  v("base1", m.base1)("base2", m.base2);
}
template <class V>
void fields(V& v, Territory& m) {
  v("position", m.position)("team", m.team);
}
template <class V>
void fields(V& v, StateData& m) {
  v("player", m.player)("fog", m.fog)("colour1", m.colour1)("colour2", m.colour2);
  v("name1", m.name1)("name2", m.name2).template bounded<std::uint8_t>("mode", m.mode, 0, 1);
  v.when("mode = 0", m.mode == 0, [&] { v("ctf", m.ctf).rest("tail", m.tail, Kept::kDeclared); });
  v.when("mode = 1", m.mode == 1,
         [&] { v("territory_count", m.territory_count).until_end("territories", m.territory_count, m.territories); });
}
template <class V>
void fields(V& v, KillAction& m) {
  v("victim", m.victim)("killer", m.killer)("type", m.type)("respawn", m.respawn);
}
template <class V>
void fields(V& v, ChatMessage& m) {
  v("player", m.player)("type", m.type).end_text("text", m.text);
}
template <class V>
void fields(V& v, MapStart& m) {
  v("size", m.size);
  v.when("dialect.map_checksum", v.dialect.map_checksum, [&] { v("crc32", m.crc32).zero_text("name", m.name); });
}
template <class V>
void fields(V& v, MapChunk& m) {
  v.rest("data", m.data, Kept::kDeclared);
}
template <class V>
void fields(V& v, PlayerLeft& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, TerritoryCapture& m) {
  v("territory", m.territory)("winning", m.winning)("team", m.team);
}
template <class V>
void fields(V& v, ProgressBar& m) {
  v("territory", m.territory)("team", m.team)("rate", m.rate)("progress", m.progress);
}
template <class V>
void fields(V& v, IntelCapture& m) {
  v("player", m.player)("winning", m.winning);
}
template <class V>
void fields(V& v, IntelPickup& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, IntelDrop& m) {
  v("player", m.player)("position", m.position);
}
template <class V>
void fields(V& v, Restock& m) {
  v("player", m.player);
}
template <class V>
void fields(V& v, FogColour& m) {
  v("unused", m.unused)("colour", m.colour);
}
template <class V>
void fields(V& v, WeaponReload& m) {
  v("player", m.player)("clip", m.clip)("reserve", m.reserve);
}
template <class V>
void fields(V& v, ChangeTeam& m) {
  v("player", m.player)("team", m.team);
}
template <class V>
void fields(V& v, ChangeWeapon& m) {
  v("player", m.player)("weapon", m.weapon);
}
template <class V>
void fields(V& v, HandshakeInit& m) {
  v("challenge", m.challenge);
}
template <class V>
void fields(V& v, MapCached& m) {
  v("cached", m.cached);
}
template <class V>
void fields(V& v, HandshakeReturn& m) {
  v("challenge", m.challenge);
}
template <class V>
void fields(V& v, VersionGet& m) {
  v.until_end("properties", m.properties);
}
template <class V>
void fields(V& v, VersionResponse& m) {
  v("letter", m.letter)("version", m.version).end_text("system", m.system);
}
template <class V>
void fields(V& v, Extension& m) {
  v("id", m.id)("version", m.version);
}
template <class V>
void fields(V& v, ExtensionInfo& m) {
  v.template list<std::uint8_t>("extensions", m.extensions);
}
template <class V>
void fields(V& v, PlayerProperties& m) {
  v("sub", m.sub)("player", m.player)("hp", m.hp)("blocks", m.blocks)("grenades", m.grenades);
  v("clip", m.clip)("reserve", m.reserve)("score", m.score);
}
template <class V>
void fields(V& v, ExtensionPacket& m) {
  v("sub", m.sub).rest("data", m.data, Kept::kOpaque);
}
template <class V>
void fields(V& v, Motion& m) {
  v("position", m.position)("orientation", m.orientation)("velocity", m.velocity);
}
template <class V>
void fields(V& v, StateUpdateUp& m) {
  v.infer("form", m.form, {35, 71, 72, 106, 107, 108})("sequence", m.sequence)("inputs", m.inputs);
  v.when("form < 3", m.form < 3, [&] { v.must("still", m.still, std::uint8_t{1}); });
  v.when("form > 3", m.form > 3, [&] { v.must("still", m.still, std::uint8_t{0}); });
  v.when("form >= 3", m.form >= 3, [&] { v("now", m.now); });
  v.when("form = 2 or 5", m.form == 2 || m.form == 5, [&] { v.must("oldest_still", m.oldest_still, std::uint8_t{0}); });
  v.when("form > 0", m.form > 0, [&] { v("oldest", m.oldest); });
}
template <class V>
void fields(V& v, PlayerState& m) {
  v("player", m.player)("input", m.input)("still", m.still);
  v.when("not still", !m.still, [&] { v("motion", m.motion); });
}
template <class V>
void fields(V& v, StateUpdateDown& m) {
  v("sequence", m.sequence).template list<std::uint8_t>("players", m.players);
  v.rest("extra", m.extra, Kept::kDeclared);
}
template <class V>
void fields(V& v, Hello& m) {
  v.end_text("text", m.text);
}
template <class V>
void fields(V& v, HelloReply& m) {
  v.end_text("text", m.text);
}

namespace {

struct Aos {
  using Dialect = aos::Dialect;
  using Message = aos::Message;
  static constexpr std::size_t kEnvelope = 1;
  static std::uint32_t code(const wire::Frame& frame) {
    return frame.stage == wire::Stage::kGreeting ? 0 : frame.bytes[0];
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) { out[start] = static_cast<std::uint8_t>(code); }
  static std::span<const wire::TypedRow<Aos>> rows();
};

constexpr std::uint8_t kBoth = kUp | kDown;

template <class T>
constexpr wire::TypedRow<Aos> row(const char* name, std::uint32_t id, std::uint8_t ways, std::uint32_t dialects = kAll,
                                  const char* note = "") {
  return wire::row_of<Aos, T>({name, id, id, ways, 3, wire::Stage::kPlay, dialects, note});
}

constexpr const char* kSuperseded = "In 0.80 superseded by State Update: read and ignored, never sent.";

std::span<const wire::TypedRow<Aos>> Aos::rows() {
  static const wire::TypedRow<Aos> kRows[] = {
      row<PositionData>("PositionData", 0, kBoth, kOld),
      row<StateUpdateUp>("StateUpdate", 0, kUp, k080, "Six lengths are read, 108 (moving) and 72 (still) are sent."),
      row<StateUpdateDown>("StateUpdate", 0, kDown, k080),
      row<OrientationData>("OrientationData", 1, kBoth, kAll, kSuperseded),
      row<WorldUpdate>("WorldUpdate", 2, kDown, kAll, kSuperseded),
      row<InputData>("InputData", 3, kBoth, kAll, kSuperseded),
      row<WeaponInput>("WeaponInput", 4, kBoth),
      row<Hit>("Hit", 5, kUp),
      row<SetHp>("SetHp", 5, kDown),
      row<Grenade>("Grenade", 6, kBoth),
      row<SetTool>("SetTool", 7, kBoth),
      row<SetColour>("SetColour", 8, kBoth),
      row<ExistingPlayer>("ExistingPlayer", 9, kBoth),
      row<ShortPlayerData>("ShortPlayerData", 10, kUp, kAll, "Old clients'."),
      row<MoveObject>("MoveObject", 11, kDown),
      row<CreatePlayer>("CreatePlayer", 12, kDown),
      row<BlockAction>("BlockAction", 13, kBoth),
      row<BlockLine>("BlockLine", 14, kBoth),
      row<StateData>("StateData", 15, kDown),
      row<KillAction>("KillAction", 16, kDown),
      row<ChatMessage>("ChatMessage", 17, kBoth),
      row<MapStart>("MapStart", 18, kDown),
      row<MapChunk>("MapChunk", 19, kDown),
      row<PlayerLeft>("PlayerLeft", 20, kDown),
      row<TerritoryCapture>("TerritoryCapture", 21, kDown),
      row<ProgressBar>("ProgressBar", 22, kDown),
      row<IntelCapture>("IntelCapture", 23, kDown),
      row<IntelPickup>("IntelPickup", 24, kDown),
      row<IntelDrop>("IntelDrop", 25, kDown),
      row<Restock>("Restock", 26, kDown),
      row<FogColour>("FogColour", 27, kDown),
      row<WeaponReload>("WeaponReload", 28, kBoth),
      row<ChangeTeam>("ChangeTeam", 29, kUp),
      row<ChangeWeapon>("ChangeWeapon", 30, kBoth, kAll, "piqueserver sends it back as 0, 0 whatever happened."),
      row<HandshakeInit>("HandshakeInit", 31, kDown, kAll, "Four bytes to be echoed, in whatever order they are."),
      row<MapCached>("MapCached", 31, kUp, k076),
      row<HandshakeReturn>("HandshakeReturn", 32, kUp),
      row<VersionGet>("VersionGet", 33, kDown),
      row<VersionResponse>("VersionResponse", 34, kUp),
      row<ExtensionInfo>("ExtensionInfo", 60, kBoth),
      row<PlayerProperties>("PlayerProperties", 64, kBoth, kAll, "Extension 0."),
      wire::row_of<Aos, ExtensionPacket>(
          {"ExtensionPacket", 65, 255, kBoth, 3, wire::Stage::kPlay, kAll, "Extension id is the code less 64."}),
      wire::row_of<Aos, Hello>({"Hello", 0, 0, kUp, 2, wire::Stage::kGreeting, kAll, "A raw datagram beside ENet."}),
      wire::row_of<Aos, HelloReply>(
          {"HelloReply", 0, 0, kDown, 2, wire::Stage::kGreeting, kAll, "A raw datagram beside ENet."}),
  };
  return kRows;
}

}  // namespace

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Aos>>(kDialects[dialect], dialect);
}

std::unique_ptr<wire::MessageCodec<Message>> make_message_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Aos>>(kDialects[dialect], dialect);
}

bool clients_say(std::uint8_t id, std::size_t dialect) {
  const auto rows = Aos::rows();
  return std::any_of(rows.begin(), rows.end(), [&](const auto& typed) {
    const wire::Row& row = typed.row;
    return row.stage == wire::Stage::kPlay && (row.ways & kUp) != 0 && (row.dialects >> dialect & 1U) != 0 &&
           id >= row.first_code && id <= row.last_code;
  });
}

}  // namespace entente::aos
