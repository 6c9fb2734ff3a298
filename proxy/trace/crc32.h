// The CRC-32 of MCAP, which is zlib's.
#pragma once

#include <zlib.h>

#include "proxy/base/bytes.h"

namespace entente::trace {

/// CRC of `bytes`, continuing from `before`, the CRC of the bytes before them (0: none).
inline std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0) {
  // For a null pointer, zlib returns the first value.
  return bytes.empty() ? before : static_cast<std::uint32_t>(::crc32_z(before, bytes.data(), bytes.size()));
}

}  // namespace entente::trace
