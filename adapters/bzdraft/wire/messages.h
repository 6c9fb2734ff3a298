// The messages of the BZFlag 1.8+ draft, as they are on the wire. The units are our choice (README.md): millimetres,
// millimetres per second, milliradians, milliseconds. They are signed, although the draft draws u32.
// Invariant: structs hold wire values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "adapters/wire/fields.h"

namespace entente::bzdraft {

using wire::ClosedText, wire::EndText, wire::Text, wire::ZText;

using Triple = std::array<std::int32_t, 3>;  ///< x, y, z
using Md5 = std::array<std::uint8_t, 16>;

/// `carrier`: the carrier; in GrabFlag the grabber, in DropFlag the dropper.
struct Flag {
  std::uint16_t kind = 0;
  std::uint8_t status = 0, carrier = 0;
  Triple position{};
};

struct VersionUp {
  Text<8> version;
  std::uint8_t type = 0;
  std::vector<std::uint16_t> flags_known;
};
struct VersionDown {
  Text<8> version;
  std::uint8_t player = 0, may_join = 0;
};
struct SuperKill {};
struct GetWorldUp {
  std::uint16_t offset = 0;
};
struct GetWorldDown {
  std::uint16_t style = 0, max_players = 0, max_shots = 0, max_flags = 0;
  std::int32_t linear_acceleration = 0, angular_acceleration = 0;
  std::uint16_t shake_time = 0;
  std::uint32_t shake_wins = 0, server_time = 0;
  EndText model;
};
struct GetResourceUp {
  std::uint32_t offset = 0;
  Md5 md5{};
};
struct GetResourceDown {
  std::uint32_t offset = 0, remaining = 0;
  Md5 md5{};
  Buffer data;
};
struct Enter {
  std::uint8_t team = 0, type = 0;
  ClosedText password, callsign, email;
  ZText avatar;
};
struct Accept {
  std::uint8_t player = 0;
};
struct Reject {
  std::uint8_t reason = 0;
  EndText text;
};
struct Exit {};
struct RemovePlayer {
  std::uint8_t player = 0;
};
struct TimeLeft {
  std::uint16_t seconds = 0;
};
struct ScoreOver {
  std::uint8_t winner = 0;
  std::optional<std::uint8_t> second;
};  ///< 2 bytes in the draft's text, 1 in its drawing
struct AddPlayer {
  std::uint8_t player = 0, type = 0, team = 0;
  std::uint16_t wins = 0, losses = 0;
  ClosedText callsign, email;
  ZText avatar;
};
struct FlagUpdate {
  std::uint16_t number = 0;
  Flag flag;
};
struct TeamUpdate {
  std::uint8_t team = 0;
  std::uint16_t wins = 0, losses = 0;
};
struct AliveUp {};
struct AliveDown {
  std::uint8_t player = 0;
  Triple position{};
};
struct Killed {
  std::uint8_t victim = 0, killer = 0, flag = 0, shot = 0;
};
struct GrabFlagUp {
  std::uint16_t number = 0;
};
struct GrabFlagDown {
  std::uint16_t number = 0;
  Flag flag;
};
struct DropFlagUp {
  std::uint8_t reason = 0;
};
struct DropFlagDown {
  std::uint8_t reason = 0;
  std::uint16_t number = 0;
  Flag flag;
};
struct ShotBegin {
  std::uint8_t shooter = 0, shot = 0;
  Triple position{}, velocity{};
  std::int32_t time = 0, lifetime = 0;
  std::uint8_t flag = 0;
};
struct ShotEnd {
  std::uint8_t shooter = 0, shot = 0, reason = 0;
};
struct Score {
  std::uint8_t player = 0;
  std::uint16_t wins = 0, losses = 0;
};
struct Teleport {
  std::uint8_t player = 0;
  std::uint16_t from = 0, to = 0;
};
struct ChatMessage {
  std::uint8_t from = 0, to = 0;
  EndText text;
};
struct PlayerUpdate {
  std::uint8_t player = 0, status = 0;
  Triple position{}, velocity{};
  std::int32_t azimuth = 0, angular_velocity = 0;
};
struct ShotUpdate {
  std::uint8_t shooter = 0, shot = 0;
  Triple position{}, velocity{};
  std::int32_t time = 0;
  std::uint8_t target = 0;
};

using Message = std::variant<VersionUp, VersionDown, SuperKill, GetWorldUp, GetWorldDown, GetResourceUp,
                             GetResourceDown, Enter, Accept, Reject, Exit, RemovePlayer, TimeLeft, ScoreOver, AddPlayer,
                             FlagUpdate, TeamUpdate, AliveUp, AliveDown, Killed, GrabFlagUp, GrabFlagDown, DropFlagUp,
                             DropFlagDown, ShotBegin, ShotEnd, Score, Teleport, ChatMessage, PlayerUpdate, ShotUpdate>;

}  // namespace entente::bzdraft
