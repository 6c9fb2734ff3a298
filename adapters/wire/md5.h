// MD5 (RFC 1321). Games identify worlds by it. Invariant: it is used for identification, never for security.
#pragma once

#include <array>

#include "proxy/base/bytes.h"

namespace entente::wire {

/// In the order in which it is usually printed.
std::array<std::uint8_t, 16> md5(Bytes bytes);

}  // namespace entente::wire
