// Output to systemd's journal, which gives each line a time. A line that begins with `<N>` has that priority
// (sd-daemon(3)); without it, all lines would have the same.
#pragma once

#include <string_view>

namespace entente {

/// Whether this open descriptor leads to the journal, as JOURNAL_STREAM says (systemd.exec(5)).
bool leads_to_journal(int fd);

/// Prints `lines` and a line break to standard error. In the journal, each line has the priority of an error.
void print_error(std::string_view lines);

}  // namespace entente
