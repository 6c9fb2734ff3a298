// A limit for everything that a peer can make grow, last long, or happen often.
// With the defaults, one peer cannot starve the others, and they do not restrict normal use or a load test from one
// machine. A public server needs tighter limits (config/relay-bzflag.toml).
// Invariant: plain values with a unit in the name. 0 disables a rate, a count or a time-out. A session keeps the copy
// that it began with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace entente {

struct Limits {
  // Admission.
  std::uint32_t sessions = 5000;              ///< open at once, per route
  std::uint32_t sessions_per_address = 1024;  ///< open at once from one address (IPv6: one /64)
  std::uint32_t connects_per_second = 100;    ///< new sessions from one address, on average
  std::uint32_t connects_burst = 1024;        ///< new sessions from one address at once
  std::uint32_t enters_per_second = 200;      ///< players from one address who may enter a shared room; others wait
  std::uint32_t enters_burst = 256;           ///< players from one address who may enter at once

  // The longest that something may take, in milliseconds.
  std::uint32_t greet_ms = 5'000;         ///< from accepting a client to the end of its greeting, if its game has one
  std::uint32_t connect_ms = 5'000;       ///< for the server to accept us
  std::uint32_t detect_ms = 4'000;        ///< for the server to show its dialect on a silent connection
  std::uint32_t ready_ms = 20'000;        ///< silence of the server while a bridged player waits to be admitted
  std::uint32_t lobby_ms = 120'000;       ///< time until a bridged player is admitted
  std::uint32_t idle_ms = 900'000;        ///< silence of both sides (a Panic lobby is silent for minutes)
  std::uint32_t stall_ms = 20'000;        ///< bytes wait for a peer that reads nothing
  std::uint32_t half_closed_ms = 30'000;  ///< one side has closed, the other is silent
  std::uint32_t linger_ms = 2'000;        ///< for a peer to close after our goodbye

  // Memory, in bytes.
  std::uint32_t high_water = 256 * 1024;  ///< bytes waiting for one peer at which reading the other stops
  std::uint32_t low_water = 64 * 1024;    ///< reading resumes below this
  std::uint32_t held_bytes = 64 * 1024;   ///< kept in each direction until the server's dialect is known
  /// What waits for all clients of an address (IPv6: one /64) together, over all routes. Much more than 64 players or
  /// viewers need, even while all of them receive a map.
  std::uint32_t address_waiting_bytes = 128 * 1024 * 1024;

  // How much one client may send. No client of a game sends more than some hundreds of messages a second.
  std::uint32_t bytes_per_second = 1024 * 1024;  ///< by stream; above it the client waits
  std::uint32_t messages_per_second = 2'000;     ///< by stream; above it the client waits
  std::uint32_t datagrams_per_second = 2'000;    ///< further ones are dropped
  std::uint32_t datagram_bytes = 1'472;          ///< larger ones, in either direction, are dropped; at most 2048

  // How much all clients of an address (IPv6: one /64) may send to a listener: 64 players of any game fit.
  std::uint32_t address_bytes_per_second = 8 * 1024 * 1024;  ///< above it they wait; further datagrams are dropped
  std::uint32_t address_messages_per_second = 40'000;        ///< with datagrams; above it they wait

  // How much a server may send to all its sessions.
  std::uint32_t server_bytes_per_second = 64 * 1024 * 1024;  ///< by stream; above it the server waits
  std::uint32_t server_messages_per_second = 250'000;        ///< by stream; above it the server waits
};

}  // namespace entente
