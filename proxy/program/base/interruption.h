// SIGINT and SIGTERM for commands that read or write files: the first one asks the command to end cleanly, the second
// ends the process at once.
#pragma once

namespace entente {

/// REQUIRES: there is only one at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Whether a signal has come since the Interruption was created.
  static bool came();
};

}  // namespace entente
