// Keeps our descriptors from a process that we start.
#pragma once

#include <unistd.h>

#include <limits>

namespace entente::net {

/// Marks all but standard input, output and error. Libraries open some files (ENet's sockets, the log) without this
/// flag. An error means an old kernel, and is ignored.
inline void close_others_on_exec() {
  (void)::close_range(STDERR_FILENO + 1, std::numeric_limits<unsigned>::max(), CLOSE_RANGE_CLOEXEC);
}

}  // namespace entente::net
