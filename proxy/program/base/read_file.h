// Reads the beginning of a file that somebody has named. Invariant: nobody who holds up other things reads a pipe,
// because its writer may never come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proxy/base/fault.h"

namespace entente {

/// Why a file was not read.
struct ReadFault {
  int error = 0;  ///< as errno; 0: it is no file but a pipe, for example
  /// "'a.lab' is not a file" or "cannot read 'a.lab': No such file or directory".
  std::string text(const std::string& path) const;
};

/// Whether a pipe is read, too. kRead: this waits for its writer.
enum class Pipes : std::uint8_t { kRefused, kRead };

/// The first bytes of the file, `most` at most.
Expected<std::string, ReadFault> read_beginning(const std::string& path, std::size_t most,
                                                Pipes pipes = Pipes::kRefused);

}  // namespace entente
