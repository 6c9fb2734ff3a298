// Datagrams of ENet, for tests without an ENet host: those with many clients, those in which nothing may be allocated,
// and those of a peer that breaks the rules.
#pragma once

#include <initializer_list>
#include <vector>

#include "tests/support/hex.h"

namespace entente::testing {

inline void put32(Buffer& to, std::uint32_t word) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) to.push_back(static_cast<std::uint8_t>(word >> shift));
}

/// A client's connect, uncompressed: 52 bytes. Its peer id is 7.
inline Buffer connect_datagram(std::uint32_t id, std::uint32_t version = 3) {
  Buffer all =
      from_hex("8fff1234 82ff0001 0007ffff 00000578 00010000 00000001 00000000 00000000 00001388 00000002 00000002");
  put32(all, id);
  put32(all, version);
  return all;
}

/// The server's answer to a connect. Its peer id is 2, its session 1.
inline Buffer verify_datagram(std::uint32_t id) {
  Buffer all =
      from_hex("80075678 83ff0001 00020101 00000578 00010000 00000001 00000000 00000000 00001388 00000002 00000002");
  put32(all, id);
  return all;
}

/// The client's acknowledgement of this answer.
inline Buffer proof_datagram() { return from_hex("1002 01ff0001 00015678"); }

/// Datagrams with `count` reliable packets of 100 bytes, for peer 0 of a host, which follow one that never comes.
/// `number`: of the first, more than 1. Each is there four times, once for each number that the session may have: ENet
/// accepts only its own.
inline std::vector<Buffer> packets_out_of_order(std::uint16_t number, std::uint16_t count) {
  constexpr std::uint8_t kSize = 100;
  Buffer commands;
  for (std::uint16_t last = static_cast<std::uint16_t>(number + count); number < last; ++number) {
    append(commands,
           Buffer{6, 0, static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number), 0, kSize});
    commands.resize(commands.size() + kSize, 3);
  }
  std::vector<Buffer> all;
  for (const unsigned session : {0x00U, 0x10U, 0x20U, 0x30U}) {
    all.push_back({static_cast<std::uint8_t>(session), 0});
    append(all.back(), commands);
  }
  return all;
}

/// Datagrams with `count` empty unsequenced packets, for peer 0 of a host; each once for each session, as above.
inline std::vector<Buffer> empty_packets(std::uint16_t count) {
  std::vector<Buffer> all;
  for (const unsigned session : {0x00U, 0x10U, 0x20U, 0x30U}) {
    Buffer& one = all.emplace_back(Buffer{static_cast<std::uint8_t>(session), 0});
    for (std::uint16_t group = 1; group <= count; ++group)
      append(one,
             Buffer{0x49, 0, 0, 0, static_cast<std::uint8_t>(group >> 8U), static_cast<std::uint8_t>(group), 0, 0});
  }
  return all;
}

}  // namespace entente::testing
