// The tanks of Panic: what the code of a Create means, and the abilities of each model.
// Invariant: the numbers are those of the released server.
#pragma once

#include <algorithm>

#include "adapters/panic/wire/messages.h"
#include "schema/game.pb.h"

namespace entente::panic {

inline bool is_tank(std::uint32_t code) { return code >= kFirstTank && code < kFirstEvent; }

struct Model {
  std::int32_t health;
  int range;  ///< of its shot, in tiles
};
/// Commander, Interceptor, Eliminator, Negotiator.
inline constexpr Model kModels[] = {{50, 6}, {30, 6}, {100, 3}, {20, 12}};
inline constexpr std::int32_t kFullAmmo = 100;

/// Ogar's mass of a cell with this radius in metres. A radius of 32 of Ogar's units (14142 are 800 m) is a mass of
/// 10.24.
inline std::int32_t mass_of(double radius) {
  return radius > 0 ? static_cast<std::int32_t>(std::min(radius * radius * 3.125, 99'999.0)) : 0;
}

/// REQUIRES: is_tank(code).
inline std::uint32_t model_of(std::uint32_t code) { return code & 3U; }
/// The colour slot of the tank's player: from 0, in the order of connecting.
inline std::uint32_t colour_slot_of(std::uint32_t code) { return code >> 2U & 3U; }

inline constexpr words::Team kTeams[] = {words::RED, words::BLUE, words::YELLOW, words::GREEN};
inline constexpr const char* kColours[] = {"red", "blue", "yellow", "green"};

/// The colour slot of a team; for a team that Panic does not have, the one with the most similar colour; `otherwise`
/// for no team.
inline std::uint32_t colour_slot_of_team(words::Team team, std::uint32_t otherwise) {
  switch (team) {
    case words::RED:
    case words::HUNTER:
      return 0;
    case words::BLUE:
    case words::PURPLE:
      return 1;
    case words::YELLOW:
    case words::ROGUE:
    case words::RABBIT:
      return 2;
    case words::GREEN:
      return 3;
    default:
      return otherwise;
  }
}

inline std::uint32_t tank_code(std::uint32_t colour_slot, std::uint32_t model) {
  return kFirstTank + 4 * colour_slot + (model & 3U);
}

}  // namespace entente::panic
