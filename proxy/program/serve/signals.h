// Signals while something runs: the first SIGTERM or SIGINT asks it to end, the second ends the process at once; SIGHUP
// asks it to read again what it was told by files, and where nothing is read again, to end, as often as it comes.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace entente::relay {
class Server;
}

namespace entente {

/// While it lives, the first of the two signals calls server.stop(), and so does SIGHUP where it would end the process:
/// neither a CallOnHangUp has it, nor whoever started us (nohup) had it ignored. One that comes first only afterwards
/// finds all ending already, such as recordings that are being closed, and changes nothing. REQUIRES: one at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(relay::Server& server);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

/// From now on SIGHUP does not end the process: it is kept for the CallOnHangUp to come.
void keep_hang_ups();

/// While it lives, SIGHUP has `then` called, on a thread of its own. REQUIRES: one at a time.
class CallOnHangUp {
 public:
  explicit CallOnHangUp(std::function<void()> then);
  ~CallOnHangUp();
  CallOnHangUp(const CallOnHangUp&) = delete;
  CallOnHangUp& operator=(const CallOnHangUp&) = delete;

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace entente
