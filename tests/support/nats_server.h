// A nats-server for one test: on loopback, at a port that stays reserved while it is down, with JetStream in a folder
// that is removed with the object.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/free_port.h"
#include "tests/support/process.h"

namespace entente {

/// A test that needs NATS begins with `if (NatsServer::is_missing()) return;`.
class NatsServer {
 public:
  /// Whether there is no nats-server on this machine. Prints that once. deploy/test installs it.
  static bool is_missing();

  /// Starts it with JetStream and these arguments.
  explicit NatsServer(std::vector<std::string> arguments = {});
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  std::string url() const { return scheme_ + "127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  /// The address at which it listens for other servers of its cluster, from its log. REQUIRES: --cluster.
  std::string cluster_url() const;
  /// Waits until its log has this text. False: it takes too long.
  bool log_has(std::string_view text) { return process_->err_has(text); }
  /// Kills it at once, as a power failure would. The data of JetStream stays.
  void kill();
  /// Starts it again at the same port. REQUIRES: it was killed.
  void start();
  /// The same, with other arguments than before.
  void start_with(std::vector<std::string> arguments);
  /// The same, without the data of JetStream.
  void start_empty();
  /// Suspends it: connections stay open and get no answers.
  void freeze() const;
  void thaw() const;

 private:
  std::vector<std::string> arguments_;
  std::string folder_, scheme_ = "nats://";
  const int port_ = testing::free_port();
  std::unique_ptr<Process> process_;
};

}  // namespace entente
