// SIGTERM and SIGINT while something runs: the first asks it to end, the second ends the process at once.
#pragma once

namespace entente::relay {
class Server;
}

namespace entente {

/// While it lives, the first of the two signals calls server.stop(). REQUIRES: one at a time.
class StopOnSignal {
 public:
  explicit StopOnSignal(relay::Server& server);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

}  // namespace entente
