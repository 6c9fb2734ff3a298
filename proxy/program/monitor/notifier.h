// Tells the service manager (systemd) how the program is: ready, reloading, stopping; a status line; and, as long as
// the workers turn, that the program is alive.
// Invariant: a worker that is stuck ends the signs of life, so that the service manager restarts the program.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "proxy/net/waker.h"

namespace entente::relay {
class ProxyServer;
}

namespace entente {

class Notifier {
 public:
  /// Tells the service manager that the program is ready. Without a service manager, does nothing. `status`: what to
  /// show there, such as "serving 3 routes, 12 players"; called every few seconds, on a thread of the notifier. Both
  /// outlive the notifier.
  Notifier(const relay::ProxyServer& server, std::function<std::string()> status);
  /// REQUIRES: the server does not run any more.
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void tell_stopping();
  /// The process `pid` is the service from now on; this one sends nothing more. From any thread.
  void give(std::int32_t pid);

  /// While it exists, the program reloads its configuration.
  class Reloading {
   public:
    Reloading();
    ~Reloading();
    Reloading(const Reloading&) = delete;
    Reloading& operator=(const Reloading&) = delete;
  };

 private:
  void run();

  const relay::ProxyServer& server_;
  const std::function<std::string()> status_;
  std::atomic<bool> stopping_{false}, given_{false}, ends_{false};
  net::Waker waker_;
  std::thread thread_;
};

}  // namespace entente
