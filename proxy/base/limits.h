// Everything that a peer can make grow, last, or happen often has a number here.
// The presets keep one peer from starving the rest and stand in nobody's way, a load test from one machine included; a
// public server wants them tighter (config/relay-bzflag.toml).
// Law: plain values with a unit in the name; 0 switches a rate, a count or a time-out off. A session keeps the copy it
// began with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entente {

struct Limits {
  // Who may come.
  std::uint32_t sessions = 5000;              ///< open at once, of one relay
  std::uint32_t sessions_per_address = 1024;  ///< of them from one address (IPv6: one /64)
  std::uint32_t connects_per_second = 100;    ///< new ones from one address, in the long run
  std::uint32_t connects_burst = 1024;        ///< new ones from one address at once
  std::uint32_t enters_per_second =
      200;                           ///< players from one address who enter a shared_room; more wait for their turn
  std::uint32_t enters_burst = 256;  ///< of them at once

  // How long things may take, in milliseconds.
  std::uint32_t greet_ms = 5'000;         ///< from accepting a client to its whole greeting, if its game has one
  std::uint32_t connect_ms = 5'000;       ///< for the server to accept us
  std::uint32_t detect_ms = 4'000;        ///< for the server to show its dialect on a silent connection
  std::uint32_t ready_ms = 20'000;        ///< a bridged player is not in yet, and the server is silent
  std::uint32_t lobby_ms = 120'000;       ///< a bridged player is not in yet, whatever the server says
  std::uint32_t idle_ms = 900'000;        ///< no byte either way (a Panic lobby is silent for minutes)
  std::uint32_t stall_ms = 20'000;        ///< bytes wait for a peer that takes none
  std::uint32_t half_closed_ms = 30'000;  ///< one side has ended, the other is silent but stays
  std::uint32_t linger_ms = 2'000;        ///< for a peer that was told goodbye to go

  // Memory, in bytes.
  std::uint32_t high_water = 256 * 1024;  ///< waiting for one peer: above it we stop reading the other
  std::uint32_t low_water = 64 * 1024;    ///< and read on below this
  std::uint32_t held_bytes = 64 * 1024;   ///< kept each way while the server's dialect is not known

  // How much one client may send.
  std::uint32_t bytes_per_second = 16 * 1024 * 1024;  ///< by stream; above it the client waits
  std::uint32_t messages_per_second = 50'000;         ///< by stream; above it the client waits
  std::uint32_t datagrams_per_second = 50'000;        ///< above it they are dropped
  std::uint32_t datagram_bytes = 1'472;               ///< a larger one, either way, is dropped; at most 2048
};

}  // namespace entente
