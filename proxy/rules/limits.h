// What a rule may use, in each room. The numbers are those of the manual (proxy/manual/rules.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace entente::rules {

/// A step is an instruction of Lua, or work of a function that takes about as long.
struct Limits {
  std::size_t memory = std::size_t{4} << 20U;    ///< bytes
  std::size_t text = std::size_t{16} << 10U;     ///< bytes of one string
  std::size_t source = std::size_t{256} << 10U;  ///< bytes of its file
  std::size_t state = std::size_t{64} << 10U;    ///< bytes of `state` that survive a reload
  std::int64_t call_steps = 200'000;             ///< in one call of a handler
  std::int64_t second_steps = 10'000'000;        ///< on average, in a second
  std::int64_t second_actions = 100;             ///< orders about no player (lines to all …), on average, in a second
  std::int64_t most_actions = 400;               ///< of those, at once
  unsigned second_player_actions = 20;           ///< orders of one kind about one player, on average, in a second
  unsigned most_player_actions = 40;             ///< of those, at once
  std::size_t paced_players = 4'096;             ///< pairs of a player and a kind of order whose pace is remembered
  std::size_t commands = 64;                     ///< chat commands
};

}  // namespace entente::rules
