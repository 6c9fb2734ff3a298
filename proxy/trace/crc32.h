// The CRC-32 of MCAP, which is zlib's (polynomial 0xEDB88320, reflected, complemented at both ends).
#pragma once

#include "proxy/base/bytes.h"

namespace entente::trace {

/// CRC of `bytes`, continuing from `before`, the CRC of the bytes before them (0: none). About 0.5 ns a byte.
std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0);

}  // namespace entente::trace
