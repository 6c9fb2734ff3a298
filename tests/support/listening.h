// Where a program listens that a test has started, by what it announces.
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/support/process.h"

namespace entente::testing {

/// Requires that its next line is "listening DIALECT 127.0.0.1:PORT", and returns the port. DIALECT is "bzflag 2.4".
std::uint16_t listening_port(Process& process, std::string_view dialect);

}  // namespace entente::testing
