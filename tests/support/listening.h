// The port at which a program that a test has started listens, from its output.
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/support/process.h"

namespace entente::testing {

/// Requires that the next line of its output is "listening DIALECT 127.0.0.1:PORT". Returns the port. DIALECT is a game
/// and its dialect, such as "bzflag 2.4".
std::uint16_t listening_port(Process& process, std::string_view dialect);

}  // namespace entente::testing
