// Hashes that identify worlds, geometries and servers.
// Invariant: recordings store these hashes, and nodes of a fleet compare them, so the algorithm never changes. It does
// not protect against deliberate collisions.
#pragma once

#include <cstdint>
#include <string>

#include "proxy/base/bytes.h"

namespace entente {

/// 64-bit FNV-1a. `so_far`: the hash of the bytes before these.
inline std::uint64_t fnv1a(Bytes bytes, std::uint64_t so_far = 0xcbf29ce484222325) {
  for (const std::uint8_t byte : bytes) so_far = (so_far ^ byte) * 0x100000001b3;
  return so_far;
}

/// 16 hexadecimal digits, the highest first.
inline std::string hex_of(std::uint64_t hash) {
  std::string digits(16, '0');
  for (std::size_t at = digits.size(); at-- > 0; hash >>= 4U) digits[at] = "0123456789abcdef"[hash & 15U];
  return digits;
}

inline std::string hash_of(Bytes bytes) { return hex_of(fnv1a(bytes)); }

}  // namespace entente
