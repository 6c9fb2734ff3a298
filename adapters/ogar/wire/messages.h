// The messages of Ogar, as they are on the wire. README.md explains the units.
// Invariant: a part whose flag or form is not set holds leftovers of an earlier message, so check the flag first.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "adapters/wire/fields.h"

namespace entente::ogar {

using wire::ClosedText;
using wire::ZText;
using Colour = std::array<std::uint8_t, 3>;  ///< red, green, blue

/// The client's first message, in every dialect. `trailing` here and below: servers ignore what follows a message.
struct Hello {
  std::uint8_t opcode = 0;
  std::uint32_t version = 0;
  Buffer trailing;
};

// -- Modern, client to server -----------------------------------------------------------------------------------------

struct Ping {
  Buffer trailing;
};

/// ClientUpdate::flags.
enum Wish : std::uint8_t {
  kSpawn = 1,
  kSpectate = 2,
  kQPress = 4,
  kQRelease = 8,
  kEject = 16,
  kMinionEject = 32,
  kMinionFreeze = 64,
  kSay = 128,
};

struct ClientUpdate {
  std::int32_t x = 0, y = 0;  ///< where the mouse points, in the world
  std::uint8_t splits = 0;
  std::uint8_t minion_splits = 0;
  std::uint8_t flags = 0;
  ZText name;               ///< kSpawn
  std::vector<ZText> chat;  ///< kSay
  Buffer trailing;
};

// -- Modern, server to client -----------------------------------------------------------------------------------------

struct Pong {};

/// Update::flags.
enum Part : std::uint16_t {
  kCamera = 1,
  kBorder = 2,
  kServerInfo = 4,
  kWorldInfo = 8,
  kChat = 16,
  kBoard = 32,
  kClear = 64,  ///< forget all cells and the board, before the other parts
  kAdded = 128,
  kUpdated = 256,
  kEaten = 512,
  kRemoved = 1024,
  kAfterWorldInfo = kChat | kBoard | kAdded | kUpdated | kEaten | kRemoved,
};

struct Camera {
  float x = 0, y = 0, scale = 0;
};
struct Border {
  float left = 0, right = 0, top = 0, bottom = 0;  ///< four NaN when the world is left
};
struct ServerInfo {
  std::uint8_t mode = 0, major = 0, minor = 0, patch = 0;
};
struct WorldInfo {
  ClosedText server, mode;
  float load = 0;              ///< tick time divided by tick length
  std::uint32_t uptime = 0;    ///< seconds
  std::uint8_t four = 0;       ///< 1: four counts follow, not five: there is no `limit`
  std::uint16_t limit = 0;     ///< connections
  std::uint16_t external = 0;  ///< players with a connection
  std::uint16_t internal = 0;  ///< bots
  std::uint16_t playing = 0, spectating = 0;
};
struct ChatLine {
  ClosedText name;
  Colour colour{};
  std::uint8_t by_server = 0;
  ClosedText text;
};
struct BoardRow {
  std::uint16_t position = 1;
  std::uint8_t flags = 0;  ///< 1 highlighted, 2 me
  ClosedText name;
};
struct Board {
  std::uint8_t type = 1;
  std::vector<BoardRow> rows;     ///< type 1
  std::vector<float> slices;      ///< type 2
  std::vector<ClosedText> lines;  ///< type 3
};

enum class CellType : std::uint8_t { kPlayer, kPellet, kVirus, kEjected, kMother };

struct AddedCell {
  std::uint32_t id = 1;
  CellType type = CellType::kPlayer;
  float x = 0, y = 0;
  std::uint16_t size = 0;  ///< radius
  Colour colour{};
  std::uint8_t flags = 0;  ///< 1 owned, 2 name, 4 skin
  ClosedText name, skin;
};
struct UpdatedCell {
  std::uint32_t id = 1;
  std::uint8_t flags = 0;  ///< 1 position, 2 size, 4 colour, 8 name, 16 skin
  float x = 0, y = 0;
  std::uint16_t size = 0;
  Colour colour{};
  ClosedText name, skin;
};
/// Legacy has the opposite order: see Eating.
struct Eaten {
  std::uint32_t killed = 1;
  std::uint32_t killer = 0;
};

struct Update {
  std::uint16_t flags = 0;
  Camera camera;
  Border border;
  ServerInfo server;
  WorldInfo world;
  std::vector<ChatLine> chat;
  Board board;
  std::vector<AddedCell> added;
  std::vector<UpdatedCell> updated;
  std::vector<Eaten> eaten;
  std::vector<std::uint32_t> removed;
};

// -- Legacy, client to server -----------------------------------------------------------------------------------------

struct Key {
  std::uint32_t key = 0;
  Buffer trailing;
};
struct Join {
  ZText name;  ///< "<skin>name"
  Buffer trailing;
};
/// Three forms, which differ in length: 0 as i32, 1 as i16, 2 as f64.
struct Mouse {
  std::uint8_t form = 0;
  std::int32_t x = 0, y = 0;            ///< forms 0 and 1
  double precise_x = 0, precise_y = 0;  ///< form 2
  wire::Pad<4> pad;
};
/// A message that is only an opcode.
struct Bare {
  Buffer trailing;
};
struct Spectate : Bare {};
struct Split : Bare {};
struct QPress : Bare {};
struct QRelease : Bare {};
struct Eject : Bare {};
struct MinionSplit : Bare {};
struct MinionEject : Bare {};
struct MinionFreeze : Bare {};
struct MinionCollect : Bare {};
struct StatRequest : Bare {};
struct Say {
  std::uint8_t flags = 0;  ///< 2, 4, 8: reserved bytes follow
  wire::Pad<4> reserved2;
  wire::Pad<8> reserved4;
  wire::Pad<16> reserved8;
  ZText text;
  Buffer trailing;
};

// -- Legacy, server to client -----------------------------------------------------------------------------------------

/// Modern has the opposite order: see Eaten.
struct Eating {
  std::uint32_t killer = 0, killed = 0;
};
/// Node::flags.
inline constexpr unsigned kSpiky = 1, kColoured = 2, kSkinned = 4, kNamed = 8, kWavy = 16, kEjectedNode = 32,
                          kByAnother = 64, kExtra = 128;
struct Node {
  std::uint32_t id = 1;
  std::int32_t x = 0, y = 0;
  std::uint16_t size = 0;  ///< radius
  Colour colour{};
  std::uint8_t flags = 0;
  std::uint8_t extra = 0;  ///< kExtra; 1: a pellet
  ZText skin, name;
};
struct UpdateNodes {
  std::vector<Eating> eaten;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> removed;  ///< including the eaten ones
};
struct UpdatePosition {
  float x = 0, y = 0, scale = 0;
};
struct ClearAll {};
struct ClearOwned {};
struct AddNode {
  std::uint32_t id = 0;  ///< an own cell
};
struct Line {
  ZText text;
};
struct LeaderboardText {
  std::vector<Line> lines;
};
struct LeaderboardRow {
  std::uint32_t mark = 0;  ///< in version 6, 1 for the client's own row; else a cell id
  ZText name;
};
struct Leaderboard {
  std::vector<LeaderboardRow> rows;
};
inline constexpr unsigned kRankedRow = 1, kNamedRow = 2, kOwnRow = 8;  ///< RankedRow::flags
struct RankedRow {
  std::uint8_t flags = kNamedRow;
  std::uint16_t rank = 0;
  ZText name;
};
struct RankedLeaderboard {
  std::vector<RankedRow> rows;
};
struct Slice {
  float weight = 0;  ///< NaN from OgarII 1.3.3 and later, in version 20 or older
  Colour colour{};
};
struct TeamLeaderboard {
  std::vector<Slice> slices;
};
struct WorldName {
  std::uint32_t mode = 0;
  ZText server;
};
struct SetBorder {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::optional<WorldName> world;
};
struct ChatMessage {
  std::uint8_t flags = 0;  ///< 0x80 server, 0x40 administrator, 0x20 moderator
  Colour colour{};
  bool wide = false;  ///< in 16-bit units, although the dialect uses UTF-8
  ZText name, text;
};
struct ServerStat {
  wire::AnyText json;
};

using Message = std::variant<Hello, Ping, ClientUpdate, Pong, Update, Key, Join, Mouse, Spectate, Split, QPress,
                             QRelease, Eject, MinionSplit, MinionEject, MinionFreeze, MinionCollect, StatRequest, Say,
                             UpdateNodes, UpdatePosition, ClearAll, ClearOwned, AddNode, LeaderboardText, Leaderboard,
                             RankedLeaderboard, TeamLeaderboard, SetBorder, ChatMessage, ServerStat>;

}  // namespace entente::ogar
