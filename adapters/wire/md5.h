// MD5 (RFC 1321), by which games name worlds. Law: a name, never a proof.
#pragma once

#include <array>

#include "proxy/base/bytes.h"

namespace entente::wire {

std::array<std::uint8_t, 16> md5(Bytes bytes);

}  // namespace entente::wire
