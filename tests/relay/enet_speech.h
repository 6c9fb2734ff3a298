// The datagrams of an ENet handshake, for tests without an ENet host: those with many clients, and those in which
// nothing may be allocated.
#pragma once

#include <initializer_list>

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

}  // namespace entente::testing
