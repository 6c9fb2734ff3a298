// Signals of a running program. The first SIGTERM or SIGINT asks it to end; the second ends the process at once, with a
// message on standard error. If the configuration has drain_s, the first SIGTERM drains, the second asks to end, and
// the third ends the process. SIGHUP asks it to reload its configuration; a program without one ends, as for SIGTERM.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace entente::relay {
class ProxyServer;
}

namespace entente {

class Drainer;

/// While it exists, the first SIGTERM or SIGINT calls server.stop(), or the first SIGTERM
/// drainer.begin_stop(), if it drains. So does SIGHUP if it would end the process: no
/// CallOnHangUp handles it, and it was not ignored at start (nohup). A signal that arrives later, while recordings
/// are being closed, changes nothing. REQUIRES: one at a time.
class StopOnSignal {
 public:
  StopOnSignal(relay::ProxyServer& server, Drainer& drainer);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

/// From now on SIGHUP does not end the process; it is kept for the next CallOnHangUp.
void keep_hang_ups();

/// While it exists, SIGHUP calls `then`, on a thread of its own. REQUIRES: one at a time.
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
