// The packets of Ace of Spades, as they are on the wire. x and y are horizontal, z points down (63 is water). Colours
// are blue, green, red. A grenade's velocity is in blocks per 1/32 s. Sources: README.md.
// Invariant: structs hold wire values; conversions.h converts them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "adapters/wire/fields.h"

namespace entente::aos {

using wire::EndText, wire::Pad, wire::Text, wire::Vec3, wire::ZText;

using Colour = std::array<std::uint8_t, 3>;  ///< blue, green, red
using Block = std::array<std::int32_t, 3>;   ///< x, y, z of a block

struct PositionData {
  Vec3 position{};
};
struct OrientationData {
  Vec3 orientation{};
};

struct PlayerView {
  std::uint8_t player = 0;
  Vec3 position{};
  Vec3 orientation{};
};
struct WorldUpdate {
  std::vector<PlayerView> players;
};  ///< without ids, the index is the player

struct InputData {
  std::uint8_t player = 0;
  std::uint8_t keys = 0;
};
struct WeaponInput {
  std::uint8_t player = 0;
  std::uint8_t buttons = 0;
};
struct Hit {
  std::uint8_t victim = 0;
  std::uint8_t part = 0;
};
struct SetHp {
  std::uint8_t hp = 0;
  std::uint8_t cause = 0;
  Vec3 source{};
};
struct Grenade {
  std::uint8_t player = 0;
  float fuse = 0;
  Vec3 position{};
  Vec3 velocity{};
};
struct SetTool {
  std::uint8_t player = 0;
  std::uint8_t tool = 0;
};
struct SetColour {
  std::uint8_t player = 0;
  Colour colour{};
};
struct ExistingPlayer {
  std::uint8_t player = 0, team = 0, weapon = 0, tool = 0;
  std::uint32_t kills = 0;
  Colour colour{};
  EndText name;
};
struct ShortPlayerData {
  std::uint8_t player = 0, team = 0, weapon = 0;
};
struct MoveObject {
  std::uint8_t object = 0, team = 0;
  Vec3 position{};
};
struct CreatePlayer {
  std::uint8_t player = 0, weapon = 0, team = 0;
  Vec3 position{};
  EndText name;
};
struct BlockAction {
  std::uint8_t player = 0, action = 0;
  Block at{};
};
struct BlockLine {
  std::uint8_t player = 0;
  Block from{}, to{};
};

struct Carrier {
  std::uint8_t player = 0;
  Pad<11> pad;
};
struct CtfState {
  std::uint8_t score1 = 0, score2 = 0, limit = 0,
               held = 0;  ///< held: bit 0 team 1 has intel 2, bit 1 team 2 has intel 1
  Vec3 intel1{}, intel2{};
  Carrier carrier1, carrier2;
  Vec3 base1{}, base2{};
};
struct Territory {
  Vec3 position{};
  std::uint8_t team = 0;
};
struct StateData {
  std::uint8_t player = 0;
  Colour fog{}, colour1{}, colour2{};
  Text<10> name1, name2;
  std::uint8_t mode = 0;  ///< 0 capture the flag, 1 territory control
  CtfState ctf;
  std::uint8_t territory_count = 0;
  std::vector<Territory> territories;  ///< servers pad to 16
  Buffer tail;                         ///< SpadesX sends 20 bytes more
};

struct KillAction {
  std::uint8_t victim = 0, killer = 0, type = 0, respawn = 0;
};
struct ChatMessage {
  std::uint8_t player = 0, type = 0;
  EndText text;
};
struct MapStart {
  std::uint32_t size = 0;
  std::uint32_t crc32 = 0;
  ZText name;
};
struct MapChunk {
  Buffer data;
};  ///< a piece of one zlib stream
struct PlayerLeft {
  std::uint8_t player = 0;
};
struct TerritoryCapture {
  std::uint8_t territory = 0, winning = 0, team = 0;
};
struct ProgressBar {
  std::uint8_t territory = 0, team = 0;
  std::int8_t rate = 0;
  float progress = 0;
};
struct IntelCapture {
  std::uint8_t player = 0, winning = 0;
};
struct IntelPickup {
  std::uint8_t player = 0;
};
struct IntelDrop {
  std::uint8_t player = 0;
  Vec3 position{};
};
struct Restock {
  std::uint8_t player = 0;
};
struct FogColour {
  std::uint8_t unused = 0;
  Colour colour{};
};
struct WeaponReload {
  std::uint8_t player = 0, clip = 0, reserve = 0;
};
struct ChangeTeam {
  std::uint8_t player = 0, team = 0;
};
struct ChangeWeapon {
  std::uint8_t player = 0, weapon = 0;
};
struct HandshakeInit {
  std::array<std::uint8_t, 4> challenge{};
};
struct MapCached {
  std::uint8_t cached = 0;
};
struct HandshakeReturn {
  std::array<std::uint8_t, 4> challenge{};
};
struct VersionGet {
  std::vector<std::uint8_t> properties;
};
struct VersionResponse {
  std::uint8_t letter = 0;
  std::array<std::uint8_t, 3> version{};
  EndText system;
};
struct Extension {
  std::uint8_t id = 0, version = 0;
};
struct ExtensionInfo {
  std::vector<Extension> extensions;
};
struct PlayerProperties {
  std::uint8_t sub = 0, player = 0, hp = 0, blocks = 0, grenades = 0, clip = 0, reserve = 0;
  std::uint32_t score = 0;
};
struct ExtensionPacket {
  std::uint8_t sub = 0;
  Buffer data;
};

// -- The 0.80 draft --------------------------------------------------------------------------------------------------

struct Motion {
  Vec3 position{}, orientation{}, velocity{};
};

/// Client to server. The length determines `form`; see README.md, "State Update".
struct StateUpdateUp {
  std::uint8_t form = 4;
  std::uint32_t sequence = 0;
  std::array<std::uint8_t, 30> inputs{};  ///< [0] is the newest
  std::uint8_t still = 0;
  Motion now;
  std::uint8_t oldest_still = 0;
  Motion oldest;  ///< after inputs[29] was applied
};

struct PlayerState {
  std::uint8_t player = 0, input = 0;
  bool still = false;
  Motion motion;
};
struct StateUpdateDown {
  std::uint32_t sequence = 0;
  std::vector<PlayerState> players;
  Buffer extra;
};

// -- Beside ENet, on the same port -----------------------------------------------------------------------------------

struct Hello {
  EndText text;
};  ///< "HELLO" or "HELLOLAN"
struct HelloReply {
  EndText text;
};  ///< "HI", or JSON

using Message =
    std::variant<PositionData, OrientationData, WorldUpdate, InputData, WeaponInput, Hit, SetHp, Grenade, SetTool,
                 SetColour, ExistingPlayer, ShortPlayerData, MoveObject, CreatePlayer, BlockAction, BlockLine,
                 StateData, KillAction, ChatMessage, MapStart, MapChunk, PlayerLeft, TerritoryCapture, ProgressBar,
                 IntelCapture, IntelPickup, IntelDrop, Restock, FogColour, WeaponReload, ChangeTeam, ChangeWeapon,
                 HandshakeInit, MapCached, HandshakeReturn, VersionGet, VersionResponse, ExtensionInfo,
                 PlayerProperties, ExtensionPacket, StateUpdateUp, StateUpdateDown, Hello, HelloReply>;

}  // namespace entente::aos
