// A nats-server of a test's own: on loopback, with a port that nobody else takes, also while it is down, and JetStream
// in a folder of its own, which goes with the server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/process.h"

namespace entente {

/// A test that needs NATS begins with `if (NatsServer::is_missing()) return;`.
class NatsServer {
 public:
  /// Whether there is no nats-server on this machine; says so once. deploy/test installs it.
  static bool is_missing();

  /// Started, with JetStream, and these arguments.
  explicit NatsServer(std::vector<std::string> arguments = {});
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  std::string url() const { return scheme_ + "127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  /// The address in its log at which it listens for other servers of its cluster. REQUIRES: --cluster.
  std::string cluster_url() const;
  /// Killed at once, as by a power failure; what JetStream has stored stays.
  void kill();
  /// At the same port again. REQUIRES: killed.
  void start();
  /// The same, without what JetStream has stored.
  void start_empty();
  /// It stands still: connections stay, and nobody is answered.
  void freeze() const;
  void thaw() const;

 private:
  std::vector<std::string> arguments_;
  std::string folder_, scheme_ = "nats://";
  const int port_ = testing::free_port();
  std::unique_ptr<Process> process_;
};

}  // namespace entente
