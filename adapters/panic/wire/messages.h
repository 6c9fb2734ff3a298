// The messages of Panic Game Protocol version 2, as wire values. The first byte of a server message, its type, is the
// code of its row. It says what the piece or event is, so the structs do not repeat it.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "adapters/wire/fields.h"

namespace entente::panic {

enum class ActionType : std::uint8_t { kNone = 0, kDrive = 1, kShoot = 2, kQuit = 3 };

/// North is y - 1. Other values occur, too: the server echoes what it receives.
enum class Direction : std::uint8_t { kNone = 0, kNorth = 1, kEast = 2, kSouth = 3, kWest = 4 };

/// The only message of a client.
struct Action {
  std::uint16_t player = 0;  ///< not checked by the real server: any client may act for any player
  ActionType action = ActionType::kNone;
  Direction direction = Direction::kNone;
  std::uint32_t piece = 0;  ///< the tank; 0 when quitting
};

/// The first message of a server: the map, the player's number, and its tanks.
struct GameState {
  std::uint8_t map = 0;
  std::uint8_t map_version = 0;
  wire::Pad<1> padding;
  std::uint16_t player = 0;  ///< from 1, in the order of connecting
  std::uint8_t tank_count = 0;
  wire::Pad<1> count_padding;
  std::vector<std::uint32_t> tanks;
};

/// Its code is the kind of piece; 16 + 4 * team + model for tanks.
struct CreatePiece {
  wire::Pad<3> padding;
  std::int32_t value = 0;   ///< health of bricks and tanks, amount of pickups, style of decorations
  std::uint32_t piece = 0;  ///< from 1, never reused
  std::uint8_t x = 0;       ///< tiles from the left
  std::uint8_t y = 0;       ///< tiles from the top
  wire::Pad<2> end_padding;
};

/// Its code is the kind of event, and decides what `value` means.
struct Event {
  Direction direction = Direction::kNone;  ///< of Move only
  wire::Pad<2> padding;
  std::int32_t value = 0;
  std::uint32_t piece = 0;  ///< 0 if the event is not about a piece
};

using Message = std::variant<Action, GameState, CreatePiece, Event>;

// The codes of server messages, as the document names them.
inline constexpr std::uint8_t kGameState = 1;
inline constexpr std::uint8_t kFirstPiece = 2;
inline constexpr std::uint8_t kAmmoPiece = 9;
inline constexpr std::uint8_t kFirstTank = 16;
inline constexpr std::uint8_t kFirstEvent = 32;
inline constexpr std::uint8_t kUpdateAmmo = 32;    ///< value: ammo of the player
inline constexpr std::uint8_t kUpdateHealth = 33;  ///< value: health
inline constexpr std::uint8_t kDestroy = 34;
inline constexpr std::uint8_t kMove = 35;  ///< value: tiles moved; 0 = only turned
inline constexpr std::uint8_t kGameStart = 36;
inline constexpr std::uint8_t kGameOver =
    37;  ///< value: 0 = you lose, 1 = you win (measured; the document is less clear)
inline constexpr std::uint8_t kLastEvent = 47;

}  // namespace entente::panic
