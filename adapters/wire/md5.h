// MD5 (RFC 1321), with which games identify worlds. Law: it identifies, and proves nothing.
#pragma once

#include <array>

#include "proxy/base/bytes.h"

namespace entente::wire {

std::array<std::uint8_t, 16> md5(Bytes bytes);

}  // namespace entente::wire
