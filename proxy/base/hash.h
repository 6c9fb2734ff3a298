// What tells things apart that have no name: worlds and geometries.
// Law: recordings keep these hashes, so they stay what they are; they hold off nobody who means to deceive.
#pragma once

#include <cstdint>
#include <string>

#include "proxy/base/bytes.h"

namespace entente {

/// FNV-1a of 64 bits, as 16 hexadecimal digits, the highest first.
inline std::string hash_of(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  std::string digits(16, '0');
  for (std::size_t at = digits.size(); at-- > 0; hash >>= 4U) digits[at] = "0123456789abcdef"[hash & 15U];
  return digits;
}

}  // namespace entente
