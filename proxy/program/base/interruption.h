// SIGINT and SIGTERM for commands that read or write files: the first one asks the command to end cleanly, the second
// ends the process at once. How a signal handler ends the process.
#pragma once

namespace entente {

/// Ends this process by the signal. The kernel keeps process 1 of a container alive, so that one exits with 128 + the
/// number. For signal handlers.
[[noreturn]] void end_by_signal(int number);

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
