// Errors of commands on standard error. Systemd's journal takes `<N>` at the beginning of a line as its priority
// (sd-daemon(3)); without it, all lines would have the same.
#pragma once

#include <string_view>

namespace entente {

/// Prints `lines` and a line break to standard error. In the journal, each line has the priority of an error.
void print_error(std::string_view lines);

}  // namespace entente
