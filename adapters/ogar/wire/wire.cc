// The layout of every Ogar message, once, and the table of them.
// Invariant: fields() computes nothing; a difference between dialects is a `when` of a feature.
#include "adapters/ogar/wire/wire.h"
#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/messages.h"
#include "adapters/wire/typed_codec.h"
#include "proxy/base/mapping.h"

namespace entente::ogar {

using wire::Kept;

/// A name or a line, as the dialect writes them.
template <class V>
void text(V& v, const char* name, ZText& value) {
  v.when("dialect.ucs2", v.dialect.ucs2, [&] { v.ucs2_text(name, value); });
  v.when("dialect.utf8", !v.dialect.ucs2, [&] { v.zero_text(name, value); });
}

template <class V>
void fields(V& v, Hello& m) {
  v.template bounded<std::uint8_t>("opcode", m.opcode, v.dialect.hello, v.dialect.hello);
  v.template bounded<std::uint32_t>("version", m.version, v.dialect.oldest_version, v.dialect.newest_version);
  v.rest("trailing", m.trailing, Kept::kDeclared);
}

// -- Modern -----------------------------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Ping& m) {
  v.rest("trailing", m.trailing, Kept::kDeclared);
}
/// OgarII counts a client's lines against all that follows the fixed part, less one byte for a name, however long that
/// is (ModernProtocol.js:73-89).
inline std::size_t uncounted(const ClientUpdate& m) { return (m.flags & kSpawn) != 0 ? m.name.chars.size() : 0; }

template <class V>
void fields(V& v, ClientUpdate& m) {
  v("x", m.x)("y", m.y)("splits", m.splits)("minion_splits", m.minion_splits)("flags", m.flags);
  v.when("flags & 1", (m.flags & kSpawn) != 0, [&] { v.at_least("name", 1)("name", m.name); });
  v.when("flags & 128", (m.flags & kSay) != 0, [&] { v.template list<std::uint8_t>("chat", m.chat, uncounted(m)); });
  v.rest("trailing", m.trailing, Kept::kDeclared);
}
template <class V>
void fields(V&, Pong&) {}
template <class V>
void fields(V& v, Camera& m) {
  v("x", m.x)("y", m.y)("scale", m.scale);
}
template <class V>
void fields(V& v, Border& m) {
  v("left", m.left)("right", m.right)("top", m.top)("bottom", m.bottom);
}
template <class V>
void fields(V& v, ServerInfo& m) {
  v("mode", m.mode)("major", m.major)("minor", m.minor)("patch", m.patch);
}
template <class V>
void world_info(V& v, bool last, WorldInfo& m) {
  v("server", m.server)("mode", m.mode)("load", m.load)("uptime", m.uptime);
  v.when("no part follows", last, [&] { v.infer("four", m.four, {10, 8}); });
  v.when("not four", !last || m.four == 0, [&] { v("limit", m.limit); });
  v("external", m.external)("internal", m.internal)("playing", m.playing)("spectating", m.spectating);
}
template <class V>
void fields(V& v, ChatLine& m) {
  v("name", m.name)("colour", m.colour)("by_server", m.by_server)("text", m.text);
}
template <class V>
void fields(V& v, BoardRow& m) {
  v("position", m.position)("flags", m.flags)("name", m.name);
}
template <class V>
void fields(V& v, Board& m) {
  v.template bounded<std::uint8_t>("type", m.type, 1, 3);
  v.when("type = 1", m.type == 1, [&] { v.template until_zero<std::uint16_t>("rows", m.rows); });
  v.when("type = 2", m.type == 2, [&] { v.template list<std::uint16_t>("slices", m.slices); });
  v.when("type = 3", m.type == 3, [&] { v.template list<std::uint16_t>("lines", m.lines); });
}
template <class V>
void fields(V& v, AddedCell& m) {
  v("id", m.id)("type", m.type)("x", m.x)("y", m.y)("size", m.size)("colour", m.colour)("flags", m.flags);
  v.when("flags & 2", (m.flags & 2) != 0, [&] { v("name", m.name); });
  v.when("flags & 4", (m.flags & 4) != 0, [&] { v("skin", m.skin); });
}
template <class V>
void fields(V& v, UpdatedCell& m) {
  v("id", m.id)("flags", m.flags);
  v.when("flags & 1", (m.flags & 1) != 0, [&] { v("x", m.x)("y", m.y); });
  v.when("flags & 2", (m.flags & 2) != 0, [&] { v("size", m.size); });
  v.when("flags & 4", (m.flags & 4) != 0, [&] { v("colour", m.colour); });
  v.when("flags & 8", (m.flags & 8) != 0, [&] { v("name", m.name); });
  v.when("flags & 16", (m.flags & 16) != 0, [&] { v("skin", m.skin); });
}
template <class V>
void fields(V& v, Eaten& m) {
  v("killed", m.killed)("killer", m.killer);
}
template <class V>
void fields(V& v, Update& m) {
  const auto has = [&](Part part) { return (m.flags & part) != 0; };
  v("flags", m.flags);
  v.when("flags & 1", has(kCamera), [&] { v("camera", m.camera); });
  v.when("flags & 2", has(kBorder), [&] { v("border", m.border); });
  v.when("flags & 4", has(kServerInfo), [&] { v("server", m.server); });
  v.when("flags & 8", has(kWorldInfo), [&] { world_info(v, !has(kAfterWorldInfo), m.world); });
  v.when("flags & 16", has(kChat), [&] { v.template list<std::uint16_t>("chat", m.chat); });
  v.when("flags & 32", has(kBoard), [&] { v("board", m.board); });
  v.when("flags & 128", has(kAdded), [&] { v.template until_zero<std::uint32_t>("added", m.added); });
  v.when("flags & 256", has(kUpdated), [&] { v.template until_zero<std::uint32_t>("updated", m.updated); });
  v.when("flags & 512", has(kEaten), [&] { v.template until_zero<std::uint32_t>("eaten", m.eaten); });
  v.when("flags & 1024", has(kRemoved), [&] { v.template until_zero<std::uint32_t>("removed", m.removed); });
}

// -- Legacy, client to server -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Key& m) {
  v("key", m.key).rest("trailing", m.trailing, Kept::kDeclared);
}
template <class V>
void fields(V& v, Join& m) {
  text(v, "name", m.name);
  v.rest("trailing", m.trailing, Kept::kDeclared);
}
template <class V>
void fields(V& v, Mouse& m) {
  v.infer("form", m.form, {12, 8, 20});
  v.when("form = 0", m.form == 0, [&] { v("x", m.x)("y", m.y); });
  v.when("form = 1", m.form == 1, [&] { v.template as<std::int16_t>("x", m.x).template as<std::int16_t>("y", m.y); });
  v.when("form = 2", m.form == 2, [&] { v("x", m.precise_x)("y", m.precise_y); });
  v("pad", m.pad);
}
template <class V>
void fields(V& v, Bare& m) {
  v.rest("trailing", m.trailing, Kept::kDeclared);
}
template <class V>
void fields(V& v, Say& m) {
  v("flags", m.flags);
  v.when("flags & 2", (m.flags & 2) != 0, [&] { v("reserved2", m.reserved2); });
  v.when("flags & 4", (m.flags & 4) != 0, [&] { v("reserved4", m.reserved4); });
  v.when("flags & 8", (m.flags & 8) != 0, [&] { v("reserved8", m.reserved8); });
  text(v, "text", m.text);
  v.rest("trailing", m.trailing, Kept::kDeclared);
}

// -- Legacy, server to client -----------------------------------------------------------------------------------------

template <class V>
void fields(V& v, Eating& m) {
  v("killer", m.killer)("killed", m.killed);
}
template <class V>
void whole_cell(V& v, Node& m) {
  v("colour", m.colour)("flags", m.flags);
  v.when("flags & 4", (m.flags & 4) != 0, [&] { v("skin", m.skin); });
  v.ucs2_text("name", m.name);
}
template <class V>
void told_cell(V& v, Node& m) {
  v("flags", m.flags);
  v.when("flags & 128", (m.flags & 128) != 0, [&] { v("extra", m.extra); });
  v.when("flags & 2", (m.flags & 2) != 0, [&] { v("colour", m.colour); });
  v.when("flags & 4", (m.flags & 4) != 0, [&] { v("skin", m.skin); });
  v.when("flags & 8", (m.flags & 8) != 0, [&] { v("name", m.name); });
}
template <class V>
void fields(V& v, Node& m) {
  v("id", m.id);
  v.when("dialect.short_cells", v.dialect.short_cells,
         [&] { v.template as<std::int16_t>("x", m.x).template as<std::int16_t>("y", m.y); });
  v.when("dialect.long_cells", !v.dialect.short_cells, [&] { v("x", m.x)("y", m.y); });
  v("size", m.size);
  v.when("dialect.whole_cells", v.dialect.whole_cells, [&] { whole_cell(v, m); });
  v.when("dialect.told_cells", !v.dialect.whole_cells, [&] { told_cell(v, m); });
}
template <class V>
void fields(V& v, UpdateNodes& m) {
  v.template list<std::uint16_t>("eaten", m.eaten).template until_zero<std::uint32_t>("nodes", m.nodes);
  v.when("dialect.long_removed", v.dialect.long_removed, [&] { v.template list<std::uint32_t>("removed", m.removed); });
  v.when("dialect.short_removed", !v.dialect.long_removed,
         [&] { v.template list<std::uint16_t>("removed", m.removed); });
}
template <class V>
void fields(V& v, UpdatePosition& m) {
  v("x", m.x)("y", m.y)("scale", m.scale);
}
template <class V>
void fields(V&, ClearAll&) {}
template <class V>
void fields(V&, ClearOwned&) {}
template <class V>
void fields(V& v, AddNode& m) {
  v("id", m.id);
}
template <class V>
void fields(V& v, Line& m) {
  text(v, "text", m.text);
}
template <class V>
void fields(V& v, LeaderboardText& m) {
  v.template list<std::uint32_t>("lines", m.lines);
}
template <class V>
void fields(V& v, LeaderboardRow& m) {
  v("mark", m.mark);
  text(v, "name", m.name);
}
template <class V>
void fields(V& v, Leaderboard& m) {
  v.template list<std::uint32_t>("rows", m.rows);
}
template <class V>
void fields(V& v, RankedRow& m) {
  v("flags", m.flags);
  v.when("flags & 1", (m.flags & 1) != 0, [&] { v("rank", m.rank); });
  v.when("flags & 2", (m.flags & 2) != 0, [&] { v("name", m.name); });
}
template <class V>
void fields(V& v, RankedLeaderboard& m) {
  v.until_end("rows", m.rows);
}
template <class V>
void fields(V& v, Slice& m) {
  v("weight", m.weight);
  v.when("dialect.coloured_pie", v.dialect.coloured_pie, [&] { v("colour", m.colour); });
}
template <class V>
void fields(V& v, TeamLeaderboard& m) {
  v.template list<std::uint32_t>("slices", m.slices);
}
template <class V>
void fields(V& v, WorldName& m) {
  v("mode", m.mode);
  text(v, "server", m.server);
}
template <class V>
void fields(V& v, SetBorder& m) {
  v("left", m.left)("top", m.top)("right", m.right)("bottom", m.bottom).maybe("world", m.world);
}
/// UTF-8 has two bytes of 0 here, which cannot be two units of 0.
inline bool two_wide_texts(Bytes left) {
  std::size_t at = 0, zeros = 0;
  for (; zeros < 2 && at + 1 < left.size(); at += 2) zeros += left[at] == 0 && left[at + 1] == 0 ? 1U : 0U;
  return zeros == 2 && at == left.size();
}

template <class V>
void fields(V& v, ChatMessage& m) {
  const auto units = [&] { v.ucs2_text("name", m.name).ucs2_text("text", m.text); };
  const auto bytes = [&] { v.zero_text("name", m.name).zero_text("text", m.text); };
  v("flags", m.flags)("colour", m.colour);
  v.when("dialect.ucs2", v.dialect.ucs2, units);
  v.when("dialect.utf8", !v.dialect.ucs2, [&] {
    v.told("16-bit units, told by two of 0, the last at the end", m.wide, two_wide_texts, units);
    v.when("not 16-bit units", !m.wide, bytes);
  });
}
template <class V>
void fields(V& v, ServerStat& m) {
  v.when("dialect.ucs2", v.dialect.ucs2, [&] { v.any_text("json", m.json); });
  v.when("dialect.utf8", !v.dialect.ucs2, [&] { v.zero_text("json", m.json); });
}

namespace {

struct Ogar {
  using Dialect = ogar::Dialect;
  using Message = ogar::Message;
  static constexpr std::size_t kEnvelope = 1;
  static std::uint32_t code(const wire::Frame& frame) {
    return frame.stage == wire::Stage::kGreeting ? 0 : frame.bytes[0];
  }
  static void seal(Buffer& out, std::size_t start, std::uint32_t code) { out[start] = static_cast<std::uint8_t>(code); }
  static std::span<const wire::TypedRow<Ogar>> rows();
};

constexpr std::uint8_t kStream = 1;

template <class T>
constexpr wire::TypedRow<Ogar> row(const char* name, std::uint32_t opcode, std::uint8_t ways, std::uint32_t dialects,
                                   const char* note = "") {
  return wire::row_of<Ogar, T>({name, opcode, opcode, ways, kStream, wire::Stage::kPlay, dialects, note});
}

std::span<const wire::TypedRow<Ogar>> Ogar::rows() {
  static const wire::TypedRow<Ogar> kRows[] = {
      wire::row_of<Ogar, Hello>({"Hello", 0, 0, kUp, kStream, wire::Stage::kGreeting, kAll,
                                 "The client's first message: 1 and revision 3, or 0xFE and a legacy version."}),

      row<Ping>("Ping", 2, kUp, kModern),
      row<ClientUpdate>("ClientUpdate", 3, kUp, kModern),
      row<Pong>("Pong", 2, kDown, kModern),
      row<Update>("Update", 3, kDown, kModern, "Flag 64 (clear) has no bytes and comes before the other parts."),

      row<Join>("Join", 0x00, kUp, kLegacy),
      row<Spectate>("Spectate", 0x01, kUp, kLegacy),
      row<Mouse>("Mouse", 0x10, kUp, kLegacy),
      row<Split>("Split", 0x11, kUp, kLegacy),
      row<QPress>("QPress", 0x12, kUp, kLegacy),
      row<QRelease>("QRelease", 0x13, kUp, kLegacy),
      row<Eject>("Eject", 0x15, kUp, kLegacy),
      row<MinionSplit>("MinionSplit", 0x16, kUp, kLegacy),
      row<MinionEject>("MinionEject", 0x17, kUp, kLegacy),
      row<MinionFreeze>("MinionFreeze", 0x18, kUp, kLegacy),
      row<MinionCollect>("MinionCollect", 0x19, kUp, kLegacy,
                         "Cigar2's P key; OgarII hangs up, MultiOgarII ignores it."),
      row<Say>("Say", 0x63, kUp, kLegacy),
      row<StatRequest>("StatRequest", 0xFE, kUp, kLegacy),
      row<Key>("Key", 0xFF, kUp, kLegacy, "The client has joined; what came before it, save the hello, is ignored."),

      row<UpdateNodes>("UpdateNodes", 0x10, kDown, kLegacy),
      row<UpdatePosition>("UpdatePosition", 0x11, kDown, kLegacy),
      row<ClearAll>("ClearAll", 0x12, kDown, kLegacy),
      row<ClearOwned>("ClearOwned", 0x14, kDown, kLegacy, "MultiOgarII's, which never sends it."),
      row<AddNode>("AddNode", 0x20, kDown, kLegacy),
      row<LeaderboardText>("LeaderboardText", 0x30, kDown, versions(4, 13)),
      row<Leaderboard>("Leaderboard", 0x31, kDown, versions(4, 10)),
      row<TeamLeaderboard>("TeamLeaderboard", 0x32, kDown, kLegacy),
      row<RankedLeaderboard>("RankedLeaderboard", 0x33, kDown, versions(11, 13)),
      row<RankedLeaderboard>("RankedLeaderboard", 0x35, kDown, versions(11, 22),
                             "Below 14 only MultiOgarII's text boards."),
      row<SetBorder>("SetBorder", 0x40, kDown, kLegacy),
      row<ChatMessage>("ChatMessage", 0x63, kDown, kLegacy,
                       "From 6 on in UTF-8; before the key has come, MultiOgarII writes 16-bit units."),
      row<ServerStat>("ServerStat", 0xFE, kDown, kLegacy, "In 4 and 5 OgarII writes 16-bit units, MultiOgarII bytes."),
  };
  return kRows;
}

}  // namespace

std::unique_ptr<wire::Codec> make_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Ogar>>(kDialects[dialect], dialect);
}

std::unique_ptr<MessageCodec> make_message_codec(std::size_t dialect) {
  return std::make_unique<wire::TypedCodec<Ogar>>(kDialects[dialect], dialect);
}

}  // namespace entente::ogar
