// Starts this program anew, beside this process: with the same arguments, and the executable that is now at its path.
// Invariant: the new process has our standard output and error, and none of our other descriptors. It outlives us.
#pragma once

#include <uv.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/base/fault.h"

namespace entente::net {

std::int32_t own_pid();

class OwnProgram {
 public:
  /// The arguments of this process, without the option `option` and its value, and then `option` with `value`.
  static std::vector<std::string> arguments_with(const std::string& option, const std::string& value);

  OwnProgram();
  ~OwnProgram();
  OwnProgram(const OwnProgram&) = delete;
  OwnProgram& operator=(const OwnProgram&) = delete;

  /// Starts the program; the first argument is its name. It counts as the service, if this process does (WATCHDOG_PID).
  /// `file`: the executable, if it is another one. REQUIRES: once. Returns its process id.
  Outcome<std::int32_t> start(std::vector<std::string> arguments, std::string file = "");
  /// Sends it a signal, if it still runs.
  void signal(int number);
  /// How it has ended: its exit code, or 128 + the signal. Nothing while it runs. REQUIRES: started.
  std::optional<int> ended();

 private:
  uv_loop_t loop_{};
  int failed_ = 0;  // why there is no loop: the process may have no descriptors left
  uv_process_t process_{};
  bool began_ = false;
  std::optional<int> ended_;
};

}  // namespace entente::net
